// Wrong configurations and exactly what is said about them: the shape of the document.
#include "tests/config/wrong.h"

namespace qdiscsim::config {
namespace {

// clang-format off: one message, one line
const std::vector<Wrong> kStructure{
    {"an empty file",
     "",
     {"c.yaml:1:1: the file is empty; at least one device is needed, for example devices: [{name: "
      "eth0, link: {kind: wire, rate: 1Gbit}}]"}},
    {"a file of comments only",
     "# nothing\n\n# here\n",
     {"c.yaml:1:1: the file is empty; at least one device is needed, for example devices: [{name: "
      "eth0, link: {kind: wire, rate: 1Gbit}}]"}},
    {"a file that holds a single word",
     "devices\n",
     {"c.yaml:1:1: the file must be a map of keys; allowed: a map with seed, duration, kernel, "
      "http, control, log, memory, pktgen, devices, generators"}},
    {"a file that is a list",
     "- name: eth0\n",
     {"c.yaml:1:1: the file must be a map of keys; allowed: a map with seed, duration, kernel, "
      "http, control, log, memory, pktgen, devices, generators"}},
    {"no devices",
     "seed: 1\n",
     {"c.yaml:1:1: devices: missing; at least one is needed, for example devices: [{name: eth0, "
      "link: {kind: wire, rate: 1Gbit}}]"}},
    {"an empty list of devices",
     "devices: []\n",
     {"c.yaml:1:10: devices: has 0 entries; allowed: a list of 1 to 64 maps with name, link, "
      "queues, tx_queue_len, drain, drain_cpus, bypass, nolock, kernel_bugs, ring, bql, "
      "sojourn_sample, capture"}},
    {"devices without a value",
     "devices:\n",
     {"c.yaml:1:1: devices: has no value; allowed: a list of 1 to 64 maps with name, link, queues, "
      "tx_queue_len, drain, drain_cpus, bypass, nolock, kernel_bugs, ring, bql, sojourn_sample, "
      "capture"}},
    {"devices as a map",
     "devices: {name: eth0}\n",
     {"c.yaml:1:10: devices: is a map; allowed: a list of 1 to 64 maps with name, link, queues, "
      "tx_queue_len, drain, drain_cpus, bypass, nolock, kernel_bugs, ring, bql, sojourn_sample, "
      "capture"}},
    {"a device that is a word",
     "devices: [eth0]\n",
     {"c.yaml:1:11: devices[0]: \"eth0\" is a single value; allowed: a map with name, link, "
      "queues, tx_queue_len, drain, drain_cpus, bypass, nolock, kernel_bugs, ring, bql, "
      "sojourn_sample, capture"}},
    {"a misspelt key",
     "sede: 1\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:1: sede: unknown key; did you mean seed?"}},
    {"an unknown key that resembles nothing",
     "devices: [{name: eth0}]\ncolour: red\n",
     {"c.yaml:2:1: colour: unknown key; allowed here: seed, duration, kernel, http, control, "
      "log, memory, pktgen, devices or generators"}},
    {"a key in the wrong letter case",
     "devices:\n  - {name: eth0, Queues: 2}\n",
     {"c.yaml:2:18: devices[0].Queues: unknown key; did you mean queues?"}},
    {"a key of an inner map one level too high",
     "devices:\n  - {name: eth0, rate: 1Gbit}\n",
     {"c.yaml:2:18: devices[0].rate: unknown key; did you mean link.rate?"}},
    {"pktgen's name of a key",
     "devices: [{name: eth0}]\ngenerators:\n  - {pkt_size: 60}\n",
     {"c.yaml:3:6: generators[0].pkt_size: unknown key; did you mean packet_size?"}},
    {"a section that is a word",
     "http: yes\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:7: http: \"yes\" is a single value; allowed: a map with listen"}},
    {"a section without a value",
     "devices: [{name: eth0}]\nhttp:\n",
     {"c.yaml:2:1: http: has no value; allowed: a map with listen"}},
    {"a duplicate key",
     "seed: 1\nseed: 2\ndevices: [{name: eth0}]\n",
     {"c.yaml:2:1: seed: duplicate key; the first one is on line 1, keep one of them"}},
    {"a duplicate key deep inside",
     "devices:\n  - {name: eth0, link: {kind: wire}, bql: {limit_min: 0, limit_min: 1kB}}\n",
     {"c.yaml:2:58: devices[0].bql.limit_min: duplicate key; the first one is on line 2, keep one "
      "of them"}},
    {"an anchor and an alias",
     "log: &here {level: info}\nhttp: *here\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:6: log: anchors (&) are not allowed; remove it",
      "c.yaml:2:7: http: aliases (*) are not allowed; write the value again"}},
    {"an alias of nothing",
     "http: *nothing\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:7: aliases (*) are not allowed; write the value again"}},
    {"a merge key",
     "devices:\n  - <<: {queues: 2}\n    name: eth0\n",
     {"c.yaml:2:5: devices[0].<<: merge keys (<<) are not allowed; write the values again"}},
    {"a tag",
     "seed: !!int 1\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:7: seed: tags (!) are not allowed; remove \"tag:yaml.org,2002:int\""}},
    {"a list as a key",
     "? [a, b]\n: 1\ndevices: [{name: eth0}]\n",
     {"c.yaml:1:3: a key must be plain text"}},
    {"a second document",
     "devices: [{name: eth0}]\n---\nseed: 2\n",
     {"c.yaml:2:1: a second document starts here; only one is allowed"}},
    {"text that is not closed",
     "seed: \"1\n",
     {"c.yaml:1:1: devices: missing; at least one is needed, for example devices: [{name: eth0, "
      "link: {kind: wire, rate: 1Gbit}}]",
      "c.yaml:1:7: seed: \"1 \" is text; write it without quotes; allowed: 0 to "
      "18446744073709551615"}},
    {"a flow list that is not closed",
     "devices: [{name: eth0}\n",
     {"c.yaml:2:1: not valid YAML: end of sequence flow not found"}},
    {"a tab as indentation",
     "http:\n\011listen: x\n",
     {"c.yaml:2:8: not valid YAML: illegal map value; the line is indented with a tab, write "
      "spaces"}},
    {"bytes that are not UTF-8",
     "seed: 1\n# gr\374n\n",
     {"c.yaml:2:5: byte 0xfc is not valid UTF-8; save the file as UTF-8"}},
    {"an overlong UTF-8 sequence",
     "seed: 1 # \300\257\n",
     {"c.yaml:1:11: byte 0xc0 is not valid UTF-8; save the file as UTF-8"}},
    {"a control character",
     "seed: 1\nlog: {level: \"\001\"}\n",
     {"c.yaml:2:15: control character 0x01 is not allowed; remove it"}},
    {"columns count characters",
     "devices: [{name: \"\303\244\342\202\254\360\237\230\200\", sed: 1}]\n",
     {"c.yaml:1:18: devices[0].name: \"ä€😀\" holds a character that a name must not have; allowed: "
      "1 to 15 letters, digits, '_', '.' or '-'",
      "c.yaml:1:25: devices[0].sed: unknown key; allowed here: name, link, queues, tx_queue_len, "
      "drain, drain_cpus, bypass, nolock, kernel_bugs, ring, bql, sojourn_sample or capture"}},
    {"nesting without end",
     "a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n",
     {"c.yaml:1:12: nested more than 16 levels deep"}},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(Structure, WrongConfiguration, testing::ValuesIn(kStructure), name_of);

}  // namespace
}  // namespace qdiscsim::config
