// Random walks over the moving operations of RteRing, for every pair of sync policies, step by step
// against a std::deque. The positions start just below their wrap.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <tuple>
#include <vector>

#include "base/prng.h"
#include "base/smp_native.h"
#include "ring/rte_ring.h"
#include "tests/base/seed.h"

namespace qdiscsim {
namespace {

using Native = smp::Native;
constexpr int kSteps = 2'000;

struct Shape {
  std::uint64_t size;
  bool exact;
};
constexpr Shape kShapes[] = {{1, true},  {2, true},  {3, true},  {31, true},  {32, true},
                             {33, true}, {1, false}, {2, false}, {32, false}, {64, false}};

template <class ProducerSync, class ConsumerSync>
class Walk {
 public:
  Walk(const Shape& shape, std::uint64_t seed)
      : ring_{shape.size, {.exact = shape.exact, .start = std::uint32_t(-50)}}, prng_{seed} {}

  void step() {
    if (prng_.below(100) == 0) rising_ = !rising_;
    if (prng_.below(5) < (rising_ ? 3U : 2U)) {
      enqueue();
    } else {
      dequeue();
    }
    const auto count = static_cast<std::uint32_t>(model_.size());
    EXPECT_EQ(ring_.count(), count);
    EXPECT_EQ(ring_.free_count(), ring_.capacity() - count);
    EXPECT_EQ(ring_.empty(), count == 0);
    EXPECT_EQ(ring_.full(), count == ring_.capacity());
  }

 private:
  std::size_t some() { return prng_.below(prng_.below(2) == 0 ? 6 : ring_.capacity() + 4); }
  std::size_t room() const { return ring_.capacity() - model_.size(); }
  void* fresh() { return reinterpret_cast<void*>(++last_); }
  static std::size_t fitting(bool bulk, std::size_t wanted, std::size_t most) {
    return wanted <= most ? wanted : bulk ? 0 : most;
  }

  void enqueue() {
    if (prng_.below(4) == 0) {
      void* one = fresh();
      const bool fits = room() > 0;
      EXPECT_EQ(ring_.enqueue(one), fits);
      if (fits) model_.push_back(one);
      return;
    }
    std::vector<void*> in(some());
    std::generate(in.begin(), in.end(), [this] { return fresh(); });
    const bool bulk = prng_.below(2) == 0;
    const std::size_t expected = fitting(bulk, in.size(), room());
    const std::span<void* const> all{in};
    const bool peek = prng_.below(2) == 0;
    if constexpr (ProducerSync::kCanPeek) {
      if (peek) return enqueue_in_two_steps(all, bulk, expected);
    }
    const RteMoved moved = bulk ? ring_.enqueue_bulk(all) : ring_.enqueue_burst(all);
    EXPECT_EQ(moved.count, expected);
    EXPECT_EQ(moved.left, room() - expected);
    model_.insert(model_.end(), in.begin(), in.begin() + static_cast<std::ptrdiff_t>(expected));
  }

  void enqueue_in_two_steps(std::span<void* const> all, bool bulk, std::size_t expected) {
    const std::size_t commit = prng_.below(static_cast<std::uint32_t>(expected) + 1);
    if (prng_.below(2) == 0) {
      const RteMoved got = bulk ? ring_.enqueue_start(all.size())
                                : ring_.template enqueue_start<RteFit::kAny>(all.size());
      EXPECT_EQ(got.count, expected);
      EXPECT_EQ(got.left, room() - expected);
      if (got.count != 0) ring_.enqueue_finish(all.first(commit));
    } else {
      const auto got = bulk ? ring_.enqueue_zc_start(all.size())
                            : ring_.template enqueue_zc_start<RteFit::kAny>(all.size());
      EXPECT_EQ(got.count(), expected);
      EXPECT_EQ(got.left, room() - expected);
      for (std::size_t i = 0; i < commit; ++i) at(got, i).set(all[i]);
      if (expected != 0) ring_.enqueue_zc_finish(commit);
    }
    for (void* each : all.first(commit)) model_.push_back(each);
  }

