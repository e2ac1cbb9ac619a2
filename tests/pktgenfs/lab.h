// The control files over a FakeBackend, with short words for reading and writing them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "pktgenfs/files.h"
#include "tests/pktgenfs/fake_backend.h"

namespace qdiscsim::test {

class FilesLab : public testing::Test {
 protected:
  FilesLab() : files_{std::make_unique<pktgenfs::Files>(backend_)} {}

  static bool never() { return false; }
  // As `echo text > name`; the bytes taken, without the line's end, or -errno.
  long echo(std::string_view name, std::string_view text) {
    const long answer = files_->write(name, std::string{text} + '\n', never);
    return answer == static_cast<long>(text.size()) + 1 ? answer - 1 : answer;
  }
  // The same, which must be taken; then what stands in the Result line of the file.
  std::string ask(std::string_view name, std::string_view text) {
    EXPECT_EQ(echo(name, text), static_cast<long>(text.size())) << text;
    return result(name);
  }
  // Everything behind "Result: ", without the last line's end.
  std::string result(std::string_view name) {
    const std::string whole = text(name);
    const std::size_t at = whole.find("Result: ");
    if (at == std::string::npos) return "there is no Result in: " + whole;
    return whole.substr(at + 8, whole.size() - at - 9);
  }
  std::string text(std::string_view name) { return files_->read(name).value_or("no such file"); }
  bool shows(std::string_view name, std::string_view line) {
    return text(name).find(line) != std::string::npos;
  }

  // The device file eth0, of thread 0.
  void add_eth0() { EXPECT_EQ(ask("kpktgend_0", "add_device eth0"), "OK: add_device=eth0"); }
  void other_kernel(KernelVersion kernel) {
    files_.reset();
    files_ = std::make_unique<pktgenfs::Files>(backend_, kernel);
    add_eth0();
  }

  FakeBackend backend_;
  std::unique_ptr<pktgenfs::Files> files_;
};

}  // namespace qdiscsim::test
