#include "config/frame_rules.h"

#include <initializer_list>

#include "config/addresses.h"

namespace qdiscsim::config {
namespace {

std::string family(const IpAddress& address) {
  return address.v6 ? "an IPv6 address" : "an IPv4 address";
}

class FrameRules {
 public:
  FrameRules(const GeneratorGroup& group, const Places& places, const std::string& prefix)
      : group_{group}, places_{places}, prefix_{prefix} {}

  std::vector<Complaint> run() {
    range("source", group_.source);
    range("destination", group_.destination);
    macs("mac_source", group_.mac_source);
    macs("mac_destination", group_.mac_destination);
    if (complaints_.empty()) families();
    tags();
    return std::move(complaints_);
  }

 private:
  void range(const std::string& key, const AddressRange& range) {
    const std::string min = key + ".min";
    const std::string max = key + ".max";
    if (!whole_range(key, min, max)) return;
    if (range.min.v6 != range.max.v6) {
      report(max, address_text(range.max) + " is " + family(range.max) + ", and min is " +
                      family(range.min) + "; write both in one family");
    } else if (range.min > range.max) {
      report(min, "min " + address_text(range.min) + " is above max " + address_text(range.max));
    } else if (range.min.high != range.max.high || range.min.low >> 32U != range.max.low >> 32U) {
      report(max, address_text(range.max) +
                      " differs from min in its first 96 bits; allowed: a range over the last 32");
    }
  }

  void macs(const std::string& key, const MacRange& range) {
    const std::string min = key + ".min";
    const std::string max = key + ".max";
    if (!whole_range(key, min, max)) return;
    if (range.min > range.max) {
      report(min, "min " + mac_text(range.min) + " is above max " + mac_text(range.max));
    } else if (range.min >> 32U != range.max >> 32U) {
      report(max, mac_text(range.max) +
                      " differs from min in its first two bytes; allowed: a range over the last "
                      "four");
    }
  }

  // Both ends of it are there, and good.
  bool whole_range(const std::string& key, const std::string& min, const std::string& max) {
    if (!places_.is_map(prefix_ + key)) return false;
    if (given(min) && given(max)) return good({min, max});
    report(key, "a range needs both min and max");
    return false;
  }

  void families() {
    if (!good({"source", "destination"})) return;
    const bool v6 = group_.source.min.v6;
    if (v6 != group_.destination.min.v6) {
      const bool both = given("source") && given("destination");
      const bool at_source = !given("destination");
      const IpAddress& here = at_source ? group_.source.min : group_.destination.min;
      const IpAddress& there = at_source ? group_.destination.min : group_.source.min;
      report(at_source ? "source" : "destination",
             address_text(here) + " is " + family(here) + ", and the " +
                 (both ? "" : "default of ") + (at_source ? "destination" : "source") + ", " +
                 address_text(there) + ", is none; write both in one family");
      return;
    }
    if (v6 && group_.tos != 0 && good({"tos"})) {
      report("tos", "has no effect on IPv6; set traffic_class, or remove it");
    }
    if (!v6 && group_.traffic_class != 0 && good({"traffic_class"})) {
      report("traffic_class",
             "has no effect on IPv4; set tos, or IPv6 addresses as source and destination");
    }
  }

  void tags() {
    for (const char* key : {"vlan", "svlan"}) {
      const std::string id = std::string{key} + ".id";
      if (places_.is_map(prefix_ + key) && !given(id)) report(key, "a tag needs an id");
    }
    if (given("svlan") && !given("vlan")) {
      report("svlan", "is the outer one of two tags; set vlan too, or in its place");
    }
  }

  bool given(const std::string& key) const { return places_.given(prefix_ + key); }
  bool good(std::initializer_list<std::string> keys) const {
    for (const std::string& key : keys) {
      if (!places_.good(prefix_ + key)) return false;
    }
    return true;
  }
  void report(std::string key, std::string message) {
    complaints_.push_back({std::move(key), std::move(message)});
  }

  const GeneratorGroup& group_;
  const Places& places_;
  const std::string& prefix_;
  std::vector<Complaint> complaints_;
};

}  // namespace

std::vector<Complaint> frame_complaints(const GeneratorGroup& group, const Places& places,
                                        const std::string& prefix) {
  return FrameRules{group, places, prefix}.run();
}

}  // namespace qdiscsim::config
