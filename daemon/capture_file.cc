#include "daemon/capture_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "daemon/pcapng.h"

namespace qdiscsim {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 10U;
constexpr mode_t kMode = 0640;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error{path + ": " + why};
}

std::string way_out(int error) {
  switch (error) {
    case ENOENT:
      return "create its directory, or choose another file";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a file in a directory that this user may write to";
    case ENOSPC:
    case EDQUOT:
      return "make room, or choose another file";
    default:
      return "choose another file";
  }
}

// Neither a FIFO nor a device is opened: that may block, or do something.
void refuse_what_is_no_file(const std::string& path) {
  struct stat is {};
  if (stat(path.c_str(), &is) == 0 && !S_ISREG(is.st_mode)) {
    refuse(path, std::string{"is "} + (S_ISDIR(is.st_mode) ? "a directory" : "not a regular file") +
                     "; choose another file");
  }
}

// A file that begins as a capture of ours may go, one that holds anything else may not: a path that
// was mistyped must cost nobody's configuration.
bool may_be_replaced(int fd) {
  std::array<std::byte, pcapng::kMagic.size()> start{};
  const ssize_t got = pread(fd, start.data(), start.size(), 0);
  return got == 0 || (got == static_cast<ssize_t>(start.size()) && start == pcapng::kMagic);
}

}  // namespace

CaptureFile::CaptureFile(const std::string& path) {
  refuse_what_is_no_file(path);
  const auto check = [&](bool good) {
    if (good) return;
    const int error = errno;
    if (fd_ >= 0) ::close(fd_);
    refuse(path, std::string{std::strerror(error)} + "; " + way_out(error));
  };
  fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, kMode);
  check(fd_ >= 0);
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd_);
    refuse(path, "another capture writes to it; choose another file");
  }
  if (!may_be_replaced(fd_)) {
    ::close(fd_);
    refuse(path, "holds something else than a pcapng capture; choose another file, or remove it");
  }
  check(ftruncate(fd_, 0) == 0);
  buffer_.reserve(kBufferBytes);
}

CaptureFile::~CaptureFile() {
  close();
}

bool CaptureFile::write(std::span<const std::byte> blocks) {
  if (error_ != 0 || fd_ < 0) return false;
  if (buffer_.size() + blocks.size() > kBufferBytes && !flush()) return false;
  buffer_.insert(buffer_.end(), blocks.begin(), blocks.end());
  size_ += blocks.size();
  return true;
}

bool CaptureFile::flush() {
  if (error_ != 0 || fd_ < 0) return false;
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t written = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return fail(written < 0 ? errno : EIO, done);
    done += static_cast<std::size_t>(written);
  }
  buffer_.clear();
  return true;
}

bool CaptureFile::close() {
  if (fd_ < 0) return error_ == 0;
  flush();
  // Some file systems report a full disk only now.
  if (::close(fd_) != 0 && error_ == 0) error_ = errno;
  fd_ = -1;
  return error_ == 0;
}

// Keeps the whole blocks among the first `written` bytes of the buffer.
bool CaptureFile::fail(int error, std::size_t written) {
  error_ = error;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < buffer_.size();) {
    const std::span rest = std::span{buffer_}.subspan(at);
    at += pcapng::block_length(rest);
    if (at <= written) {
      kept = at;
    } else if (pcapng::is_packet(rest)) {
      ++lost_packets_;
    }
  }
  size_ -= buffer_.size() - kept;
  buffer_.clear();
  // If even this fails, the file ends in half a block, which readers report.
  [[maybe_unused]] const int cut = ftruncate(fd_, static_cast<off_t>(size_));
  return false;
}

}  // namespace qdiscsim
