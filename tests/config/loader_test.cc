#include "config/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "config/yaml_document.h"

namespace qdiscsim::config {
namespace {

using testing::ElementsAre;

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    const int file = mkstemp(path_.data());
    EXPECT_GE(file, 0);
    close(file);
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = testing::TempDir() + "qdiscsim-config-XXXXXX";
};

Config good(const std::string& text) {
  const Result result = load_text(text, "c.yaml", {}, Cpus::first(2));
  EXPECT_EQ(to_string(result.diagnostics), "");
  EXPECT_EQ(result.exit_code, kExitOk);
  return result.config.value_or(Config{});
}

TEST(Loader, GivesTheDefaultsForWhatIsNotSaid) {
  Config expected;
  expected.devices.emplace_back();
  EXPECT_EQ(good("devices: [{}]"), expected);
  expected.generators.emplace_back();
  EXPECT_EQ(good("devices: [{}]\ngenerators: [{}]"), expected);
}

TEST(Loader, ReadsEveryKeyOfAVhostNetLink) {
  const Config config = good(R"(
devices:
  - name: tun0
    link: {kind: vhost_net, tun_ring: 65536, clear: clear_after_head_barriers, consume: one,
           vring: 1024, guest: dedicated, busy_poll: true}
)");
  Link expected;
  expected.kind = LinkKind::kVhostNet;
  expected.tun_ring = 65'536;
  expected.clear = RingClear::kClearAfterHeadBarriers;
  expected.consume = Consume::kOne;
  expected.vring = 1'024;
  expected.guest = Drain::kDedicated;
  expected.busy_poll = true;
  EXPECT_EQ(config.devices.at(0).link, expected);
}

TEST(Loader, ReadsEveryKeyOfATapLink) {
  const Config config = good(R"(
devices:
  - {name: a, link: {kind: tap, interface: wire-side_0.1, netns: lab}}
  - {name: b, link: {kind: tap, netns: lab}}
)");
  EXPECT_EQ(config.devices.at(0).link.kind, LinkKind::kTap);
  EXPECT_EQ(config.devices.at(0).link.interface, "wire-side_0.1");
  EXPECT_EQ(config.devices.at(0).link.netns, "lab");
  EXPECT_EQ(config.devices.at(1).link.netns, "lab");
}

TEST(Loader, CallsATapLinkAfterItsDevice) {
  const Link link = good("devices: [{name: eth7, link: {kind: tap}}]").devices.at(0).link;
  EXPECT_EQ(link.interface, "eth7");
  EXPECT_EQ(link.netns, "qdiscsim-eth7");
}

TEST(Loader, ReadsEveryKey) {
  const Config config = good(R"(
seed: 18446744073709551615
duration: 1.5s
kernel: "6.1"
http: {listen: "[::1]:0"}
log: {level: trace}
memory: {limit: 1GiB, huge_pages: require}
devices:
  - name: eth0
    link: {kind: wire, rate: 10Gbit, ring: 512}
    queues: 4
    tx_queue_len: 500
    drain: dedicated
    drain_cpus: [1, 0]
    bypass: false
    kernel_bugs: [no_drain_state, single_trylock]
    ring: {kind: ptr_ring, lock: ticket}
    bql: {enabled: false, limit_min: 1kB, limit_max: 64KiB}
    sojourn_sample: 0
generators:
  - name: mixed
    device: eth0
    threads: 3
    pin: true
    cpus: [0, 1]
    xmit_mode: start_xmit
    count: 1000
    rate: 1.2Gbit
    packet_size: {min: 60, max: 1500, random: true}
    burst: 8
    clone_skb: 5
    priority: [{priority: 6, weight: 20}, {priority: 4294967295}]
    tos: 255
    flows: 65536
    flow_length: 10
    source: {min: 10.0.0.1, max: 10.0.0.9}
    destination: 192.0.2.255
    mac_source: {min: 02:00:00:00:00:01, max: 02:00:00:00:01:00, random: true}
    mac_destination: "0a:0b:0c:0d:0e:0f"
    vlan: {id: 4095, priority: 7, cfi: true}
    svlan: 0
    mpls: [{label: 1048575, traffic_class: 7, ttl: 255}, {label: 16}]
    udp_source: {min: 9, max: 109, random: true}
    udp_destination: 65535
    timestamp: false
    udp_checksum: true
    queue_map: {min: 1, max: 3}
    page_pool: {size: 32768, ring: {kind: rte, sync: hts}}
)");
  Config expected;
  expected.seed = 18'446'744'073'709'551'615U;
  expected.duration_ns = 1'500'000'000;
  expected.kernel = KernelVersion::k6_1;
  expected.http = {"::1", 0};
  expected.log.level = LogLevel::kTrace;
  expected.memory = {1ULL << 30U, HugePages::kRequire};
  Device device;
  device.link = {LinkKind::kWire, 10'000'000'000, 512};
  device.queues = 4;
  device.tx_queue_len = 500;
  device.drain = Drain::kDedicated;
  device.drain_cpus = {1, 0};
  device.bypass = false;
  device.kernel_bugs = 5;
  device.ring.lock = RingLock::kTicket;
  device.bql = {false, 1'000, 65'536};
  device.sojourn_sample = 0;
  expected.devices = {device};
  GeneratorGroup group;
  group.name = "mixed";
  group.threads = 3;
  group.pin = true;
  group.cpus = {0, 1};
  group.xmit_mode = XmitMode::kStartXmit;
  group.count = 1'000;
  group.pace = {PaceKind::kBitRate, 1'200'000'000};
  group.packet_size = {SizeKind::kRandom, 60, 1'500, {}};
  group.burst = 8;
  group.clone_skb = 5;
  group.priority = {{6, 20}, {4'294'967'295U, 1}};
  group.tos = 255;
  group.flows = 65'536;
  group.flow_length = 10;
  group.source = {0x0a000001, 0x0a000009, false};
  group.destination = {0xc00002ff, 0xc00002ff, false};
  group.mac_source = {0x020000000001, 0x020000000100, true};
  group.mac_destination = {0x0a0b0c0d0e0f, 0x0a0b0c0d0e0f, false};
  group.vlan = {4095, 7, true};
  group.svlan = {0, 0, false};
  group.mpls = {{1'048'575, 7, 255}, {16, 0, 64}};
  group.udp_source = {9, 109, true};
  group.udp_destination = {65'535, 65'535, false};
  group.timestamp = false;
  group.udp_checksum = true;
  group.queue_map_min = 1;
  group.queue_map_max = 3;
  group.page_pool = {32'768, {.kind = RingKind::kRte, .sync = RingSync::kHeadTail}};
  expected.generators = {group};
  EXPECT_EQ(config, expected);
}

TEST(Loader, ReadsTheShortFormsOfCompositeValues) {
  const Config config = good(R"(
devices: [{name: eth0}]
generators:
  - {name: a, packet_size: 1500, priority: 6, queue_map: cpu}
  - {name: b, packet_size: {min: 60, max: 64}, delay: 500ns}
  - {name: c, packet_size: {imix: [{size: 60, weight: 7}, {size: 1500}]}}
)");
  ASSERT_EQ(config.generators.size(), 3U);
  EXPECT_EQ(config.generators[0].packet_size, (PacketSize{SizeKind::kFixed, 1'500, 1'500, {}}));
  EXPECT_THAT(config.generators[0].priority, ElementsAre(PriorityWeight{6, 1}));
  EXPECT_TRUE(config.generators[0].queue_map_cpu);
  EXPECT_EQ(config.generators[1].packet_size, (PacketSize{SizeKind::kSequence, 60, 64, {}}));
  EXPECT_EQ(config.generators[1].pace, (Pace{PaceKind::kDelay, 500}));
  EXPECT_EQ(config.generators[2].packet_size,
            (PacketSize{SizeKind::kImix, 60, 60, {{60, 7}, {1'500, 1}}}));
}

TEST(Loader, ReadsIpv6AddressesTagsAndLabels) {
  const Config config = good(R"(
devices: [{name: eth0}]
generators:
  - name: a
    source: 2001:db8::1
    destination: {min: "fd00::", max: "fd00::ffff:ffff", random: true}
    traffic_class: 255
    vlan: 7
    mpls: 17
)");
  const GeneratorGroup& group = config.generators.at(0);
  const IpAddress source = IpAddress::ipv6(0x20010db800000000, 1);
  EXPECT_EQ(group.source, (AddressRange{source, source, false}));
  EXPECT_EQ(group.destination,
            (AddressRange{IpAddress::ipv6(0xfd00000000000000, 0),
                          IpAddress::ipv6(0xfd00000000000000, 0xffffffff), true}));
  EXPECT_EQ(group.traffic_class, 255U);
  EXPECT_EQ(group.vlan, (Vlan{7, 0, false}));
  EXPECT_EQ(group.svlan.id, Vlan::kNone);
  EXPECT_THAT(group.mpls, ElementsAre(MplsLabel{17, 0, 64}));
}

TEST(Loader, KnowsMixesOfPacketSizesByName) {
  const Config config = good(R"(
devices: [{name: eth0}]
generators:
  - {name: a, packet_size: {imix: 7:4:1}}
  - {name: b, packet_size: {imix: "28:16:4"}}
  - name: c
    packet_size:
      imix: 28:20:4
)");
  const auto mix = [](std::vector<SizeWeight> entries) {
    return PacketSize{SizeKind::kImix, 60, 60, std::move(entries)};
  };
  EXPECT_EQ(config.generators[0].packet_size, mix({{42, 7}, {576, 4}, {1'500, 1}}));
  EXPECT_EQ(config.generators[1].packet_size, mix({{60, 28}, {590, 16}, {1'514, 4}}));
  EXPECT_EQ(config.generators[2].packet_size, mix({{60, 28}, {590, 20}, {1'514, 4}}));
}

TEST(Loader, PassesOverAByteOrderMarkCommentsAndWindowsLineEnds) {
  EXPECT_EQ(
      good("\xef\xbb\xbf# gr\xc3\xbc\xc3\x9f\r\ndevices:\r\n  - name: eth1\r\n").devices[0].name,
      "eth1");
}

TEST(Loader, ReadsAFile) {
  const TemporaryFile file("devices: [{name: eth7}]\n");
  const Result result = load_file(file.path());
  ASSERT_TRUE(result) << to_string(result.diagnostics);
  EXPECT_EQ(result.config->devices[0].name, "eth7");
}

TEST(Loader, NamesTheFileInItsMessages) {
  const TemporaryFile file("seed: x\n");
  const Result result = load_file(file.path());
  EXPECT_THAT(to_string(result.diagnostics), testing::StartsWith(file.path() + ":1:1: devices: "));
}

TEST(Loader, SaysWhyAFileCannotBeRead) {
  const Result missing = load_file("/nonexistent/c.yaml");
  EXPECT_EQ(to_string(missing.diagnostics),
            "/nonexistent/c.yaml: cannot be read: No such file or directory\n");
  EXPECT_EQ(missing.exit_code, kExitNoInput);
  const Result folder = load_file("/");
  EXPECT_EQ(to_string(folder.diagnostics), "/: cannot be read: Is a directory\n");
  EXPECT_EQ(folder.exit_code, kExitNoInput);
  EXPECT_EQ(load_file("").exit_code, kExitNoInput);
}

TEST(Loader, SaysWhenAFileMayNotBeRead) {
  const TemporaryFile file("devices: [{}]\n");
  ASSERT_EQ(chmod(file.path().c_str(), 0), 0);
  if (access(file.path().c_str(), R_OK) == 0) GTEST_SKIP() << "root reads everything";
  const Result result = load_file(file.path());
  EXPECT_EQ(to_string(result.diagnostics), file.path() + ": cannot be read: Permission denied\n");
  EXPECT_EQ(result.exit_code, kExitNoInput);
}

TEST(Loader, RefusesHugeInputWithoutReadingItAll) {
  const Result endless = load_file("/dev/zero");
  EXPECT_EQ(to_string(endless.diagnostics),
            "/dev/zero: more than 1MiB; a configuration is never that large\n");
  const Result many = load_text("a: [" + std::string(200'000, ',') + "]\n", "c.yaml");
  EXPECT_FALSE(many);
  std::string long_list = "a: [";
  for (std::size_t i = 0; i < kMaxNodes; ++i) long_list += "1,";
  EXPECT_EQ(to_string(load_text(long_list + "1]", "c.yaml").diagnostics),
            "c.yaml:1:99999: more than 50000 values\n");
}

TEST(Loader, KeepsItsMessagesToOneLine) {
  const std::string value = "a\\n\\tb" + std::string(500, 'x');
  const Result result =
      load_text("devices: [{name: \"" + value + "\"}]", "c.yaml", {}, Cpus::first(1));
  ASSERT_EQ(result.diagnostics.size(), 1U);
  const std::string line = to_string(result.diagnostics[0]);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_LT(line.size(), 200U) << line;
  const Result key = load_text("devices: [{\"" + value + "\": 1}]", "c.yaml", {}, Cpus::first(1));
  ASSERT_EQ(key.diagnostics.size(), 1U);
  EXPECT_EQ(to_string(key.diagnostics[0]).find_first_of("\n\t"), std::string::npos);
  EXPECT_LT(to_string(key.diagnostics[0]).size(), 300U);
}

}  // namespace
}  // namespace qdiscsim::config
