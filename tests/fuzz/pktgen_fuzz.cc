// What scripts write into pktgen's control files: any lines, to any file, under any kernel. A write
// takes bytes of what was written or answers an errno, and every file can be read afterwards.
//
// Input: the first byte chooses the kernel; then lines "FILE-LETTER text": p pgctrl, 0 and 1 the
// threads, e eth0's file, b eth0@1's.
#include <algorithm>
#include <string>

#include "pktgenfs/files.h"
#include "tests/fuzz/fuzz.h"
#include "tests/pktgenfs/fake_backend.h"

namespace {

using namespace qdiscsim;

constexpr std::size_t kMost = 4096;

const char* file_of(char letter) {
  switch (letter) {
    case 'p':
      return "pgctrl";
    case '0':
      return "kpktgend_0";
    case '1':
      return "kpktgend_1";
    case 'e':
      return "eth0";
    case 'b':
      return "eth0@1";
    default:
      return "nosuch";
  }
}

void write(pktgenfs::Files& files, std::string_view line) {
  if (line.empty()) return;
  const std::string text = std::string{line.substr(1)} + '\n';
  int asked = 0;  // runs without a count end by the signal
  const long taken = files.write(file_of(line[0]), text, [&asked] { return ++asked > 4; });
  test::must(taken <= static_cast<long>(text.size()), "more bytes taken than there were");
  test::must(taken > -4096, "an errno that there is not");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > kMost) return 0;
  test::FakeBackend backend;
  backend.a_packet = 10 * kMillisecond;  // few packets a wait: it is the commands that count
  pktgenfs::Files files{backend, (data[0] & 1U) != 0 ? KernelVersion::k6_1 : KernelVersion::k6_18};
  files.write("kpktgend_0", "add_device eth0\n", [] { return false; });
  std::string_view rest = test::text_of(data + 1, size - 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    write(files, rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const std::string& name : files.names()) {
    test::must(files.read(name).has_value(), "a file that cannot be read");
  }
  return 0;
}
