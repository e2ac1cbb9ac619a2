// CaptureFile: a file of pcapng blocks (daemon/pcapng.h), written through a buffer that holds whole
// blocks only, so that the file is a valid one whenever it was flushed, and after an error too.
//
// One thread. The file is created anew: mode 0640 when it did not exist; an existing pcapng file
// keeps its mode and loses its content. What is not a regular file is refused, what holds anything
// else than a pcapng file, and what another CaptureFile has open, here or in another process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace qdiscsim {

class CaptureFile {
 public:
  // Throws std::runtime_error: "PATH: what is wrong; the way out".
  explicit CaptureFile(const std::string& path);
  ~CaptureFile();
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;

  // Appends whole blocks. False: it, or a write before it, has failed.
  bool write(std::span<const std::byte> blocks);
  bool flush();
  bool close();

  // What was written, buffer included, in bytes. After an error: what is in the file.
  std::uint64_t size() const noexcept { return size_; }
  bool dirty() const noexcept { return !buffer_.empty(); }
  // errno of the first write that failed; 0 = none did. The file was cut behind its last whole
  // block.
  int error() const noexcept { return error_; }
  // Packets that were accepted, and are not in the file since the error.
  std::uint64_t lost_packets() const noexcept { return lost_packets_; }

 private:
  bool fail(int error, std::size_t written);

  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::vector<std::byte> buffer_;
  int error_ = 0;
  std::uint64_t lost_packets_ = 0;
};

}  // namespace qdiscsim
