// Capture files made by hand: pcap and pcapng in either byte order, and packets to put into them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace qdiscsim::test {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint32_t kEthernetLink = 1;

struct CaptureFormat {
  bool pcapng = false;
  bool nanoseconds = false;
  bool swapped = false;  // not this machine's byte order
  std::uint32_t link = kEthernetLink;
};

struct WrittenPacket {
  std::uint64_t time;    // nanoseconds
  Bytes bytes;           // as captured
  std::uint32_t length;  // on the wire
};

class CaptureWriter {
 public:
  explicit CaptureWriter(const CaptureFormat& format) : format_{format} {
    format_.pcapng ? begin_pcapng() : begin_pcap();
  }

  void add(const WrittenPacket& packet) {
    const std::uint64_t unit = format_.nanoseconds ? 1 : 1'000;
    const auto size = static_cast<std::uint32_t>(packet.bytes.size());
    if (!format_.pcapng) {
      put(packet.time / 1'000'000'000, 4);
      put(packet.time % 1'000'000'000 / unit, 4);
      put(size, 4);
      put(packet.length, 4);
      append(packet.bytes);
      return;
    }
    const std::uint32_t padded = (size + 3) / 4 * 4;
    put(6, 4);
    put(32 + padded, 4);
    put(0, 4);
    put(packet.time / unit >> 32U, 4);
    put(packet.time / unit & 0xffffffffU, 4);
    put(size, 4);
    put(packet.length, 4);
    append(packet.bytes);
    file_.resize(file_.size() + padded - size);
    put(32 + padded, 4);
  }

  const Bytes& file() const { return file_; }

 private:
  void put(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      const int shift = 8 * (format_.swapped ? bytes - 1 - i : i);  // tests run on little-endian
      file_.push_back(static_cast<std::uint8_t>(value >> shift));
    }
  }
  void append(const Bytes& bytes) { file_.insert(file_.end(), bytes.begin(), bytes.end()); }

  void begin_pcap() {
    put(format_.nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4, 4);
    put(2, 2);
    put(4, 2);
    put(0, 8);
    put(262'144, 4);
    put(format_.link, 4);
  }
  void begin_pcapng() {
    put(0x0a0d0d0a, 4);
    put(28, 4);
    put(0x1a2b3c4d, 4);
    put(1, 2);
    put(0, 2);
    put(~std::uint64_t{0}, 8);
    put(28, 4);
    put(1, 4);  // the interface, with its unit of time
    put(32, 4);
    put(format_.link, 2);
    put(0, 2);
    put(262'144, 4);
    put(9, 2);
    put(1, 2);
    put(format_.nanoseconds ? 9 : 6, 1);
    put(0, 3);
    put(0, 4);
    put(32, 4);
  }

  CaptureFormat format_;
  Bytes file_;
};

inline Bytes capture_of(const std::vector<WrittenPacket>& packets,
                        const CaptureFormat& format = {}) {
  CaptureWriter writer{format};
  for (const WrittenPacket& packet : packets) writer.add(packet);
  return writer.file();
}

inline Bytes operator+(Bytes left, const Bytes& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// The start of a network header.
inline Bytes ipv4(std::uint8_t tos) {
  return {0x45, tos, 0, 100};
}
inline Bytes ipv6(std::uint8_t traffic_class) {
  return {static_cast<std::uint8_t>(0x60 | traffic_class >> 4U),
          static_cast<std::uint8_t>(traffic_class << 4U), 0, 0};
}
// An Ethernet header, up to the type.
inline Bytes ethernet(std::uint32_t type) {
  return Bytes(12, 2) +
         Bytes{static_cast<std::uint8_t>(type >> 8U), static_cast<std::uint8_t>(type & 0xffU)};
}
inline Bytes frame(std::uint8_t tos) {
  return ethernet(0x0800) + ipv4(tos) + Bytes(46, 0);
}

// A folder of the test's own, gone with it.
class CaptureFolder : public testing::Test {
 protected:
  CaptureFolder() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "." + test->name();
    for (char& c : name) c = c == '/' ? '_' : c;
    folder_ = std::filesystem::temp_directory_path() / (name + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~CaptureFolder() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const Bytes& bytes) const {
    std::ofstream file{path(name), std::ios::binary};
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }

  std::filesystem::path folder_;
};

}  // namespace qdiscsim::test
