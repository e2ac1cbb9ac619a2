// Wrong configurations and exactly what is said about them: what the packets consist of.
#include "tests/config/wrong.h"

namespace qdiscsim::config {
namespace {

// clang-format off: one message, one line
const std::vector<Wrong> kFrames{
    {"a source of the other family",
     "devices: [{name: eth0}]\ngenerators:\n  - {source: fd00::1}\n",
     {"c.yaml:3:14: generators[0].source: fd00::1 is an IPv6 address, and the default of "
      "destination, "
      "198.18.0.42, is none; write both in one family"}},
    {"a destination of the other family",
     "devices: [{name: eth0}]\ngenerators:\n  - {source: fd00::1, destination: 10.0.0.1}\n",
     {"c.yaml:3:36: generators[0].destination: 10.0.0.1 is an IPv4 address, and the source, "
      "fd00::1, "
      "is none; write both in one family"}},
    {"a range over two families",
     "devices: [{name: eth0}]\ngenerators:\n  - {source: {min: 10.0.0.1, max: fd00::1}}\n",
     {"c.yaml:3:35: generators[0].source.max: fd00::1 is an IPv6 address, and min is an IPv4 "
      "address; "
      "write both in one family"}},
    {"an IPv6 range with its ends swapped",
     "devices: [{name: eth0}]\ngenerators:\n"
     "  - {source: {min: fd00::2, max: fd00::1}, destination: fd00::1}\n",
     {"c.yaml:3:20: generators[0].source.min: min fd00::2 is above max fd00::1"}},
    {"an IPv6 range that is too long",
     "devices: [{name: eth0}]\ngenerators:\n"
     "  - {source: fd00::1, destination: {min: fd00::1, max: fd00::1:0:0}}\n",
     {"c.yaml:3:56: generators[0].destination.max: fd00::1:0:0 differs from min in its first 96 "
      "bits; "
      "allowed: a range over the last 32"}},
    {"a traffic class without IPv6",
     "devices: [{name: eth0}]\ngenerators:\n  - {traffic_class: 184}\n",
     {"c.yaml:3:21: generators[0].traffic_class: has no effect on IPv4; set tos, or IPv6 addresses "
      "as "
      "source and destination"}},
    {"a TOS with IPv6",
     "devices: [{name: eth0}]\ngenerators:\n"
     "  - {source: fd00::1, destination: fd00::2, tos: 16}\n",
     {"c.yaml:3:50: generators[0].tos: has no effect on IPv6; set traffic_class, or remove it"}},
    {"a range of MAC addresses with its ends swapped",
     "devices: [{name: eth0}]\ngenerators:\n"
     "  - mac_source: {min: \"02:00:00:00:00:02\", max: \"02:00:00:00:00:01\"}\n",
     {"c.yaml:3:23: generators[0].mac_source.min: min 02:00:00:00:00:02 is above max "
      "02:00:00:00:00:01"}},
    {"a range of MAC addresses that is too long",
     "devices: [{name: eth0}]\ngenerators:\n"
     "  - mac_destination: {min: \"02:00:00:00:00:02\", max: \"02:01:00:00:00:01\"}\n",
     {"c.yaml:3:54: generators[0].mac_destination.max: 02:01:00:00:00:01 differs from min in its "
      "first two bytes; allowed: a range over the last four"}},
    {"a range of MAC addresses with one end",
     "devices: [{name: eth0}]\ngenerators:\n  - mac_source: {min: \"02:00:00:00:00:02\"}\n",
     {"c.yaml:3:17: generators[0].mac_source: a range needs both min and max"}},
    {"a tag that is none",
     "devices: [{name: eth0}]\ngenerators:\n  - {vlan: 4096}\n",
     {"c.yaml:3:12: generators[0].vlan: 4096 is too large; allowed: 0 to 4095, or a map with id, "
      "priority, cfi"}},
    {"a tag without an id",
     "devices: [{name: eth0}]\ngenerators:\n  - {vlan: {priority: 8}}\n",
     {"c.yaml:3:12: generators[0].vlan: a tag needs an id",
      "c.yaml:3:23: generators[0].vlan.priority: 8 is too large; allowed: 0 to 7"}},
    {"a service tag alone",
     "devices: [{name: eth0}]\ngenerators:\n  - {svlan: 7}\n",
     {"c.yaml:3:13: generators[0].svlan: is the outer one of two tags; set vlan too, or in its "
      "place"}},
    {"labels that are none",
     "devices: [{name: eth0}]\ngenerators:\n"
     "  - {mpls: [{label: 1048576}, {ttl: 256}, 7]}\n  - {name: b, mpls: []}\n",
     {"c.yaml:3:21: generators[0].mpls[0].label: 1048576 is too large; allowed: 0 to 1048575",
      "c.yaml:3:37: generators[0].mpls[1].ttl: 256 is too large; allowed: 0 to 255",
      "c.yaml:3:43: generators[0].mpls[2]: \"7\" is a single value; allowed: a map with label, "
      "traffic_class, ttl",
      "c.yaml:4:21: generators[1].mpls: has 0 entries; allowed: 0 to 1048575, or a list of 1 to 16 "
      "maps with label, traffic_class, ttl"}},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(Frame, WrongConfiguration, testing::ValuesIn(kFrames), name_of);

}  // namespace
}  // namespace qdiscsim::config
