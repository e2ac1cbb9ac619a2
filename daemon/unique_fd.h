// UniqueFd: a file descriptor with one owner, who closes it at the end.
#pragma once

#include <unistd.h>

#include <utility>

namespace qdiscsim {

class UniqueFd {
 public:
  // Negative: none, as from a call that failed.
  explicit UniqueFd(int fd = -1) noexcept : fd_{fd} {}
  ~UniqueFd() {
    if (fd_ >= 0) close(fd_);
  }
  UniqueFd(UniqueFd&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;

  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

}  // namespace qdiscsim
