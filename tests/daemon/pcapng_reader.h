// Reads back what daemon/pcapng.h writes: enough to compare a capture with the counters.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace qdiscsim::test {

struct CapturedInterface {
  std::string name;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::map<std::string, std::uint64_t> comments;
  int statistics = 0;
  std::uint64_t received = 0;
  std::uint64_t missed = 0;
};

class PcapngReader {
 public:
  // A file that is no whole capture fails the test.
  explicit PcapngReader(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    data_.assign(std::istreambuf_iterator<char>{in}, {});
    std::size_t at = 0;
    while (at + 12 <= data_.size()) {
      const std::size_t length = number(at + 4, 4);
      if (length < 12 || at + length > data_.size() || number(at + length - 4, 4) != length) break;
      block(at, length);
      at += length;
    }
    EXPECT_EQ(at, data_.size()) << "a torn block in " << path;
    EXPECT_EQ(sections_, 1);
  }

  std::vector<CapturedInterface> interfaces;
  std::uint64_t packets() const {
    std::uint64_t sum = 0;
    for (const auto& interface : interfaces) sum += interface.packets;
    return sum;
  }
  std::size_t size() const { return data_.size(); }

 private:
  std::uint64_t number(std::size_t at, std::size_t bytes) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(data_[at + i])} << 8 * i;
    }
    return value;
  }
  static std::size_t padded(std::size_t length) { return (length + 3) / 4 * 4; }

  void block(std::size_t at, std::size_t length) {
    const std::uint64_t type = number(at, 4);
    std::size_t options = at + 8;
    CapturedInterface* of = nullptr;
    if (type == 0x0a0d0d0a) {
      ++sections_;
      return;
    }
    if (type == 1) {
      of = &interfaces.emplace_back();
      options += 8;
    } else {
      of = &interfaces.at(number(at + 8, 4));
      options += 12;
    }
    if (type == 6) {
      ++of->packets;
      of->bytes += number(at + 24, 4);
      options += 8 + padded(number(at + 20, 4));
    }
    if (type == 5) ++of->statistics;
    for (; options + 4 < at + length; options += 4 + padded(number(options + 2, 2))) {
      const std::uint64_t code = number(options, 2);
      const std::string value = data_.substr(options + 4, number(options + 2, 2));
      if (type == 1 && code == 2) of->name = value;
      if (type == 6 && code == 1) ++of->comments[value];
      if (type == 5 && code == 4) of->received = number(options + 4, 8);
      if (type == 5 && code == 5) of->missed = number(options + 4, 8);
    }
  }

  std::string data_;
  int sections_ = 0;
};

}  // namespace qdiscsim::test
