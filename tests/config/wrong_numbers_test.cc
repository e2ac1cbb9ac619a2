// Wrong configurations and exactly what is said about them: numbers.
#include "tests/config/wrong.h"

namespace qdiscsim::config {
namespace {

// clang-format off: one message, one line
const std::vector<Wrong> kNumbers{
    {"a leading zero",
     "devices:\n  - {name: eth0, queues: 010}\n",
     {"c.yaml:2:26: devices[0].queues: \"010\" has a leading zero; write 10; allowed: 1 to 64"}},
    {"a hexadecimal number",
     "devices:\n  - {name: eth0, tx_queue_len: 0x10}\n",
     {"c.yaml:2:32: devices[0].tx_queue_len: \"0x10\" is not decimal; write 16; allowed: 1 to "
      "65536"}},
    {"an octal number",
     "devices:\n  - {name: eth0, queues: 0o10}\n",
     {"c.yaml:2:26: devices[0].queues: \"0o10\" is not decimal; write 8; allowed: 1 to 64"}},
    {"a binary number",
     "devices:\n  - {name: eth0, queues: 0b11}\n",
     {"c.yaml:2:26: devices[0].queues: \"0b11\" is not decimal; write 3; allowed: 1 to 64"}},
    {"an exponent",
     "devices:\n  - {name: eth0, tx_queue_len: 1e3}\n",
     {"c.yaml:2:32: devices[0].tx_queue_len: \"1e3\" is not written as a whole number; write 1000; "
      "allowed: 1 to 65536"}},
    {"digit separators",
     "devices:\n  - {name: eth0, tx_queue_len: 1_000}\n",
     {"c.yaml:2:32: devices[0].tx_queue_len: \"1_000\" has digit separators; write 1000; allowed: "
      "1 to 65536"}},
    {"a decimal point",
     "devices:\n  - {name: eth0, queues: 2.0}\n",
     {"c.yaml:2:26: devices[0].queues: \"2.0\" is not written as a whole number; write 2; allowed: "
      "1 to 64"}},
    {"a fraction",
     "devices:\n  - {name: eth0, queues: 1.5}\n",
     {"c.yaml:2:26: devices[0].queues: \"1.5\" is not a whole number; allowed: 1 to 64"}},
    {"a plus sign",
     "devices:\n  - {name: eth0, queues: +2}\n",
     {"c.yaml:2:26: devices[0].queues: \"+2\" has a sign; write 2; allowed: 1 to 64"}},
    {"a negative number",
     "devices:\n  - {name: eth0, queues: -1}\n",
     {"c.yaml:2:26: devices[0].queues: \"-1\" is negative; allowed: 1 to 64"}},
    {"a word instead of a number",
     "devices:\n  - {name: eth0, queues: two}\n",
     {"c.yaml:2:26: devices[0].queues: \"two\" is not a whole number; allowed: 1 to 64"}},
    {"a number in quotes",
     "devices:\n  - {name: eth0, queues: \"2\"}\n",
     {"c.yaml:2:26: devices[0].queues: \"2\" is text; write it without quotes; allowed: 1 to 64"}},
    {"a number without a value",
     "devices:\n  - {name: eth0, queues: }\n",
     {"c.yaml:2:18: devices[0].queues: has no value; allowed: 1 to 64"}},
    {"a list instead of a number",
     "devices:\n  - {name: eth0, queues: [2]}\n",
     {"c.yaml:2:26: devices[0].queues: is a list; allowed: 1 to 64"}},
    {"a map instead of a number",
     "devices:\n  - {name: eth0, queues: {a: 1}}\n",
     {"c.yaml:2:26: devices[0].queues: is a map; allowed: 1 to 64"}},
    {"a number that no computer counts to",
     "seed: 18446744073709551616\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:7: seed: \"18446744073709551616\" is too large to count; allowed: 0 to "
      "18446744073709551615"}},
    {"too few queues",
     "devices:\n  - {name: eth0, queues: 0}\n",
     {"c.yaml:2:26: devices[0].queues: 0 is too small; allowed: 1 to 64"}},
    {"too many queues",
     "devices:\n  - {name: eth0, queues: 65}\n",
     {"c.yaml:2:26: devices[0].queues: 65 is too large; allowed: 1 to 64"}},
    {"a queue that is too long",
     "devices:\n  - {name: eth0, tx_queue_len: 65537}\n",
     {"c.yaml:2:32: devices[0].tx_queue_len: 65537 is too large; allowed: 1 to 65536"}},
    {"a driver ring that is too small",
     "devices:\n  - link: {kind: wire, ring: 4}\n",
     {"c.yaml:2:30: devices[0].link.ring: 4 is too small; allowed: 8 to 32768"}},
    {"too many threads",
     "devices: [{name: eth0}]\ngenerators:\n  - {threads: 129}\n",
     {"c.yaml:3:15: generators[0].threads: 129 is too large; allowed: 1 to 128"}},
    {"a capture that is too small for its headers",
     "devices:\n  - {name: eth0, capture: {file: a, limit: 15KiB}}\n",
     {"c.yaml:2:44: devices[0].capture.limit: 15KiB is too small; allowed: 16KiB to 1TiB"}},
    {"a capture of too little of a packet",
     "devices:\n  - {name: eth0, capture: {file: a, snaplen: 63}}\n",
     {"c.yaml:2:46: devices[0].capture.snaplen: 63 is too small; allowed: 64 to 3584"}},
    {"a capture of more than a packet",
     "devices:\n  - {name: eth0, capture: {file: a, snaplen: 3585}}\n",
     {"c.yaml:2:46: devices[0].capture.snaplen: 3585 is too large; allowed: 64 to 3584"}},
    {"a packet that is too small",
     "devices: [{name: eth0}]\ngenerators:\n  - {packet_size: 41}\n",
     {"c.yaml:3:19: generators[0].packet_size: 41 is too small (one page holds one packet); "
      "allowed: 42 to 3500, or a map with min, max, random, imix"}},
    {"a packet that no page holds",
     "devices: [{name: eth0}]\ngenerators:\n  - {packet_size: 9000}\n",
     {"c.yaml:3:19: generators[0].packet_size: 9000 is too large (one page holds one packet); "
      "allowed: 42 to 3500, or a map with min, max, random, imix"}},
    {"a packet range beyond a page",
     "devices: [{name: eth0}]\ngenerators:\n  - {packet_size: {min: 60, max: 3501}}\n",
     {"c.yaml:3:34: generators[0].packet_size.max: 3501 is too large (one page holds one packet); "
      "allowed: 42 to 3500"}},
    {"a mix with a packet that is too small",
     R"(devices: [{name: eth0}]
generators:
  - {packet_size: {imix: [{size: 60}, {size: 10, weight: 3}]}}
)",
     {"c.yaml:3:46: generators[0].packet_size.imix[1].size: 10 is too small (one page holds one "
      "packet); allowed: 42 to 3500"}},
    {"an empty mix",
     "devices: [{name: eth0}]\ngenerators:\n  - {packet_size: {imix: []}}\n",
     {"c.yaml:3:26: generators[0].packet_size.imix: has 0 entries; allowed: 7:4:1, 28:16:4 or "
      "28:20:4, or a list of 1 to 20 maps with size, weight"}},
    {"a weight of zero",
     "devices: [{name: eth0}]\ngenerators:\n  - {priority: [{priority: 6, weight: 0}]}\n",
     {"c.yaml:3:39: generators[0].priority[0].weight: 0 is too small; allowed: 1 to 1000000"}},
    {"a priority that is a word",
     "devices: [{name: eth0}]\ngenerators:\n  - {priority: high}\n",
     {"c.yaml:3:16: generators[0].priority: \"high\" is not a whole number; allowed: 0 to "
      "4294967295, or a list of 1 to 16 maps with priority, weight"}},
    {"a type of service above a byte",
     "devices: [{name: eth0}]\ngenerators:\n  - {tos: 256}\n",
     {"c.yaml:3:11: generators[0].tos: 256 is too large; allowed: 0 to 255"}},
    {"a leak of nothing",
     "devices: [{name: eth0}]\ngenerators:\n  - {leak: {every: 10, at_most: 0}}\n",
     {"c.yaml:3:33: generators[0].leak.at_most: 0 is too small; allowed: 1 to 1000000"}},
    {"a leak that is a number",
     "devices: [{name: eth0}]\ngenerators:\n  - {leak: 10}\n",
     {"c.yaml:3:12: generators[0].leak: \"10\" is a single value; allowed: a map with every, "
      "at_most"}},
    {"a port above 65535",
     "devices: [{name: eth0}]\ngenerators:\n  - {udp_source: 65536}\n",
     {"c.yaml:3:18: generators[0].udp_source: 65536 is too large; allowed: 0 to 65535, or a map "
      "with min, max, random"}},
    {"a size without a unit",
     "memory: {limit: 48}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:17: memory.limit: \"48\" has no unit; the units are B, kB, KiB, MB, MiB, GB, GiB, "
      "TB or TiB; allowed: 1MiB to 1TiB"}},
    {"a size in the wrong letter case",
     "memory: {limit: 48mib}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:17: memory.limit: \"48mib\" has the unknown unit \"mib\"; the units are B, kB, "
      "KiB, MB, MiB, GB, GiB, TB or TiB; allowed: 1MiB to 1TiB; did you mean MiB?"}},
    {"a size below the range",
     "memory: {limit: 512KiB}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:17: memory.limit: 512KiB is too small; allowed: 1MiB to 1TiB"}},
    {"a rate without a unit",
     "devices:\n  - link: {kind: wire, rate: 1000}\n",
     {"c.yaml:2:30: devices[0].link.rate: \"1000\" has no unit; the units are bit, kbit, Mbit, "
      "Gbit or Tbit; allowed: 1kbit to 1Tbit"}},
    {"a rate with an unknown unit",
     "devices:\n  - link: {kind: wire, rate: 1Gbps}\n",
     {"c.yaml:2:30: devices[0].link.rate: \"1Gbps\" has the unknown unit \"Gbps\"; the units are "
      "bit, kbit, Mbit, Gbit or Tbit; allowed: 1kbit to 1Tbit; did you mean Gbit?"}},
    {"a rate above the range",
     "devices:\n  - link: {kind: wire, rate: 1.5Tbit}\n",
     {"c.yaml:2:30: devices[0].link.rate: 1.5Tbit is too large; allowed: 1kbit to 1Tbit"}},
    {"a rate that is not whole",
     "devices: [{name: eth0}]\ngenerators:\n  - {ratep: 0.5pps}\n",
     {"c.yaml:3:13: generators[0].ratep: \"0.5pps\" is not a whole number of pps; allowed: 1pps to "
      "1000Gpps"}},
    {"a rate of zero",
     "devices: [{name: eth0}]\ngenerators:\n  - {ratep: 0}\n",
     {"c.yaml:3:13: generators[0].ratep: 0 is too small (leave the key out for no limit); allowed: "
      "1pps to 1000Gpps"}},
    {"a rate with a negative sign",
     "devices: [{name: eth0}]\ngenerators:\n  - {rate: -1Gbit}\n",
     {"c.yaml:3:12: generators[0].rate: \"-1Gbit\" is negative; allowed: 1kbit to 1Tbit"}},
    {"a duration without a unit",
     "duration: 10\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:11: duration: \"10\" has no unit; the units are ns, us, ms, s, min or h; allowed: "
      "0s to 8760h"}},
    {"a delay with digits missing",
     "devices: [{name: eth0}]\ngenerators:\n  - {delay: 1.us}\n",
     {"c.yaml:3:13: generators[0].delay: \"1.us\" has no digit after the point; allowed: 1ns to "
      "1h"}},
    {"a size with a leading zero",
     "memory: {limit: 064MiB}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:17: memory.limit: \"064MiB\" has a leading zero; write 64MiB; allowed: 1MiB to "
      "1TiB"}},
    {"a quantity that overflows",
     "memory: {limit: 99999999999TiB}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:17: memory.limit: \"99999999999TiB\" is too large to count; allowed: 1MiB to "
      "1TiB"}},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(Number, WrongConfiguration, testing::ValuesIn(kNumbers), name_of);

}  // namespace
}  // namespace qdiscsim::config
