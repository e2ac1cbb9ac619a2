// Our dumps beside those of the real tc, of real qdiscs, with real figures in them. Skipped where
// there is no iproute2 6.1 (the layout that we follow), or no right to make a network namespace.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "base/prng.h"
#include "daemon/tc_view.h"
#include "tests/base/seed.h"
#include "tests/daemon/iproute.h"

namespace qdiscsim {
namespace {

using Json = nlohmann::ordered_json;

std::string why_not() {
  const test::Outcome version = test::run_command("PATH=$PATH:/usr/sbin:/sbin tc -V");
  if (version.output.find("iproute2-6.1.") == std::string::npos) {
    return "needs iproute2 6.1; here is: " + version.output;
  }
  const test::Outcome space = test::in_network_namespace(
      "ip link add v0 type veth peer name v1; tc qdisc add dev v0 root pfifo_fast\n");
  return space.status == 0 ? "" : "no pfifo_fast on a veth in a network namespace: " + space.output;
}

// A pair of veth; v0 sends 50 packets through pfifo_fast or mq. Then what tc says of them.
std::string script(const std::string& add_qdisc, const std::string& show) {
  return "sysctl -qw net.ipv6.conf.default.disable_ipv6=1\n"
         "ip link add v0 numtxqueues 3 type veth peer name v1 numrxqueues 3\n"
         "tc qdisc add dev v1 root pfifo_fast\n" +
         add_qdisc +
         "\nip addr add 198.18.0.1/24 dev v0\n"
         "ip link set v0 up\nip link set v1 up\n"
         "ip neigh replace 198.18.0.2 lladdr 02:00:00:00:00:02 dev v0\n"
         "for i in {1..50}; do echo $i >/dev/udp/198.18.0.2/$((9000 + i)); done\n"
         "for flags in '-s -j' -s; do tc $flags qdisc show " +
         show + "; echo ----; done\n";
}

// The figures that tc showed, put into devices as the engine would.
std::vector<DeviceSnapshot> devices_of(const Json& dump) {
  std::vector<DeviceSnapshot> devices;
  for (const Json& qdisc : dump) {
    if (qdisc.contains("root")) {
      DeviceSnapshot& device = devices.emplace_back();
      device.name = qdisc.value("dev", "");
      device.qdisc_handle =
          static_cast<std::uint32_t>(std::stoul(qdisc["handle"].get<std::string>(), nullptr, 16));
      device.tx_queues = qdisc.value("refcnt", 1U) - 1;
      if (qdisc["kind"] == "mq") continue;
    }
    std::vector<QueueSnapshot>& queues = devices.back().queues;
    QueueSnapshot& queue = *queues.emplace(queues.begin());
    queue.bands[1].bytes = qdisc["bytes"];
    queue.bands[1].packets = qdisc["packets"];
    queue.bands[1].dropped_overlimit = qdisc["drops"];
    queue.bands[1].requeues = qdisc["requeues"];
    queue.bands[1].backlog_bytes = qdisc["backlog"];
    queue.bands[1].backlog_packets = qdisc["qlen"];
    for (std::size_t i = 0; i < queues.size(); ++i) queues[i].index = static_cast<std::uint32_t>(i);
  }
  return devices;
}

void compare(const std::string& add_qdisc, bool name_devices) {
  SCOPED_TRACE(add_qdisc);
  const test::Outcome real =
      test::in_network_namespace(script(add_qdisc, name_devices ? "" : "dev v0"));
  ASSERT_EQ(real.status, 0) << real.output;
  const std::string mark = "----\n";
  const std::size_t middle = real.output.find(mark);
  ASSERT_NE(middle, std::string::npos) << real.output;
  const std::string json = real.output.substr(0, middle);
  const std::string text =
      real.output.substr(middle + mark.size(), real.output.size() - middle - 2 * mark.size());
  const std::vector<DeviceSnapshot> devices = devices_of(Json::parse(json));
  ASSERT_EQ(devices.size(), name_devices ? 2U : 1U) << json;
  ASSERT_EQ(tc_qdiscs(devices.back()).front().packets, 50U) << json;
  EXPECT_EQ(tc_qdisc_json(devices, name_devices), json);
  EXPECT_EQ(tc_qdisc_text(devices, name_devices), text);
}

TEST(RealTc, PrintsPfifoFastAsWeDo) {
  if (const std::string reason = why_not(); !reason.empty()) GTEST_SKIP() << reason;
  compare("tc qdisc add dev v0 root pfifo_fast", true);
  compare("tc qdisc add dev v0 root handle 5: pfifo_fast", false);
}

TEST(RealTc, PrintsMqAsWeDo) {
  if (const std::string reason = why_not(); !reason.empty()) GTEST_SKIP() << reason;
  const test::Outcome children = test::in_network_namespace(
      "ip link add v0 numtxqueues 3 type veth peer name v1\n"
      "tc qdisc add dev v0 root handle 100: mq\ntc qdisc show dev v0\n");
  if (children.output.find("pfifo_fast 0: parent 100:3") == std::string::npos) {
    GTEST_SKIP() << "mq's children are not pfifo_fast here (net.core.default_qdisc): "
                 << children.output;
  }
  compare("tc qdisc add dev v0 root handle 100: mq", true);
  compare("tc qdisc add dev v0 root handle 100: mq", false);
}

TEST(RealTc, PrintsSizesAsWeDo) {
  if (const std::string reason = why_not(); !reason.empty()) GTEST_SKIP() << reason;
  // bfifo's limit is printed by the same function as a backlog, and takes any value.
  std::vector<std::uint32_t> sizes{
      1,       16,        1023,      1024,      1039,      1040,      2032,          2033,
      781'164, 1'048'575, 1'048'576, 1'049'599, 1'049'600, 1'081'344, 1'024'000'000, 4'294'967'295};
  const std::uint64_t seed = test::seeds(1)[0];
  SCOPED_TRACE(test::repeat_with(seed));
  Prng random{seed};
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t any = random.between(2048, UINT32_MAX) >> random.below(20);
    sizes.push_back(any);
    sizes.push_back((any & ~1023U) + random.below(40));       // near a whole number of Kb
    sizes.push_back((any & ~0xfffffU) + random.below(2048));  // and of Mb
  }
  std::erase_if(sizes, [](std::uint32_t size) { return size == 0; });  // bfifo takes no 0
  std::string batch = "cat >batch <<'END'\n";
  for (const std::uint32_t size : sizes) {
    batch +=
        "qdisc replace dev v0 root bfifo limit " + std::to_string(size) + "\nqdisc show dev v0\n";
  }
  const test::Outcome real = test::in_network_namespace(
      "cd $(mktemp -d)\ntrap 'rm -r \"$PWD\"' EXIT\nip link add v0 type veth peer name v1\n" +
      batch + "END\ntc -b batch\n");
  if (real.status != 0) GTEST_SKIP() << "no bfifo here: " << real.output;
  std::istringstream lines{real.output};
  std::string line;
  std::size_t i = 0;
  for (; std::getline(lines, line); ++i) {
    ASSERT_LT(i, sizes.size()) << line;
    EXPECT_EQ(line.substr(line.rfind(' ') + 1), tc_size(sizes[i])) << sizes[i];
  }
  EXPECT_EQ(i, sizes.size());
}

}  // namespace
}  // namespace qdiscsim
