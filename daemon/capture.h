// Capture: what leaves through a device's link, in a pcapng file, written by a thread of its own.
//
// One interface of the file is one tx queue, `eth0 queue 0`; a packet's comment is its band, as
// `band 1`: that of its priority, whether it waited in the band, passed it or was sent by
// start_xmit. Its time is when it was handed to the link. Packets that the writer had no room for
// are missing from the file, and counted: in the file too, in the statistics at its end.
//
// The file is complete up to the last second at any time. At its limit, or when it cannot be
// written, the capture ends, and the device goes on without.
//
// Threads: start(), stop() and news() from the control thread; read() from any. Senders rest when
// stop() is called.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/smp_native.h"
#include "daemon/capture_file.h"
#include "daemon/pcapng.h"
#include "daemon/snapshot.h"
#include "qdisc/capture_buffer.h"

namespace qdiscsim {

struct CaptureOptions {
  std::string device;
  std::string file;
  std::uint64_t limit_bytes = 64ULL << 20U;  // of the file
  std::uint64_t packets = 0;                 // 0 = no such limit
  std::uint32_t snaplen = 3'584;             // bytes of a packet, at least 16
  std::uint32_t queues = 1;
  std::uint32_t cpus = 1;  // how many CPU numbers exist
};

class Capture {
 public:
  using Smp = smp::Native;

  // Packets that one CPU may be ahead of the writer; more of them when they are cut shorter.
  static constexpr std::size_t kBytesOfCpu = std::size_t{4} << 20U;

  // Creates the file. Throws UnusableConfiguration, std::bad_alloc.
  explicit Capture(const CaptureOptions& options);
  ~Capture() { stop(); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  // For the device's link (qdisc/capture_link.h).
  CaptureBuffer<Smp>& buffer() noexcept { return buffer_; }

  // Throws std::system_error.
  void start();
  // Writes what is left and closes the file. A second call does nothing.
  void stop();

  CaptureSnapshot read() const;
  // Lines to log, each told once; mostly none.
  std::vector<std::string> news();

 private:
  void write_loop() noexcept;
  // Returns how many records there were.
  std::size_t write_some();
  void write_packet(const CaptureRecord& record);
  bool would_pass_limit(std::size_t next_bytes) const noexcept;
  void flush();
  // Statistics, and the file's end. `why`: to log; empty at a regular stop.
  void finish(const std::string& why);
  void show() noexcept;
  void tell(std::string line);

  CaptureOptions options_;
  CaptureBuffer<Smp> buffer_;
  CaptureFile file_;
  Nanoseconds wall_offset_;  // time since 1970 minus Smp::now()
  // The writer's own, the control thread's before start() and after the thread ended.
  pcapng::Bytes block_;
  std::vector<std::uint64_t> packets_of_queue_;
  std::uint64_t packets_ = 0;
  bool finished_ = false;

  // For readers; written by the writer when the file was flushed.
  Smp::atomic<std::uint64_t> shown_packets_{0};
  Smp::atomic<std::uint64_t> shown_bytes_{0};
  Smp::atomic<bool> running_{true};
  Smp::atomic<int> error_{0};  // errno

  Smp::atomic<bool> ending_{false};  // relaxed: stop() looks for the rest itself
  std::mutex news_mutex_;
  std::vector<std::string> news_;
  bool told_of_missed_ = false;  // control thread
  std::thread thread_;
};

}  // namespace qdiscsim
