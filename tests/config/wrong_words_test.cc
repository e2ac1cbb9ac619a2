// Wrong configurations and exactly what is said about them: words, names, addresses and CPUs.
#include "tests/config/wrong.h"

namespace qdiscsim::config {
namespace {

// clang-format off: one message, one line
const std::vector<Wrong> kWords{
    {"yes instead of true",
     "devices:\n  - {name: eth0, bypass: yes}\n",
     {"c.yaml:2:26: devices[0].bypass: \"yes\" is not true or false; write true; allowed: true or "
      "false"}},
    {"True instead of true",
     "devices: [{name: eth0}]\ngenerators:\n  - {pin: True}\n",
     {"c.yaml:3:11: generators[0].pin: \"True\" is not true or false; write true; allowed: true or "
      "false"}},
    {"a boolean in quotes",
     "devices: [{name: eth0}]\ngenerators:\n  - {pin: \"false\"}\n",
     {"c.yaml:3:11: generators[0].pin: \"false\" is text; write it without quotes; allowed: true "
      "or false"}},
    {"a path that is none from the root",
     "pktgen: {control_fs: pktgen}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:22: pktgen.control_fs: \"pktgen\" does not start with a slash; allowed: an "
      "absolute "
      "path, such as /run/qdiscsim/pktgen"}},
    {"an empty path",
     "pktgen: {control_fs: \"\"}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:22: pktgen.control_fs: \"\" is empty; allowed: an absolute path, such as "
      "/run/qdiscsim/pktgen"}},
    {"a path with a newline",
     "pktgen: {control_fs: \"/run/a\\nb\"}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:22: pktgen.control_fs: \"/run/a?b\" holds a control character; allowed: an "
      "absolute path, such as /run/qdiscsim/pktgen"}},
    {"a path that is too long",
     "pktgen: {control_fs: /" + std::string(1'000, 'x') + "}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:22: pktgen.control_fs: the path has 1001 characters, at most 1000 are possible; "
      "allowed: an absolute path, such as /run/qdiscsim/pktgen"}},
    {"a capture to no file",
     "devices:\n  - {name: eth0, capture: {file: \"\"}}\n",
     {"c.yaml:2:34: devices[0].capture.file: \"\" is empty; allowed: a path of a file, such as "
      "out.pcapng"}},
    {"a capture file with a newline",
     "devices:\n  - {name: eth0, capture: {file: \"a\\nb\"}}\n",
     {"c.yaml:2:34: devices[0].capture.file: \"a?b\" holds a control character; allowed: a path of "
      "a file, such as out.pcapng"}},
    {"a path that is a list",
     "pktgen: {control_fs: [/run]}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:22: pktgen.control_fs: is a list; allowed: an absolute path, such as "
      "/run/qdiscsim/pktgen"}},
    {"an unknown word",
     "devices:\n  - {name: eth0, drain: dedicate}\n",
     {"c.yaml:2:25: devices[0].drain: \"dedicate\" is unknown; allowed: inline or dedicated; did "
      "you mean dedicated?"}},
    {"an unknown word that resembles nothing",
     "devices:\n  - {name: eth0, link: {kind: fast}}\n",
     {"c.yaml:2:31: devices[0].link.kind: \"fast\" is unknown; allowed: dummy, wire, "
      "vhost_net or tap"}},
    {"a ring that does not exist",
     "devices:\n  - {name: eth0, ring: mspc}\n",
     {"c.yaml:2:24: devices[0].ring: \"mspc\" is unknown; allowed: ptr_ring, mpsc, lanes or rte, "
      "or "
      "a map with kind, lock, clear, sync; did you mean mpsc?"}},
    {"a ring's option that its kind does not have",
     "devices: [{name: eth0}]\ngenerators:\n  - {page_pool: {ring: {kind: mpsc, sync: hts}}}\n",
     {"c.yaml:3:43: generators[0].page_pool.ring.sync: has an effect with kind: rte only; remove "
      "it, "
      "or set kind: rte"}},
    {"two options of a ring that exclude each other",
     "devices:\n  - {name: eth0, ring: {lock: mcs, clear: zero_each}}\n",
     {"c.yaml:2:43: devices[0].ring.clear: must be zero_batch with a lock other than test_and_set; "
      "change one of them"}},
    {"a kernel that is not modelled",
     "kernel: 5.10\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:9: kernel: \"5.10\" is unknown; allowed: 6.1 or 6.18"}},
    {"a mix of sizes that has no such name",
     "devices: [{name: eth0}]\ngenerators: [{packet_size: {imix: 7:4:2}}]\n",
     {"c.yaml:2:35: generators[0].packet_size.imix: \"7:4:2\" is unknown; allowed: 7:4:1, 28:16:4 "
      "or "
      "28:20:4, or a list of 1 to 20 maps with size, weight; did you mean 7:4:1?"}},
    {"a bug that no kernel had",
     "devices:\n  - {name: eth0, kernel_bugs: [single_trylok]}\n",
     {"c.yaml:2:32: devices[0].kernel_bugs[0]: \"single_trylok\" is unknown; allowed: "
      "single_trylock, stale_missed, no_drain_state, unlimited_bulk, bypass_reorders, "
      "deactivated_reschedules, reset_before_grace, kept_cpustats or parallel_runs; did you mean "
      "single_trylock?"}},
    {"a bug that is listed twice",
     "devices:\n  - {name: eth0, kernel_bugs: [stale_missed, stale_missed]}\n",
     {"c.yaml:2:46: devices[0].kernel_bugs[1]: \"stale_missed\" is listed twice"}},
    {"a bug alone, not in a list",
     "devices:\n  - {name: eth0, kernel_bugs: stale_missed}\n",
     {"c.yaml:2:31: devices[0].kernel_bugs: \"stale_missed\" is a single value; allowed: a list of "
      "single_trylock, stale_missed, no_drain_state, unlimited_bulk, bypass_reorders, "
      "deactivated_reschedules, reset_before_grace, kept_cpustats or parallel_runs"}},
    {"bugs of the lockless way without it",
     "devices:\n  - {name: eth0, nolock: false, kernel_bugs: [stale_missed]}\n",
     {"c.yaml:2:46: devices[0].kernel_bugs: stale_missed: no effect under the root lock; remove, "
      "or set nolock: true"}},
    {"bugs of the root lock without it",
     "devices:\n  - {name: eth0, kernel_bugs: [parallel_runs, reset_before_grace, "
     "kept_cpustats]}\n",
     {"c.yaml:2:31: devices[0].kernel_bugs: kept_cpustats, parallel_runs: no effect without the "
      "root lock; remove, or set nolock: false"}},
    {"a bug of the locked bypass without it",
     "devices:\n  - {name: eth0, nolock: false, bypass: false, kernel_bugs: [kept_cpustats]}\n",
     {"c.yaml:2:61: devices[0].kernel_bugs: kept_cpustats has no effect without the bypass; remove "
      "it, or set bypass: true and drain: inline"}},
    {"a bug of the bypass without it",
     "devices:\n  - {name: eth0, bypass: false, kernel_bugs: [bypass_reorders]}\n",
     {"c.yaml:2:46: devices[0].kernel_bugs: bypass_reorders has no effect without the bypass; "
      "remove it, or set bypass: true and drain: inline"}},
    {"a bug of bulk dequeue without a byte limit",
     "devices:\n  - {name: eth0, kernel_bugs: [unlimited_bulk]}\n",
     {"c.yaml:2:31: devices[0].kernel_bugs: unlimited_bulk has no effect without a byte limit; "
      "remove it, or set link.kind: wire with bql.enabled: true"}},
    {"a length that the older kernel refuses",
     "kernel: 6.1\ndevices:\n  - {name: eth0, tx_queue_len: 32768}\nmemory: {limit: 1GiB}\n",
     {"c.yaml:3:32: devices[0].tx_queue_len: 32768 is refused by kernel 6.1 with ERANGE; allowed: "
      "1 "
      "to 32767, or set kernel: \"6.18\""}},
    {"a log level in capitals",
     "log: {level: INFO}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:14: log.level: \"INFO\" is unknown; allowed: trace, debug, info, warning or error; "
      "did you mean info?"}},
    {"a name with a blank",
     "devices:\n  - name: eth 0\n",
     {"c.yaml:2:11: devices[0].name: \"eth 0\" holds a character that a name must not have; "
      "allowed: 1 to 15 letters, digits, '_', '.' or '-'"}},
    {"a name that is too long",
     "devices:\n  - name: enp0s31f6np0v12x\n",
     {"c.yaml:2:11: devices[0].name: \"enp0s31f6np0v12x\" has 16 characters; allowed: 1 to 15 "
      "letters, digits, '_', '.' or '-'"}},
    {"an interface with a slash and a namespace that is none",
     "devices:\n  - {name: a, link: {kind: tap, interface: a/b, netns: ..}}\n",
     {"c.yaml:2:44: devices[0].link.interface: \"a/b\" holds a character that a name must not "
      "have; allowed: 1 to 15 letters, digits, '_', '.' or '-'",
      "c.yaml:2:56: devices[0].link.netns: \"..\" is not a name; allowed: 1 to 64 letters, digits, "
      "'_', '.' or '-'"}},
    {"an interface that is too long",
     "devices:\n  - {name: a, link: {kind: tap, interface: a123456789abcdef}}\n",
     {"c.yaml:2:44: devices[0].link.interface: \"a123456789abcdef\" has 16 characters; allowed: 1 "
      "to 15 letters, digits, '_', '.' or '-'"}},
    {"an empty name",
     "devices:\n  - name: \"\"\n",
     {"c.yaml:2:11: devices[0].name: \"\" is empty; allowed: 1 to 15 letters, digits, '_', '.' or "
      "'-'"}},
    {"a name that means a folder",
     "devices:\n  - name: ..\n",
     {"c.yaml:2:11: devices[0].name: \"..\" is not a name; allowed: 1 to 15 letters, digits, '_', "
      "'.' or '-'"}},
    {"an address with a host name",
     "http: {listen: \"localhost:9713\"}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:16: http.listen: \"localhost\" is not an IPv4 address (a host name is not "
      "accepted); allowed: address:port, such as \"127.0.0.1:9713\" or \"[::1]:9713\""}},
    {"an address without a port",
     "http: {listen: 127.0.0.1}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:16: http.listen: \"127.0.0.1\" has no port; allowed: address:port, such as "
      "\"127.0.0.1:9713\" or \"[::1]:9713\""}},
    {"an IPv6 address without brackets",
     "http: {listen: \"::1:9713\"}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:16: http.listen: \"::1:9713\" is an IPv6 address without brackets; allowed: "
      "address:port, such as \"127.0.0.1:9713\" or \"[::1]:9713\""}},
    {"an IPv6 address without a port",
     "http: {listen: \"[::1]\"}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:16: http.listen: \"[::1]\" has no port behind the bracket; allowed: address:port, "
      "such as \"127.0.0.1:9713\" or \"[::1]:9713\""}},
    {"a port that is too high",
     "http: {listen: \"127.0.0.1:70000\"}\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:16: http.listen: port 70000 is above 65535; allowed: address:port, such as "
      "\"127.0.0.1:9713\" or \"[::1]:9713\""}},
    {"an IPv4 address with a part too many",
     "devices: [{name: eth0}]\ngenerators:\n  - {source: 10.0.0.1.2}\n",
     {"c.yaml:3:14: generators[0].source: \"10.0.0.1.2\" is not an IP address; allowed: an IPv4 or "
      "IPv6 address such as 198.18.0.1 or fd00::1, or a map with min, max, random"}},
    {"an IPv4 address out of range",
     "devices: [{name: eth0}]\ngenerators:\n  - {destination: {min: 10.0.0.1, max: 10.0.0.256}}\n",
     {"c.yaml:3:40: generators[0].destination.max: \"10.0.0.256\" is not an IP address; allowed: "
      "an "
      "IPv4 or IPv6 address such as 198.18.0.1 or fd00::1"}},
    {"an IPv6 address with two gaps",
     "devices: [{name: eth0}]\ngenerators:\n  - {source: \"fd00::1::2\"}\n",
     {"c.yaml:3:14: generators[0].source: \"fd00::1::2\" is not an IP address; allowed: an IPv4 or "
      "IPv6 address such as 198.18.0.1 or fd00::1, or a map with min, max, random"}},
    {"a MAC address with dashes, and one that is too short",
     "devices: [{name: eth0}]\ngenerators:\n  - mac_source: 02-00-00-00-00-01\n"
     "    mac_destination: {min: \"02:00:00:00:00\", max: \"02:00:00:00:00:0g\"}\n",
     {"c.yaml:3:17: generators[0].mac_source: \"02-00-00-00-00-01\" is not a MAC address; allowed: "
      "a "
      "MAC address such as 02:00:00:00:00:01, or a map with min, max, random",
      "c.yaml:4:28: generators[0].mac_destination.min: \"02:00:00:00:00\" is not a MAC address; "
      "allowed: a MAC address such as 02:00:00:00:00:01",
      "c.yaml:4:51: generators[0].mac_destination.max: \"02:00:00:00:00:0g\" is not a MAC address; "
      "allowed: a MAC address such as 02:00:00:00:00:01"}},
    {"a CPU that does not exist",
     "devices: [{name: eth0}]\ngenerators:\n  - {cpus: [0, 7]}\n",
     {"c.yaml:3:16: generators[0].cpus[1]: CPU 7 does not exist; allowed: CPUs 0-1"}},
    {"a CPU that this process may not use",
     "devices: [{name: eth0}]\ngenerators:\n  - {cpus: [2]}\n",
     {"c.yaml:3:13: generators[0].cpus[0]: CPU 2 is closed to this process (see taskset, cpuset); "
      "allowed: CPUs 0-1"}},
    {"a CPU that is listed twice",
     "devices: [{name: eth0}]\ngenerators:\n  - {cpus: [1, 1]}\n",
     {"c.yaml:3:16: generators[0].cpus[1]: CPU 1 is listed twice"}},
    {"a CPU list that is a number",
     "devices: [{name: eth0}]\ngenerators:\n  - {cpus: 1}\n",
     {"c.yaml:3:12: generators[0].cpus: \"1\" is a single value; allowed: a list of CPU numbers "
      "such as [0, 1]"}},
    {"a CPU that is a word",
     "devices: [{name: eth0}]\ngenerators:\n  - {cpus: [all]}\n",
     {"c.yaml:3:13: generators[0].cpus[0]: \"all\" is not a whole number; allowed: CPUs 0-1"}},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(Word, WrongConfiguration, testing::ValuesIn(kWords), name_of);

}  // namespace
}  // namespace qdiscsim::config
