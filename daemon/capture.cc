#include "daemon/capture.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <utility>

#include "config/units.h"
#include "daemon/generator_thread.h"
#include "daemon/source.h"
#include "daemon/version.h"

namespace qdiscsim {
namespace {

using Smp = Capture::Smp;

constexpr std::size_t kBatch = 64;
constexpr Nanoseconds kFlushPeriod = kSecond;
// An idle writer looks again after the shortest nap, and each time after twice the one before.
constexpr Nanoseconds kShortestNap = 50 * kMicrosecond;
constexpr Nanoseconds kLongestNap = kMillisecond;
constexpr std::array<std::string_view, kBandCount> kComments{"band 0", "band 1", "band 2"};

CaptureBufferOptions buffer_options(const CaptureOptions& options) {
  const std::size_t record = sizeof(CaptureRecord) + options.snaplen;
  const std::size_t records = std::max<std::size_t>(Capture::kBytesOfCpu / record, 64);
  return {options.cpus, options.queues, options.snaplen, static_cast<std::uint32_t>(records)};
}

CaptureFile open_file(const CaptureOptions& options) try {
  return CaptureFile{options.file};
} catch (const std::runtime_error& error) {
  throw UnusableConfiguration{"device " + options.device + ": capture.file: " + error.what()};
}

Nanoseconds wall_offset() noexcept {
  timespec wall{};
  clock_gettime(CLOCK_REALTIME, &wall);
  return static_cast<Nanoseconds>(wall.tv_sec) * kSecond + static_cast<Nanoseconds>(wall.tv_nsec) -
         Smp::now();
}

}  // namespace

Capture::Capture(const CaptureOptions& options)
    : options_{options},
      buffer_{buffer_options(options)},
      file_{open_file(options)},
      wall_offset_{wall_offset()},
      packets_of_queue_(options.queues) {
  pcapng::section_header(block_, std::string{"qdiscsimd "} + kVersion);
  for (std::uint32_t queue = 0; queue < options.queues; ++queue) {
    const std::string number = std::to_string(queue);
    pcapng::interface_description(block_, {.name = options.device + " queue " + number,
                                           .description = "what tx queue " + number + " of " +
                                                          options.device + " handed to its link",
                                           .snaplen = options.snaplen});
  }
  file_.write(block_);
  file_.flush();
  show();
}

void Capture::start() {
  thread_ = std::thread{[this] { write_loop(); }};
  dress_thread(thread_, options_.device + "/capture", {});
}

void Capture::stop() {
  ending_.store(true, smp::relaxed);
  if (thread_.joinable()) thread_.join();
  while (!finished_ && write_some() != 0) {
  }
  finish({});
}

void Capture::write_loop() noexcept {
  Nanoseconds nap = kShortestNap;
  Nanoseconds flush_at = Smp::now() + kFlushPeriod;
  while (!finished_ && !ending_.load(smp::relaxed)) {
    const std::size_t records = write_some();
    if (records == 0 && file_.dirty()) flush();
    if (const Nanoseconds now = Smp::now(); now >= flush_at) {
      flush();
      flush_at = now + kFlushPeriod;
    }
    if (records != 0) {
      nap = kShortestNap;
    } else {
      Smp::sleep(nap);
      nap = std::min(2 * nap, kLongestNap);
    }
  }
}

std::size_t Capture::write_some() {
  std::array<CaptureRecord*, kBatch> records;
  const std::size_t count = buffer_.take(std::span{records});
  for (CaptureRecord* record : std::span{records}.first(count)) {
    if (!finished_) write_packet(*record);
    buffer_.give_back(record);
  }
  return count;
}

void Capture::write_packet(const CaptureRecord& record) {
  block_.clear();
  pcapng::enhanced_packet(block_, {.interface = record.queue,
                                   .time = record.time + wall_offset_,
                                   .length = record.length,
                                   .bytes = record.content(),
                                   .comment = kComments[record.band]});
  if (would_pass_limit(block_.size())) {
    finish("the limit of " +
           config::format_quantity(options_.limit_bytes, config::Quantity::kSize) + " is reached");
    return;
  }
  if (!file_.write(block_)) {
    finish({});
    return;
  }
  ++packets_;
  ++packets_of_queue_[record.queue];
  if (packets_ == options_.packets) {
    finish("the limit of " + std::to_string(packets_) + " packets is reached");
  }
}

// The statistics at the end belong to the file, too.
bool Capture::would_pass_limit(std::size_t next_bytes) const noexcept {
  constexpr std::size_t kStatistics = 52;
  return file_.size() + next_bytes + kStatistics * options_.queues > options_.limit_bytes;
}

void Capture::flush() {
  if (file_.flush()) {
    show();
  } else {
    finish({});
  }
}

void Capture::finish(const std::string& why) {
  if (finished_) return;
  finished_ = true;
  buffer_.close();
  block_.clear();
  for (std::uint32_t queue = 0; queue < options_.queues; ++queue) {
    const std::uint64_t missed = buffer_.missed(static_cast<std::uint16_t>(queue));
    pcapng::interface_statistics(block_, {.interface = queue,
                                          .time = Smp::now() + wall_offset_,
                                          .received = packets_of_queue_[queue] + missed,
                                          .missed = missed});
  }
  file_.write(block_);
  file_.close();
  show();
  running_.store(false, smp::relaxed);
  const std::string file =
      std::to_string(shown_packets_.load(smp::relaxed)) + " packets are in " + options_.file;
  if (const int error = file_.error(); error != 0) {
    tell("cannot be written any more: " + std::string{std::strerror(error)} + "; " + file +
         "; the device goes on without, restart to capture again");
  } else if (!why.empty()) {
    tell(why + ": closed, " + file);
  }
}

void Capture::show() noexcept {
  error_.store(file_.error(), smp::relaxed);
  shown_packets_.store(packets_ - file_.lost_packets(), smp::relaxed);
  shown_bytes_.store(file_.size(), smp::relaxed);
}

void Capture::tell(std::string line) {
  const std::lock_guard guard{news_mutex_};
  news_.push_back(options_.device + ": capture: " + std::move(line));
}

CaptureSnapshot Capture::read() const {
  CaptureSnapshot out;
  out.file = options_.file;
  out.packets = shown_packets_.load(smp::relaxed);
  out.bytes = shown_bytes_.load(smp::relaxed);
  for (std::uint32_t queue = 0; queue < options_.queues; ++queue) {
    out.missed += buffer_.missed(static_cast<std::uint16_t>(queue));
  }
  out.running = running_.load(smp::relaxed);
  if (const int error = error_.load(smp::relaxed); error != 0) {
    out.error = std::strerror(error);
  }
  return out;
}

std::vector<std::string> Capture::news() {
  if (!told_of_missed_ && read().missed != 0) {
    told_of_missed_ = true;
    tell("packets are missing from " + options_.file +
         ": the writer is slower than the device; send slower, or set capture.snaplen "
         "(qdiscsim_capture_missed_packets_total counts them)");
  }
  const std::lock_guard guard{news_mutex_};
  return std::exchange(news_, {});
}

}  // namespace qdiscsim
