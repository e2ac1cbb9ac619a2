// pgctrl, the thread files, and which files there are.
#include <gmock/gmock.h>

#include <cerrno>

#include "tests/pktgenfs/lab.h"

namespace qdiscsim {
namespace {

using testing::ElementsAre;

class PktgenThreads : public test::FilesLab {};

TEST_F(PktgenThreads, ThereIsAFileForEachThreadAndEachDevice) {
  EXPECT_THAT(files_->names(), ElementsAre("pgctrl", "kpktgend_0", "kpktgend_1"));
  ask("kpktgend_1", "add_device eth0@1");
  ask("kpktgend_0", "add_device eth0@0");
  ask("kpktgend_0", "add_device eth0@00");
  EXPECT_THAT(files_->names(),
              ElementsAre("pgctrl", "kpktgend_0", "kpktgend_1", "eth0@00", "eth0@0", "eth0@1"));
  EXPECT_FALSE(files_->read("eth0").has_value());
}

TEST_F(PktgenThreads, PgctrlNamesTheVersion) {
  EXPECT_EQ(text("pgctrl"), "Packet Generator for packet performance testing. Version: 2.75\n");
}

TEST_F(PktgenThreads, AThreadListsItsDevicesTheNewestFirst) {
  EXPECT_EQ(text("kpktgend_0"), "Running: \nStopped: \nResult: NA\n");
  ask("kpktgend_0", "add_device eth0@a");
  ask("kpktgend_0", "add_device eth0@b");
  EXPECT_EQ(text("kpktgend_0"),
            "Running: \nStopped: eth0@b eth0@a \nResult: OK: add_device=eth0@b\n");
  std::string while_running;
  backend_.on_wait = [&] {
    if (while_running.empty()) while_running = text("kpktgend_0");
  };
  echo("pgctrl", "start");
  EXPECT_EQ(while_running, "Running: eth0@b eth0@a \nStopped: \nResult: OK: add_device=eth0@b\n");
}

TEST_F(PktgenThreads, ADeviceNeedsAnEthernetInterfaceThatIsUp) {
  EXPECT_EQ(echo("kpktgend_0", "add_device eth7@0"), -ENODEV);
  EXPECT_EQ(result("kpktgend_0"), "ERROR: can not add device eth7@0");
  backend_.interfaces["tun0"].ethernet = false;
  EXPECT_EQ(echo("kpktgend_0", "add_device tun0"), -EINVAL);
  backend_.interfaces["eth1"].up = false;
  EXPECT_EQ(echo("kpktgend_0", "add_device eth1"), -ENETDOWN);
  EXPECT_EQ(echo("kpktgend_0", "add_device eth0@a/b"), -EINVAL);
  EXPECT_EQ(echo("kpktgend_0", "add_device"), -ENODEV);
}

TEST_F(PktgenThreads, AnUnknownCommandIsRefusedWithoutAWord) {
  EXPECT_EQ(echo("kpktgend_0", "rem_device eth0"), -EINVAL);
  EXPECT_EQ(result("kpktgend_0"), "NA");
  EXPECT_EQ(files_->write("kpktgend_0", "", never), -EINVAL);
  EXPECT_EQ(ask("kpktgend_0", "max_before_softirq 5"),
            "OK: Note! max_before_softirq is obsoleted -- Do not use");
}

TEST_F(PktgenThreads, DevicesAreRemovedOfOneThreadOrOfAll) {
  ask("kpktgend_0", "add_device eth0@0");
  ask("kpktgend_1", "add_device eth0@1");
  EXPECT_EQ(ask("kpktgend_0", "rem_device_all"), "OK: rem_device_all");
  EXPECT_THAT(files_->names(), ElementsAre("pgctrl", "kpktgend_0", "kpktgend_1", "eth0@1"));
  EXPECT_EQ(echo("pgctrl", "reset"), 5);
  EXPECT_THAT(files_->names(), ElementsAre("pgctrl", "kpktgend_0", "kpktgend_1"));
  EXPECT_EQ(ask("kpktgend_0", "add_device eth0@1"), "OK: add_device=eth0@1");
}

TEST_F(PktgenThreads, ARunningDeviceIsStoppedBeforeItIsRemoved) {
  ask("kpktgend_0", "add_device eth0");
  ask("eth0", "count 0");
  backend_.on_wait = [&] { files_->write("pgctrl", "reset\n", never); };
  EXPECT_EQ(echo("pgctrl", "start"), 5) << "it ends, for nothing runs any more";
  EXPECT_TRUE(backend_.jobs.empty());
}

}  // namespace
}  // namespace qdiscsim
