#include "config/checks_tap.h"

#include <algorithm>
#include <array>

namespace qdiscsim::config {
namespace {

class Taps {
 public:
  Taps(const Config& config, const Places& places, std::span<const std::string> sources,
       std::vector<Diagnostic>& diagnostics)
      : devices_(config.devices), places_(places), sources_(sources), diagnostics_(diagnostics) {}

  void run() {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (!is_good_tap(i)) continue;
      special_name(i);
      for (std::size_t j = 0; j < i; ++j) {
        if (!is_good_tap(j) || !same_interface(i, j)) continue;
        shared(i, j);
        break;
      }
    }
  }

 private:
  static std::string device(std::size_t i) { return "devices[" + std::to_string(i) + ']'; }
  const Link& link(std::size_t i) const { return devices_[i].link; }
  bool given(std::size_t i) const { return places_.given(device(i) + ".link.interface"); }

  bool is_good_tap(std::size_t i) const {
    return link(i).kind == LinkKind::kTap && places_.good(device(i) + ".link") &&
           places_.good(device(i) + ".name");
  }

  // Devices of one name are told of elsewhere.
  bool same_interface(std::size_t i, std::size_t j) const {
    return link(i).interface == link(j).interface && link(i).netns == link(j).netns &&
           devices_[i].name != devices_[j].name;
  }

  // lo is there already; the others are folders of /proc/sys/net/ipv6/conf.
  void special_name(std::size_t i) {
    constexpr std::array<std::string_view, 3> kTaken{"lo", "all", "default"};
    const std::string& name = link(i).interface;
    if (std::find(kTaken.begin(), kTaken.end(), name) == kTaken.end()) return;
    report(device(i) + (given(i) ? ".link.interface" : ".name"),
           quoted(name) + " cannot be the name of a tap link's interface; choose another one" +
               (given(i) ? "" : ", or set link.interface"));
  }

  void shared(std::size_t i, std::size_t j) {
    report(device(i) + (given(i) ? ".link.interface" : ".link.netns"),
           "interface " + quoted(link(i).interface) + " in namespace " + quoted(link(i).netns) +
               " is that of " + device(j) + " already; choose another one");
  }

  void report(const std::string& key, const std::string& message) {
    const Position at = places_.of(key);
    diagnostics_.push_back({sources_[at.source], at, key, message});
  }

  const std::vector<Device>& devices_;
  const Places& places_;
  std::span<const std::string> sources_;
  std::vector<Diagnostic>& diagnostics_;
};

}  // namespace

void name_taps(Config& config) {
  for (Device& device : config.devices) {
    Link& link = device.link;
    if (link.kind != LinkKind::kTap) continue;
    if (link.interface.empty()) link.interface = device.name;
    if (link.netns.empty()) link.netns = "qdiscsim-" + device.name;
  }
}

void check_taps(const Config& config, const Places& places, std::span<const std::string> sources,
                std::vector<Diagnostic>& diagnostics) {
  Taps(config, places, sources, diagnostics).run();
}

}  // namespace qdiscsim::config
