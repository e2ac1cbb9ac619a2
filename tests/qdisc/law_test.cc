// The law of accounts notices a single packet or byte, wherever it is miscounted.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/qdisc/lab.h"

namespace qdiscsim {
namespace {

using test::Lab;

// A run in which everything happened that a queue counts; at its end nothing waits.
class LawTest : public testing::Test {
 protected:
  LawTest() : lab_{Lab::with_limit(8, 2, RootQdisc::kPfifoFast)} {
    lab_.send_many(3, 0);  // bypass
    lab_.stop(0);
    for (const std::uint32_t priority : {0U, 6U, 2U}) lab_.send_many(12, priority);
    lab_.wake(0);
    lab_.cpu.run_softirqs();
    // Set aside for another queue.
    lab_.queue_up({lab_.make(0, 100, 0), lab_.make(0, 200, 1), lab_.make(6, 300, 1)});
    lab_.qdisc().try_run(lab_.cpu);
    lab_.cpu.run_softirqs();
    // Discarded.
    lab_.queue_up({lab_.make(0), lab_.make(6), lab_.make(2)});
    lab_.deactivate();
    for (const std::uint32_t priority : {0U, 6U, 2U}) lab_.send_one(priority);
    lab_.device->activate();
    lab_.send_many(1, 0);
  }

  Lab lab_;
};

TEST_F(LawTest, HoldsAfterARunWithEverythingInIt) {
  const QueueAccount account = lab_.account();
  EXPECT_EQ(broken_law(account), "");
  EXPECT_EQ(impossible_account(account, 0), "");
  EXPECT_GT(account.bands[1].bypassed, 0U);
  EXPECT_GT(account.bands[1].dropped_overlimit, 0U);
  EXPECT_GT(account.bands[1].dropped_deactivated, 0U);
  EXPECT_GT(account.bands[1].requeues, 0U);
  EXPECT_GT(account.bands[1].purged, 0U);
  EXPECT_GT(account.set_aside, 0U);
}

TEST_F(LawTest, BreaksWhenAnyFieldOfAnAccountIsOffByOne) {
  const QueueAccount good = lab_.account();
  const std::vector<std::pair<std::string, std::uint64_t QueueAccount::*>> fields{
      {"offered", &QueueAccount::offered},
      {"direct", &QueueAccount::direct},
      {"requeued", &QueueAccount::requeued},
      {"requeued_bytes", &QueueAccount::requeued_bytes},
      {"unrequeued", &QueueAccount::unrequeued},
      {"unrequeued_bytes", &QueueAccount::unrequeued_bytes},
      {"set_aside", &QueueAccount::set_aside},
      {"requeue_purged", &QueueAccount::requeue_purged},
      {"requeue_packets", &QueueAccount::requeue_packets},
      {"tx_packets", &QueueAccount::tx_packets},
      {"tx_bytes", &QueueAccount::tx_bytes},
      {"tx_dropped", &QueueAccount::tx_dropped},
      {"posted", &QueueAccount::posted}};
  for (const auto& [name, field] : fields) {
    QueueAccount bad = good;
    ++(bad.*field);
    EXPECT_NE(broken_law(bad), "") << name;
  }
  const std::vector<std::pair<std::string, std::uint64_t BandAccount::*>> band_fields{
      {"enqueued", &BandAccount::enqueued},
      {"enqueued_bytes", &BandAccount::enqueued_bytes},
      {"dequeued", &BandAccount::dequeued},
      {"dequeued_bytes", &BandAccount::dequeued_bytes},
      {"purged", &BandAccount::purged},
      {"purged_bytes", &BandAccount::purged_bytes},
      {"bypassed", &BandAccount::bypassed},
      {"bypassed_bytes", &BandAccount::bypassed_bytes},
      {"dropped_overlimit", &BandAccount::dropped_overlimit},
      {"dropped_deactivated", &BandAccount::dropped_deactivated},
      {"requeues", &BandAccount::requeues},
      {"ring_packets", &BandAccount::ring_packets}};
  for (std::size_t band = 0; band < kBandCount; ++band) {
    for (const auto& [name, field] : band_fields) {
      QueueAccount bad = good;
      ++(bad.bands[band].*field);
      EXPECT_NE(broken_law(bad), "") << name << " of band " << band;
    }
  }
}

TEST_F(LawTest, BreaksWhenALiveCounterOfTheQueueIsOffByOne) {
  using Counters = QueueCounters<Lab::Smp>;
  using Field = Counter<Lab::Smp> Counters::*;
  const std::vector<Field> fields{&Counters::offered,        &Counters::direct,
                                  &Counters::requeued,       &Counters::requeued_bytes,
                                  &Counters::unrequeued,     &Counters::unrequeued_bytes,
                                  &Counters::requeue_purged, &Counters::set_aside};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    ASSERT_EQ(broken_law(lab_.account()), "");
    (lab_.qdisc().counters(0).*fields[i]).add(1);
    EXPECT_NE(broken_law(lab_.account()), "") << "counter " << i;
    (lab_.qdisc().counters(0).*fields[i]).add(~std::uint64_t{0});  // minus one
  }
}

TEST_F(LawTest, BreaksWhenALiveCounterOfABandIsOffByOne) {
  using Counters = BandCounters<Lab::Smp>;
  using Field = Counter<Lab::Smp> Counters::*;
  const std::vector<Field> fields{
      &Counters::enqueued,       &Counters::enqueued_bytes,    &Counters::dequeued,
      &Counters::dequeued_bytes, &Counters::dropped_overlimit, &Counters::bypassed,
      &Counters::bypassed_bytes, &Counters::requeues,          &Counters::dropped_deactivated,
      &Counters::purged,         &Counters::purged_bytes};
  for (std::size_t band = 0; band < kBandCount; ++band) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      ASSERT_EQ(broken_law(lab_.account()), "");
      Counters& counters = lab_.qdisc().fifo().counters(1)[band];
      (counters.*fields[i]).add(1);
      EXPECT_NE(broken_law(lab_.account()), "") << "counter " << i << " of band " << band;
      (counters.*fields[i]).add(~std::uint64_t{0});
    }
  }
}

TEST_F(LawTest, BreaksWhenTheLinkCountsOneTooMany) {
  auto& counters = lab_.device->tx_queue_for_test(0).counters(0);
  for (auto* counter : {&counters.packets, &counters.bytes, &counters.dropped}) {
    ASSERT_EQ(broken_law(lab_.account()), "");
    counter->add(1);
    EXPECT_NE(broken_law(lab_.account()), "");
    counter->add(~std::uint64_t{0});
  }
}

TEST_F(LawTest, NamesTheNumbersThatDiffer) {
  QueueAccount bad = lab_.account();
  const std::uint64_t offered = bad.offered++;
  EXPECT_EQ(broken_law(bad), "offered is " + std::to_string(offered + 1) +
                                 " but bypassed + enqueued + dropped is " +
                                 std::to_string(offered));
}

TEST(ImpossibleAccount, AllowsForPacketsInMotionAndNoMore) {
  QueueAccount account;
  account.offered = 10;
  account.bands[0].enqueued = 10;
  account.bands[0].dequeued = 12;
  EXPECT_EQ(impossible_account(account, 2), "");
  EXPECT_NE(impossible_account(account, 1), "");
  account.bands[0].dequeued = 0;
  account.bands[2].dropped_overlimit = 3;
  EXPECT_EQ(impossible_account(account, 3), "");
  EXPECT_NE(impossible_account(account, 2), "");
}

}  // namespace
}  // namespace qdiscsim
