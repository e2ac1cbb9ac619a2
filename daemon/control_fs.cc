#include "daemon/control_fs.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "daemon/control_session.h"
#include "daemon/mount_point.h"
#include "daemon/source.h"

namespace qdiscsim {
namespace {

constexpr const char* kThreadName = "pktgen-files";

// What libfuse said last on this thread: it knows why a mount failed.
thread_local std::string libfuse_said;

void keep_what_libfuse_says(fuse_log_level /*level*/, const char* format, va_list arguments) {
  std::array<char, 512> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  libfuse_said = text.data();
  while (libfuse_said.ends_with('\n')) libfuse_said.pop_back();
  spdlog::debug("libfuse: {}", libfuse_said);
}

}  // namespace

ControlFs::Session::Session(pktgenfs::Files& files, const std::string& directory) : files_{files} {
  mount(directory);
}

ControlFs::Session::~Session() {
  closing_.store(true, std::memory_order_relaxed);
  if (thread_.joinable()) {
    eventfd_write(stop_event_, 1);
    thread_.join();
  }
  for (Writer& writer : writers_) writer.thread.join();
  if (stop_event_ >= 0) close(stop_event_);
  fuse_session_unmount(session_);
  fuse_session_destroy(session_);
}

void ControlFs::Session::start() {
  stop_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (stop_event_ < 0) throw std::system_error{errno, std::generic_category(), "eventfd"};
  thread_ = std::thread{[this] { serve(); }};
  pthread_setname_np(thread_.native_handle(), kThreadName);
}

void ControlFs::Session::mount(const std::string& directory) {
  directory_ = prepare_mount_point(directory);
  fuse_set_log_func(keep_what_libfuse_says);
  libfuse_said.clear();
  const std::string options = fmt::format("-osubtype={0},fsname={0},noexec", kMountSubtype);
  std::array<const char*, 2> words{"qdiscsimd", options.c_str()};
  fuse_args arguments =
      FUSE_ARGS_INIT(static_cast<int>(words.size()), const_cast<char**>(words.data()));
  const fuse_lowlevel_ops calls = operations();
  session_ = fuse_session_new(&arguments, &calls, sizeof calls, this);
  fuse_opt_free_args(&arguments);
  if (session_ != nullptr && fuse_session_mount(session_, directory_.c_str()) == 0) return;
  if (session_ != nullptr) fuse_session_destroy(session_);
  throw UnusableConfiguration{fmt::format(
      "pktgen.control_fs: {}: cannot be mounted{}{}; an ordinary user needs fusermount3 (package "
      "fuse3), a container CAP_SYS_ADMIN",
      directory_, libfuse_said.empty() ? "" : ": ", libfuse_said)};
}

void ControlFs::Session::serve() {
  fuse_buf buffer{};
  std::array<pollfd, 2> waiting{pollfd{fuse_session_fd(session_), POLLIN, 0},
                                pollfd{stop_event_, POLLIN, 0}};
  while (fuse_session_exited(session_) == 0) {
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) break;
    if (waiting[1].revents != 0) break;
    const int got = fuse_session_receive_buf(session_, &buffer);
    if (got == -EINTR || got == -EAGAIN) continue;
    if (got <= 0) break;
    fuse_session_process_buf(session_, &buffer);
  }
  std::free(buffer.mem);
  if (!closing_.exchange(true)) {
    spdlog::warn(
        "pktgen.control_fs: {}: somebody has unmounted it: no control files until the "
        "next start",
        directory_);
  }
}

ControlFs::ControlFs(pktgenfs::Files& files, const std::string& directory)
    : session_{std::make_unique<Session>(files, directory)} {}

ControlFs::~ControlFs() = default;

void ControlFs::start() {
  session_->start();
}

}  // namespace qdiscsim
