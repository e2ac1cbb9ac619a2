// What tc shows, step by step, of a sequence recorded on a live kernel: a device with two tx queues
// that takes 256 packets and then answers busy, bands of 8, frames of 60 bytes.
#include <gtest/gtest.h>

#include <string>

#include "daemon/queue_snapshot.h"
#include "daemon/tc_view.h"
#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

class TcTraceConformance : public testing::Test {
 protected:
  TcTraceConformance() { lab_.link->room = 256; }

  std::string shown() {
    DeviceSnapshot device;
    device.tx_queues = lab_.device->queue_count();
    show_account(lab_.account(), device.queues.emplace_back());
    return tc_qdisc_text({&device, 1}, false);
  }
  static std::string figures(const std::string& sent, const std::string& backlog) {
    return "qdisc pfifo_fast 0: root refcnt 3 bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1\n"
           " Sent " +
           sent + ") \n backlog " + backlog + "\n";
  }

  test::Lab lab_{test::Lab::with_limit(8, 2, RootQdisc::kPfifoFast)};
};

TEST_F(TcTraceConformance, Check33_SentCountsAtBypassBeforeTheDriverAnswers) {
  lab_.send_many(256, 0);
  EXPECT_EQ(shown(),
            figures("15360 bytes 256 pkt (dropped 0, overlimits 0 requeues 0", "0b 0p requeues 0"));
  lab_.send_one(0);  // bypassed, refused, requeued
  EXPECT_EQ(shown(), figures("15420 bytes 257 pkt (dropped 0, overlimits 0 requeues 1",
                             "60b 1p requeues 1"));
}

TEST_F(TcTraceConformance, Check33_SentCountsTheRestWhenItIsTakenOutOfTheBands) {
  lab_.send_many(256 + 1 + 12, 0);
  EXPECT_EQ(shown(), figures("15420 bytes 257 pkt (dropped 4, overlimits 0 requeues 1",
                             "540b 9p requeues 1"));
  lab_.send_many(3, 6);
  lab_.send_many(3, 2);
  EXPECT_EQ(shown(), figures("15420 bytes 257 pkt (dropped 4, overlimits 0 requeues 1",
                             "900b 15p requeues 1"));
  lab_.wake(0);
  lab_.cpu.run_softirqs();
  EXPECT_EQ(shown(),
            figures("16260 bytes 271 pkt (dropped 4, overlimits 0 requeues 1", "0b 0p requeues 1"));
}

TEST_F(TcTraceConformance, Check33_WhatAResetDiscardsIsNeitherSentNorDropped) {
  lab_.send_many(256 + 1 + 12, 0);
  lab_.deactivate();
  EXPECT_EQ(shown(),
            figures("15420 bytes 257 pkt (dropped 4, overlimits 0 requeues 1", "0b 0p requeues 1"));
  lab_.send_one(0);  // noop's, not ours
  EXPECT_EQ(shown(),
            figures("15420 bytes 257 pkt (dropped 4, overlimits 0 requeues 1", "0b 0p requeues 1"));
}

}  // namespace
}  // namespace qdiscsim
