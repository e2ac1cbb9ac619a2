// Random walks of driver and host over one vring, step by step against two deques.

#include <gtest/gtest.h>

#include <deque>

#include "base/prng.h"
#include "tests/base/seed.h"
#include "tests/ring/vring_lab.h"

namespace qdiscsim {
namespace {

using test::VringLab;

template <class CacheAvail>
class Walk {
 public:
  Walk(std::size_t size, bool event_index, std::uint16_t start, std::uint64_t seed)
      : lab_{size, event_index, start}, prng_{seed} {}

  void step() {
    if (prng_.below(100) == 0) rising_ = !rising_;
    switch (prng_.below(rising_ ? 12 : 8)) {
      case 0:
      case 1:
        return take();
      case 2:
      case 3:
        return use();
      case 4:
      case 5:
        return get_used();
      case 6:
        return toggle_notify();
      case 7:
        return toggle_callbacks();
      default:
        return add();
    }
  }

  void check_state() {
    EXPECT_EQ(lab_.driver.free(), lab_.ring.size() - in_flight());
    EXPECT_EQ(lab_.host.avail_empty(), available_.empty());
    EXPECT_EQ(lab_.driver.broken() + lab_.host.counters().broken, 0U);
  }

 private:
  struct Taken {
    std::size_t number;
    std::uint16_t head;
  };

  std::size_t in_flight() const { return available_.size() + taken_.size() + used_.size(); }

  void add() {
    const std::size_t number = next_;
    const bool expected = in_flight() < lab_.ring.size();
    const bool stored = prng_.below(2) == 0
                            ? lab_.driver.add_out(lab_.piece(number), lab_.token(number))
                            : lab_.driver.add_in(lab_.piece(number), lab_.token(number));
    ASSERT_EQ(stored, expected);
    if (!stored) return;
    available_.push_back(next_++);
    if (prng_.below(2) == 0) {
      const bool kick = lab_.driver.kick_prepare();
      if (waiting_) {
        EXPECT_TRUE(kick || kicked_) << "a host that waits was not told";
        kicked_ = true;
      }
    } else {
      // Not decided yet: the next kick_prepare covers it.
      kicked_ = kicked_ || lab_.driver.kick_prepare() || !waiting_;
    }
  }

  void take() {
    if (waiting_) {
      lab_.host.disable_notify();
      waiting_ = false;
      kicked_ = false;
    }
    VringBuffer buffer;
    const VringTake answer = lab_.host.take(buffer);
    ASSERT_EQ(answer, available_.empty() ? VringTake::kEmpty : VringTake::kBuffer);
    if (available_.empty()) return;
    const std::size_t number = available_.front();
    EXPECT_EQ(buffer.out + buffer.in, 1);
    EXPECT_EQ(buffer.pieces[0].host, lab_.host_bytes(number));
    if (prng_.below(8) == 0) {
      lab_.host.untake(1);
      return;
    }
    available_.pop_front();
    taken_.push_back({number, buffer.head});
  }

  // Gives back any of what was taken: used buffers need not keep the order.
  void use() {
    if (taken_.empty()) return;
    const std::size_t which = prng_.below(static_cast<std::uint32_t>(taken_.size()));
    const Taken taken = taken_[which];
    taken_.erase(taken_.begin() + static_cast<std::ptrdiff_t>(which));
    lab_.host.add_used(taken.head, static_cast<std::uint32_t>(taken.number));
    const bool signal = lab_.host.signal_prepare();
    if (asleep_) {
      EXPECT_TRUE(signal || !used_.empty()) << "a driver that sleeps was not told";
    }
    used_.push_back(taken.number);
  }

  void get_used() {
    std::uint32_t written = 0;
    void* const token = lab_.driver.get_used(&written);
    asleep_ = false;
    if (used_.empty()) {
      EXPECT_EQ(token, nullptr);
      return;
    }
    EXPECT_EQ(token, lab_.token(used_.front()));
    EXPECT_EQ(written, static_cast<std::uint32_t>(used_.front()));
    used_.pop_front();
  }

  void toggle_notify() {
    if (waiting_) return;
    // The cache must be used up, as when a host goes to sleep: a dropped index says less.
    if (!available_.empty()) take();
    if (!available_.empty() || waiting_) return;
    EXPECT_FALSE(lab_.host.enable_notify());
    waiting_ = true;
    kicked_ = false;
  }

  void toggle_callbacks() {
    if (prng_.below(2) == 0) {
      lab_.driver.disable_callbacks();
      asleep_ = false;
    } else {
      asleep_ = lab_.driver.enable_callbacks();
      EXPECT_EQ(asleep_, used_.empty());
    }
  }

  VringLab<CacheAvail> lab_;
  Prng prng_;
  std::deque<std::size_t> available_;
  std::deque<Taken> taken_;
  std::deque<std::size_t> used_;
  std::size_t next_ = 0;
  bool rising_ = true;
  bool waiting_ = false;  // the host asked for a kick
  bool kicked_ = false;
  bool asleep_ = false;  // the driver asked for a signal
};

template <class CacheAvail>
void walk_all() {
  for (const std::uint64_t seed : test::seeds(2)) {
    for (const std::size_t size : {1U, 2U, 4U, 64U, 32768U}) {
      for (const bool event_index : {true, false}) {
        SCOPED_TRACE(test::repeat_with(seed) + ", size " + std::to_string(size) +
                     (event_index ? ", event index" : ", flags"));
        // A few steps below the wrap of the 16-bit index.
        Walk<CacheAvail> walk{size, event_index, 0xfff0, seed};
        const int steps = size == 32768 ? 100'000 : 20'000;
        for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
          walk.step();
          walk.check_state();
        }
      }
    }
  }
}

TEST(VringModel, BehavesLikeTwoDequesWithACachedIndex) {
  walk_all<KeepAvailIndex>();
}
TEST(VringModel, BehavesLikeTwoDequesWithADroppedIndex) {
  walk_all<DropAvailIndex>();
}

TEST(VringModel, TheIndexWrapsManyTimesInARingOfOne) {
  VringLab<> lab{1, true, 0xffff};
  VringBuffer buffer;
  for (std::size_t i = 0; i < 200'000; ++i) {
    ASSERT_TRUE(lab.driver.add_out(lab.piece(i), lab.token(i)));
    ASSERT_FALSE(lab.driver.add_out(lab.piece(i), lab.token(i)));
    ASSERT_EQ(lab.host.take(buffer), VringTake::kBuffer);
    lab.host.add_used(buffer.head, 0);
    ASSERT_EQ(lab.driver.get_used(), lab.token(i));
  }
}

TEST(VringModel, ARingOf32768FillsAndEmptiesAcrossTheWrap) {
  VringLab<> lab{32768, true, 0xffff};
  VringBuffer buffer;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 32768; ++i) {
      ASSERT_TRUE(lab.driver.add_out(lab.piece(i), lab.token(i)));
    }
    ASSERT_FALSE(lab.driver.add_out(lab.piece(0), lab.token(0)));
    for (std::size_t i = 0; i < 32768; ++i) {
      ASSERT_EQ(lab.host.take(buffer), VringTake::kBuffer);
      lab.host.add_used(buffer.head, 0);
    }
    for (std::size_t i = 0; i < 32768; ++i) ASSERT_EQ(lab.driver.get_used(), lab.token(i));
  }
}

}  // namespace
}  // namespace qdiscsim
