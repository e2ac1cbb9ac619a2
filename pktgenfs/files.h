// Files: pktgen's control plane, /proc/net/pktgen, as named texts that are read and written:
// pgctrl, one kpktgend_<cpu> a thread, and one file for each device added to a thread. Who mounts
// them, and who may open them, is not decided here.
//
// Threads: any call from any thread. A writer of "start" blocks; others can read and write
// meanwhile. Source: linux net/core/pktgen.c; docs/pktgen-control.md lists every command and the
// differences.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/kernel_version.h"
#include "pktgenfs/backend.h"

namespace qdiscsim::pktgenfs {

class Files {
 public:
  // The backend outlives the files. seed: of the random choices of all jobs.
  explicit Files(Backend& backend, KernelVersion kernel = KernelVersion::k6_18,
                 std::uint64_t seed = 1);
  ~Files();  // stops and releases every job
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  // pgctrl first, then the threads by number, then the devices, each thread's newest first.
  std::vector<std::string> names() const;

  // The whole text, as of now; nothing when there is no such file.
  std::optional<std::string> read(std::string_view name) const;

  // One write() of a command. Bytes taken, or -errno: -ENOENT when there is no such file, else what
  // the kernel would answer. `start` to pgctrl returns when every device has stopped; interrupted()
  // is asked at least every 100 ms whether the writer got a signal, and true stops the devices. The
  // other commands do not call it. What a command answered stands in the file's Result line.
  long write(std::string_view name, std::string_view text,
             const std::function<bool()>& interrupted);

 private:
  class Control;
  std::unique_ptr<Control> control_;
};

}  // namespace qdiscsim::pktgenfs
