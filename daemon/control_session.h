// ControlSession: the answers of ControlFs (control_fs.h) to the kernel, one request after the
// other. For control_fs.cc and control_session.cc only.
#pragma once

#define FUSE_USE_VERSION 31
#include <fuse3/fuse_lowlevel.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "daemon/control_fs.h"

namespace qdiscsim {

class ControlFs::Session {
 public:
  // As those of ControlFs.
  Session(pktgenfs::Files& files, const std::string& directory);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start();

 private:
  struct OpenFile {
    std::string name;
    std::optional<std::string> text;  // as it was at the first read
    std::vector<std::string> list;    // of a directory
  };
  struct Writer {
    std::atomic<bool> done{false};
    std::thread thread;
  };

  void mount(const std::string& directory);
  void serve();

  static Session& of(fuse_req_t request) {
    return *static_cast<Session*>(fuse_req_userdata(request));
  }
  static fuse_lowlevel_ops operations();

  bool exists(std::string_view name) const {
    const std::vector<std::string> names = files_.names();
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  static struct stat attributes(std::string_view name);
  void lookup(fuse_req_t request, const char* name);
  void get_attributes(fuse_req_t request, fuse_ino_t node);
  void open_file(fuse_req_t request, fuse_ino_t node, fuse_file_info* info);
  void read(fuse_req_t request, std::size_t size, off_t offset, OpenFile& file);
  void list(fuse_req_t request, std::size_t size, off_t offset, const OpenFile& directory);
  void write(fuse_req_t request, std::string text, const OpenFile& file);
  void write_aside(fuse_req_t request, std::string text, std::string name);
  void answer_write(fuse_req_t request, const std::string& text, const std::string& name);

  pktgenfs::Files& files_;
  std::string directory_;
  fuse_session* session_ = nullptr;
  int stop_event_ = -1;
  std::atomic<bool> closing_{false};
  std::thread thread_;
  // The serving thread's own.
  // Each time that a file is looked up it becomes a node of its own: the kernel lets one writer at
  // a time write to a node, and a writer of `stop` must not wait for that of `start`.
  std::map<fuse_ino_t, std::string> nodes_{{FUSE_ROOT_ID, ""}};
  fuse_ino_t last_node_ = FUSE_ROOT_ID;
  std::map<std::uint64_t, OpenFile> open_;
  std::uint64_t next_handle_ = 1;
  std::list<Writer> writers_;
};

}  // namespace qdiscsim
