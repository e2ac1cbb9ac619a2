#include "config/print.h"

#include <gtest/gtest.h>

#include "config/loader.h"
#include "tests/config/random_config.h"

namespace qdiscsim::config {
namespace {

TEST(Print, FillsInEveryDefault) {
  const Result result =
      load_text("devices: [{name: eth0}]\ngenerators: [{threads: 2}]\n", "c.yaml");
  ASSERT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
  EXPECT_EQ(print(*result.config), R"(seed: 1
duration: 0s
kernel: "6.18"
http:
  listen: "127.0.0.1:9713"
control:
  socket: auto
log:
  level: info
memory:
  huge_pages: try
devices:
  - name: eth0
    link:
      kind: dummy
    queues: 1
    tx_queue_len: 1000
    drain: inline
    drain_cpus: []
    bypass: true
    nolock: true
    kernel_bugs: []
    ring: ptr_ring
    sojourn_sample: 64
generators:
  - name: gen
    device: eth0
    enabled: true
    threads: 2
    pin: false
    cpus: []
    xmit_mode: queue_xmit
    count: 0
    packet_size: 60
    burst: 1
    enqueue_burst: 1
    clone_skb: 0
    priority: 0
    tos: 0
    flows: 0
    flow_length: 0
    source: 198.18.0.1
    destination: 198.18.0.42
    mac_source: "02:00:00:00:00:01"
    mac_destination: "02:00:00:00:00:02"
    udp_source: 9
    udp_destination: 9
    timestamp: true
    udp_checksum: false
    queue_map: {min: 0, max: 0}
    page_pool:
      size: 0
      ring: ptr_ring
    latency_sample: 64
)");
}

TEST(Print, ShowsTheControlFilesOfPktgenWhenThereAreAny) {
  const Result result = load_text("devices: [{name: eth0}]\npktgen: {control_fs: /run/p}\n", "c");
  ASSERT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
  EXPECT_NE(print(*result.config).find("\npktgen:\n  control_fs: /run/p\n  threads: 0\n"),
            std::string::npos);
}

TEST(Print, ShowsTagsLabelsAndIpv6WhenThereAreAny) {
  const Result result = load_text(
      "devices: [{name: eth0}]\ngenerators: [{source: {min: \"fd00::\", max: \"fd00::9\"}, "
      "destination: fd00::1, vlan: 7, svlan: {id: 8, priority: 1}, mpls: 9, "
      "mac_source: {min: 02:00:00:00:00:01, max: 02:00:00:00:00:09}}]\n",
      "c");
  ASSERT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
  const std::string text = print(*result.config);
  for (const char* line : {"    traffic_class: 0\n",
                           "    source: {min: \"fd00::\", max: \"fd00::9\", random: false}\n",
                           "    destination: \"fd00::1\"\n", "    vlan: 7\n",
                           "    svlan: {id: 8, priority: 1, cfi: false}\n", "    mpls: 9\n",
                           "    mac_source: {min: \"02:00:00:00:00:01\", max: "
                           "\"02:00:00:00:00:09\", random: false}\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

TEST(Print, ShowsTheCaptureOfADeviceThatHasOne) {
  const Result result = load_text("devices: [{name: eth0, capture: {file: a.pcapng}}]\n", "c");
  ASSERT_TRUE(result.config.has_value()) << to_string(result.diagnostics);
  EXPECT_NE(print(*result.config)
                .find("\n    capture:\n      file: a.pcapng\n      limit: 64MiB\n"
                      "      packets: 0\n      snaplen: 3584\n"),
            std::string::npos)
      << print(*result.config);
}

TEST(Print, LoadsAgainToTheSameConfiguration) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Config config = RandomConfig(seed).next();
    const std::string text = print(config);
    const Result again = load_text(text, "printed", {}, Cpus::first(2));
    ASSERT_TRUE(again.config.has_value()) << "seed " << seed << '\n'
                                          << to_string(again.diagnostics) << text;
    ASSERT_EQ(*again.config, config) << "seed " << seed << '\n' << text;
    ASSERT_EQ(print(*again.config), text) << "seed " << seed;
  }
}

}  // namespace
}  // namespace qdiscsim::config
