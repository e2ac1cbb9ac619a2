#include "daemon/pcap_loader.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace qdiscsim {
namespace {

// What keeps a capture that was read from being replayed like this; empty when nothing does.
std::string cannot_replay(const config::CapturedTraffic& traffic, const PcapFile& capture) {
  if (traffic.speed.kind != config::SpeedKind::kFactor) return {};
  if (capture.beyond != 0) {
    return fmt::format(
        "{}: packet {} comes more than 90 days after the first: a clock was set meanwhile; cut the "
        "capture there (editcap -r IN OUT 1-{}), or set speed to max or a packet rate",
        traffic.pcap, capture.beyond, capture.beyond - 1);
  }
  if (traffic.loop && capture.trace->period() == 0) {
    return fmt::format(
        "{}: no time passes between its packets, so that a loop would never wait; set speed to max "
        "or a packet rate, or loop: false",
        traffic.pcap);
  }
  return {};
}

// A capture that is written takes the place of the file, whatever it holds. Empty when none would.
std::string overwritten(const config::CapturedTraffic& traffic,
                        const std::vector<config::Device>& devices) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::error_code none;  // most likely the one that is to be written does not exist yet
    if (devices[i].capture.file.empty() ||
        !std::filesystem::equivalent(traffic.pcap, devices[i].capture.file, none)) {
      continue;
    }
    return fmt::format(
        "{}: is also devices[{}].capture.file, which would overwrite it; choose "
        "another file there",
        traffic.pcap, i);
  }
  return {};
}

}  // namespace

const PcapFile& PcapLoader::read(const std::string& path, std::map<std::string, PcapFile>& now) {
  if (const auto found = now.find(path); found != now.end()) return found->second;
  std::function<void(std::uint64_t, std::uint64_t)> progress;
  if (progress_) {
    progress = [&](std::uint64_t done, std::uint64_t all) {
      progress_(fmt::format("reading {}: {}%", path, 100 * done / all));
    };
  }
  PcapFile capture = read_pcap(path, Trace::kMostPackets, progress);
  if (const auto before = known_.find(path); capture.trace != nullptr && before != known_.end() &&
                                             *before->second.trace == *capture.trace) {
    capture.trace = before->second.trace;
  }
  if (capture.trace != nullptr) {
    for (std::string& line : describe(path, capture)) notes_.push_back(std::move(line));
  }
  return now.emplace(path, std::move(capture)).first->second;
}

void PcapLoader::load(config::Result& result) {
  notes_.clear();
  if (!result) return;
  std::map<std::string, PcapFile> now;
  for (const config::NamedCapture& named : result.captures) {
    config::CapturedTraffic& traffic = result.config->generators[named.generator].traffic;
    std::string error = overwritten(traffic, result.config->devices);
    if (error.empty()) {
      const PcapFile& capture = read(traffic.pcap, now);
      traffic.trace = capture.trace;
      error = capture.error.empty() ? cannot_replay(traffic, capture) : capture.error;
    }
    if (error.empty()) continue;
    config::Diagnostic diagnostic = named.place;
    diagnostic.message = std::move(error);
    result.diagnostics.push_back(std::move(diagnostic));
  }
  if (result.diagnostics.empty()) {
    known_ = std::move(now);
    return;
  }
  config::sort(result.diagnostics);
  result.config.reset();
  result.exit_code = config::kExitConfig;
}

}  // namespace qdiscsim
