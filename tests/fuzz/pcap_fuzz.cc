// A capture as traffic: any bytes give a trace whose packets are within the generators' bounds, or
// a message that begins with the file's name.
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "daemon/pcap_reader.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace qdiscsim;

// A file in memory that is written anew for each input.
class MemoryFile {
 public:
  MemoryFile() : file_{memfd_create("capture", 0)} {
    test::must(file_ >= 0, "memfd_create");
    path_ = "/proc/self/fd/" + std::to_string(file_);
  }
  const std::string& path() const { return path_; }

  void fill(const std::uint8_t* data, std::size_t size) {
    test::must(ftruncate(file_, 0) == 0, "ftruncate");
    test::must(pwrite(file_, data, size, 0) == static_cast<ssize_t>(size), "pwrite");
  }

 private:
  int file_;
  std::string path_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  file.fill(data, size);
  const PcapFile capture = read_pcap(file.path(), 1000);
  if (!capture.trace) {
    test::must(capture.error.starts_with(file.path() + ": "), "a message without the file's name");
    return 0;
  }
  const Trace& trace = *capture.trace;
  test::must(!trace.empty() && trace.size() <= 1000, "the number of packets");
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::uint32_t bytes = trace[i].size();
    test::must(bytes >= Trace::kLeastSize && bytes <= Trace::kMostSize, "a packet's size");
    test::must(i == 0 || trace[i].time() >= trace[i - 1].time(), "a step back in time");
  }
  test::must(!describe(file.path(), capture).empty(), "nothing to say of a capture");
  return 0;
}
