#include "daemon/control_session.h"

#include <unistd.h>

#include <cerrno>
#include <functional>
#include <system_error>
#include <utility>

namespace qdiscsim {
namespace {

constexpr fuse_ino_t kRoot = FUSE_ROOT_ID;
constexpr std::string_view kBlockingFile = "pgctrl";
// Files come and go with commands: the kernel must not remember them.
constexpr double kNoTime = 0;
// An answer's error must be below this; ENOTSUPP, which kernels have sent to user space, is not.
constexpr int kFirstKernelError = 512;

}  // namespace

fuse_lowlevel_ops ControlFs::Session::operations() {
  fuse_lowlevel_ops calls{};
  calls.lookup = [](fuse_req_t request, fuse_ino_t, const char* name) {
    of(request).lookup(request, name);
  };
  // A node was looked up once, so it is forgotten as a whole.
  calls.forget = [](fuse_req_t request, fuse_ino_t node, std::uint64_t) {
    of(request).nodes_.erase(node);
    fuse_reply_none(request);
  };
  calls.getattr = [](fuse_req_t request, fuse_ino_t node, fuse_file_info*) {
    of(request).get_attributes(request, node);
  };
  // A shell's `>` cuts the file to nothing first; times may be set, to no effect.
  calls.setattr = [](fuse_req_t request, fuse_ino_t node, struct stat*, int what, fuse_file_info*) {
    if ((what & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)) != 0) {
      fuse_reply_err(request, EPERM);
    } else {
      of(request).get_attributes(request, node);
    }
  };
  calls.open = [](fuse_req_t request, fuse_ino_t node, fuse_file_info* info) {
    of(request).open_file(request, node, info);
  };
  calls.opendir = calls.open;
  calls.read = [](fuse_req_t request, fuse_ino_t, std::size_t size, off_t offset,
                  fuse_file_info* info) {
    of(request).read(request, size, offset, of(request).open_[info->fh]);
  };
  calls.readdir = [](fuse_req_t request, fuse_ino_t, std::size_t size, off_t offset,
                     fuse_file_info* info) {
    of(request).list(request, size, offset, of(request).open_[info->fh]);
  };
  calls.write = [](fuse_req_t request, fuse_ino_t, const char* text, std::size_t size, off_t,
                   fuse_file_info* info) {
    of(request).write(request, {text, size}, of(request).open_[info->fh]);
  };
  calls.release = [](fuse_req_t request, fuse_ino_t, fuse_file_info* info) {
    of(request).open_.erase(info->fh);
    fuse_reply_err(request, 0);
  };
  calls.releasedir = calls.release;
  // /proc makes no files for anybody.
  calls.create = [](fuse_req_t request, fuse_ino_t, const char*, mode_t, fuse_file_info*) {
    fuse_reply_err(request, ENOENT);
  };
  calls.mknod = [](fuse_req_t request, fuse_ino_t, const char*, mode_t, dev_t) {
    fuse_reply_err(request, ENOENT);
  };
  calls.mkdir = [](fuse_req_t request, fuse_ino_t, const char*, mode_t) {
    fuse_reply_err(request, ENOENT);
  };
  calls.unlink = [](fuse_req_t request, fuse_ino_t, const char*) {
    fuse_reply_err(request, EPERM);
  };
  return calls;
}

// The empty name is the directory's.
struct stat ControlFs::Session::attributes(std::string_view name) {
  struct stat info {};
  info.st_ino = name.empty() ? kRoot : std::hash<std::string_view>{}(name);
  info.st_mode = name.empty() ? S_IFDIR | 0500 : S_IFREG | 0600;
  info.st_nlink = name.empty() ? 2 : 1;
  info.st_uid = geteuid();
  info.st_gid = getegid();
  return info;
}

void ControlFs::Session::lookup(fuse_req_t request, const char* name) {
  if (!exists(name)) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  fuse_entry_param entry{};
  entry.ino = ++last_node_;
  entry.attr = attributes(name);
  entry.attr_timeout = kNoTime;
  entry.entry_timeout = kNoTime;
  nodes_[entry.ino] = name;
  // Refused when the caller was killed meanwhile: then nothing is forgotten later.
  if (fuse_reply_entry(request, &entry) != 0) nodes_.erase(entry.ino);
}

void ControlFs::Session::get_attributes(fuse_req_t request, fuse_ino_t node) {
  const std::string& name = nodes_[node];
  if (node != kRoot && !exists(name)) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  const struct stat info = attributes(name);
  fuse_reply_attr(request, &info, kNoTime);
}

void ControlFs::Session::open_file(fuse_req_t request, fuse_ino_t node, fuse_file_info* info) {
  info->fh = next_handle_++;
  info->direct_io = 1;
  OpenFile& file = open_[info->fh];
  file.name = nodes_[node];
  if (node == kRoot) file.list = files_.names();
  // Refused when the opener was killed meanwhile: then no release comes.
  if (fuse_reply_open(request, info) != 0) open_.erase(info->fh);
}

void ControlFs::Session::read(fuse_req_t request, std::size_t size, off_t offset, OpenFile& file) {
  if (offset == 0) file.text = files_.read(file.name);
  if (!file.text) {
    fuse_reply_err(request, ENOENT);
    return;
  }
  const std::size_t from = std::min(static_cast<std::size_t>(offset), file.text->size());
  fuse_reply_buf(request, file.text->data() + from, std::min(size, file.text->size() - from));
}

void ControlFs::Session::list(fuse_req_t request, std::size_t size, off_t offset,
                              const OpenFile& directory) {
  std::vector<char> answer(size);
  std::size_t used = 0;
  for (std::size_t i = static_cast<std::size_t>(offset); i < directory.list.size() + 2; ++i) {
    const std::string name = i == 0 ? "." : i == 1 ? ".." : directory.list[i - 2];
    const struct stat info = attributes(i < 2 ? "" : name);
    const std::size_t needed = fuse_add_direntry(request, answer.data() + used, size - used,
                                                 name.c_str(), &info, static_cast<off_t>(i + 1));
    if (needed > size - used) break;
    used += needed;
  }
  fuse_reply_buf(request, answer.data(), used);
}

void ControlFs::Session::write(fuse_req_t request, std::string text, const OpenFile& file) {
  if (file.name == kBlockingFile) {
    write_aside(request, std::move(text), file.name);
  } else {
    answer_write(request, text, file.name);
  }
}

void ControlFs::Session::write_aside(fuse_req_t request, std::string text, std::string name) {
  for (auto writer = writers_.begin(); writer != writers_.end();) {
    if (writer->done.load(std::memory_order_acquire)) {
      writer->thread.join();
      writer = writers_.erase(writer);
    } else {
      ++writer;
    }
  }
  Writer& writer = writers_.emplace_back();
  try {
    writer.thread =
        std::thread{[this, request, &writer, text = std::move(text), name = std::move(name)] {
          answer_write(request, text, name);
          writer.done.store(true, std::memory_order_release);
        }};
  } catch (const std::system_error&) {
    writers_.pop_back();
    fuse_reply_err(request, EAGAIN);
  }
}

void ControlFs::Session::answer_write(fuse_req_t request, const std::string& text,
                                      const std::string& name) {
  const long taken = files_.write(name, text, [this, request] {
    return closing_.load(std::memory_order_relaxed) || fuse_req_interrupted(request) != 0;
  });
  if (taken >= 0) {
    fuse_reply_write(request, static_cast<std::size_t>(taken));
  } else {
    fuse_reply_err(request, -taken < kFirstKernelError ? static_cast<int>(-taken) : EOPNOTSUPP);
  }
}

}  // namespace qdiscsim