  void dequeue() {
    if (prng_.below(4) == 0) {
      void* expected = model_.empty() ? nullptr : model_.front();
      EXPECT_EQ(ring_.dequeue(), expected);
      if (expected != nullptr) model_.pop_front();
      return;
    }
    std::vector<void*> out(some());
    const bool bulk = prng_.below(2) == 0;
    const std::size_t expected = fitting(bulk, out.size(), model_.size());
    const std::span<void*> all{out};
    const bool peek = prng_.below(2) == 0;
    if constexpr (ConsumerSync::kCanPeek) {
      if (peek) return dequeue_in_two_steps(all, bulk, expected);
    }
    const RteMoved moved = bulk ? ring_.dequeue_bulk(all) : ring_.dequeue_burst(all);
    EXPECT_EQ(moved.count, expected);
    EXPECT_EQ(moved.left, model_.size() - expected);
    take(all.first(expected), expected);
  }

  void dequeue_in_two_steps(std::span<void*> out, bool bulk, std::size_t expected) {
    const std::size_t commit = prng_.below(static_cast<std::uint32_t>(expected) + 1);
    if (prng_.below(2) == 0) {
      const RteMoved got =
          bulk ? ring_.dequeue_start(out) : ring_.template dequeue_start<RteFit::kAny>(out);
      EXPECT_EQ(got.count, expected);
      EXPECT_EQ(got.left, model_.size() - expected);
      if (got.count != 0) ring_.dequeue_finish(commit);
    } else {
      const auto got = bulk ? ring_.dequeue_zc_start(out.size())
                            : ring_.template dequeue_zc_start<RteFit::kAny>(out.size());
      EXPECT_EQ(got.count(), expected);
      EXPECT_EQ(got.left, model_.size() - expected);
      for (std::size_t i = 0; i < got.count(); ++i) out[i] = at(got, i).get();
      if (expected != 0) ring_.dequeue_finish(commit);
    }
    take(out.first(expected), commit);
  }

  // seen: the oldest entries; the first `taken` of them have left.
  void take(std::span<void* const> seen, std::size_t taken) {
    EXPECT_TRUE(std::equal(seen.begin(), seen.end(), model_.begin()));
    model_.erase(model_.begin(), model_.begin() + static_cast<std::ptrdiff_t>(taken));
  }

  template <class Spans>
  static auto& at(const Spans& spans, std::size_t i) {
    return i < spans.first.size() ? spans.first[i] : spans.second[i - spans.first.size()];
  }

  RteRing<Native, ProducerSync, ConsumerSync> ring_;
  std::deque<void*> model_;
  Prng prng_;
  bool rising_ = true;
  std::uintptr_t last_ = 0;
};

template <class Pair>
class RteRingModel : public testing::Test {};

using Pairs = testing::Types<
    std::tuple<SingleThread, SingleThread>, std::tuple<SingleThread, MultiThread>,
    std::tuple<SingleThread, RelaxedTailSync>, std::tuple<SingleThread, HeadTailSync>,
    std::tuple<MultiThread, SingleThread>, std::tuple<MultiThread, MultiThread>,
    std::tuple<MultiThread, RelaxedTailSync>, std::tuple<MultiThread, HeadTailSync>,
    std::tuple<RelaxedTailSync, SingleThread>, std::tuple<RelaxedTailSync, MultiThread>,
    std::tuple<RelaxedTailSync, RelaxedTailSync>, std::tuple<RelaxedTailSync, HeadTailSync>,
    std::tuple<HeadTailSync, SingleThread>, std::tuple<HeadTailSync, MultiThread>,
    std::tuple<HeadTailSync, RelaxedTailSync>, std::tuple<HeadTailSync, HeadTailSync>>;
TYPED_TEST_SUITE(RteRingModel, Pairs);

TYPED_TEST(RteRingModel, BehavesLikeADeque) {
  for (const std::uint64_t seed : test::seeds(3)) {
    for (const Shape& shape : kShapes) {
      SCOPED_TRACE(test::repeat_with(seed) + ", size " + std::to_string(shape.size) +
                   (shape.exact ? " exact" : ""));
      Walk<std::tuple_element_t<0, TypeParam>, std::tuple_element_t<1, TypeParam>> walk{shape,
                                                                                        seed};
      for (int i = 0; i < kSteps && !testing::Test::HasFailure(); ++i) walk.step();
    }
  }
}

}  // namespace
}  // namespace qdiscsim
