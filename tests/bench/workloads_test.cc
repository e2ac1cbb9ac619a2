// The workloads of ring_bench against rings that are right, and against rings that are broken in
// one place: each workload must tell the two apart, or a bench would praise a ring that loses
// items.

#include "bench/ring/workloads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <mutex>

namespace qdiscsim::ring_bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

enum class Fault : std::uint8_t { kNone, kLose, kDuplicate, kReorder, kForge, kRefuse };

// A queue behind a mutex that goes wrong at the kAt-th item that is put in (0 is the first).
template <Fault kFault, std::uint64_t kAt = 0, bool kInOrder = true>
class FakeRing {
 public:
  static constexpr std::string_view kName = "fake";
  static constexpr std::string_view kAbout = "for tests";
  static constexpr bool kManyProducers = true;
  static constexpr bool kManyConsumers = true;
  static constexpr bool kOrdered = kInOrder;

  FakeRing(std::size_t capacity, unsigned /*producers*/) : capacity_{capacity} {}

  std::size_t push(unsigned producer, void* const* items, std::size_t count) noexcept {
    const std::lock_guard guard{mutex_};
    std::size_t stored = 0;
    while (stored < count && queue_.size() + delayed_.size() < capacity_) {
      if (!store(producer, items[stored])) break;
      ++stored;
    }
    return stored;
  }
  std::size_t pop(unsigned /*consumer*/, void** items, std::size_t count) noexcept {
    const std::lock_guard guard{mutex_};
    std::size_t taken = 0;
    while (taken < count && !queue_.empty()) {
      items[taken++] = queue_.front();
      queue_.pop_front();
    }
    return taken;
  }

 private:
  bool store(unsigned producer, void* item) {
    const bool now = stored_++ == kAt;
    if (kFault == Fault::kRefuse && now) return --stored_, false;
    if (kFault == Fault::kReorder && now) {
      delayed_[producer] = item;  // until this producer's next one has gone in
      return true;
    }
    if (kFault == Fault::kForge && now) item = as_pointer(as_item(item) ^ (1ULL << 63U));
    if (kFault != Fault::kLose || !now) queue_.push_back(item);
    if (kFault == Fault::kDuplicate && now) queue_.push_back(item);
    if (const auto held = delayed_.find(producer); held != delayed_.end()) {
      queue_.push_back(held->second);
      delayed_.erase(held);
    }
    return true;
  }

  std::mutex mutex_;
  std::deque<void*> queue_;
  std::map<unsigned, void*> delayed_;
  std::size_t capacity_;
  std::uint64_t stored_ = 0;
};

using Right = FakeRing<Fault::kNone>;
using RightUnordered = FakeRing<Fault::kNone, 0, false>;
template <std::uint64_t kAt>
using Loses = FakeRing<Fault::kLose, kAt>;
template <std::uint64_t kAt>
using Duplicates = FakeRing<Fault::kDuplicate, kAt>;
template <std::uint64_t kAt>
using Reorders = FakeRing<Fault::kReorder, kAt>;

constexpr std::uint64_t kCount = 300;
constexpr Nanoseconds kShort = 20 * kMillisecond;

Params params_with(std::size_t burst, std::size_t pop, unsigned producers = 2) {
  Params params;
  params.count = kCount;
  params.size = 64;
  params.burst = burst;
  params.pop = pop;
  params.producers = producers;
  return params;
}
Params short_of(Params params) {
  params.time_limit = kShort;
  return params;
}

// ---- rings that are right ----

template <class Ring>
void expect_all_arrive(const Params& params) {
  SCOPED_TRACE(testing::Message() << "size " << params.size << ", burst " << params.burst
                                  << ", pop " << params.pop << ", producers " << params.producers
                                  << ", count " << params.count);
  for (const auto run :
       {&run_simple<Ring>, &run_spsc<Ring>, &run_mpsc<Ring>, &run_ringtest<Ring>}) {
    const Outcome outcome = run(params);
    EXPECT_THAT(outcome.error, IsEmpty());
    EXPECT_EQ(outcome.items, params.count);
    EXPECT_GT(outcome.seconds, 0);
  }
  const Outcome stress = run_stress<Ring>(params);
  EXPECT_THAT(stress.error, IsEmpty());
  EXPECT_GE(stress.items, params.count);
}

TEST(Workloads, PassEveryItemThroughARightRingAtAllSizesAndBursts) {
  for (const std::size_t size : {1U, 2U, 3U, 31U, 32U, 33U, 1000U}) {
    for (const std::size_t burst : {std::size_t{1}, std::size_t{7}, kMaxBurst}) {
      for (const std::size_t pop : {std::size_t{1}, kMaxBurst}) {
        Params params = params_with(burst, pop, 3);
        params.size = size;
        expect_all_arrive<Right>(params);
      }
    }
  }
}

TEST(Workloads, SplitAnyCountOverTheProducers) {
  for (const std::uint64_t count : {1U, 2U, 4U, 5U, 6U}) {
    Params params = params_with(2, 3, 5);
    params.count = count;
    expect_all_arrive<Right>(params);
  }
}

TEST(Workloads, AcceptAnUnorderedRingThatSaysSo) {
  expect_all_arrive<RightUnordered>(params_with(7, 5));
  using Shuffling = FakeRing<Fault::kReorder, 17, false>;
  EXPECT_THAT(run_mpsc<Shuffling>(params_with(7, 5)).error, IsEmpty());
}

TEST(Workloads, RingtestPollsOrSleepsWithAnyBatchAndLimit) {
  for (const bool sleep : {false, true}) {
    for (const std::size_t batch : {0U, 1U, 40U, 1000U}) {
      for (const std::size_t outstanding : {0U, 1U, 33U}) {
        Params params = params_with(8, 16);
        params.sleep = sleep;
        params.batch = batch;
        params.outstanding = outstanding;
        const Outcome outcome = run_ringtest<Right>(params);
        EXPECT_THAT(outcome.error, IsEmpty());
        EXPECT_EQ(outcome.items, kCount);
        EXPECT_EQ(outcome.figures.at(0).first, "kicks");
        if (!sleep) {
          EXPECT_EQ(outcome.figures.at(0).second, 0);
        }
      }
    }
  }
}

TEST(Workloads, StressEndsAtItsTimeLimitWithoutAnError) {
  Params params = short_of(params_with(1, 1));
  params.count = 1'000'000'000'000;
  const Outcome outcome = run_stress<Right>(params);
  EXPECT_THAT(outcome.error, IsEmpty());
  EXPECT_GT(outcome.items, 0U);
  std::vector<std::string> names;
  for (const auto& figure : outcome.figures) names.push_back(figure.first);
  EXPECT_THAT(names, testing::ElementsAre("calls", "objects", "cycles/object", "min cycles/call",
                                          "max cycles/call"));
}

// ---- rings that are not ----

// One producer's items in order: simple, spsc, mpsc with one producer.
template <class Ring, class Matcher>
void expect_error_of_one_producer(const Params& params, Matcher&& matcher) {
  EXPECT_THAT(run_simple<Ring>(params).error, matcher) << "simple";
  EXPECT_THAT(run_spsc<Ring>(params).error, matcher) << "spsc";
  Params alone = params;
  alone.producers = 1;
  EXPECT_THAT(run_mpsc<Ring>(alone).error, matcher) << "mpsc";
}

TEST(Workloads, NameProducerExpectedAndFoundWhenAnItemIsLost) {
  for (const std::size_t burst : {1U, 7U, 256U}) {
    expect_error_of_one_producer<Loses<23>>(
        params_with(burst, 32), HasSubstr(burst == 1 ? "expected producer 0, item 23, found"
                                                     : "item 23, found producer 0"));
  }
}

TEST(Workloads, NoticeADuplicateAtOnce) {
  for (const std::size_t burst : {1U, 7U, 256U}) {
    expect_error_of_one_producer<Duplicates<23>>(
        params_with(burst, 32),
        HasSubstr("expected producer 0, item 24, found producer 0, item 23"));
  }
}

TEST(Workloads, NoticeTwoItemsInTheWrongOrder) {
  expect_error_of_one_producer<Reorders<23>>(
      params_with(7, 32), HasSubstr("expected producer 0, item 23, found producer 0, item 24"));
}

TEST(Workloads, NoticeAValueThatNobodySent) {
  using Forges = FakeRing<Fault::kForge, 23>;
  expect_error_of_one_producer<Forges>(params_with(7, 32),
                                       HasSubstr("found producer 32768, item 23"));
}

TEST(Workloads, NoticeEachFaultAmongManyProducers) {
  const Params params = params_with(4, 8, 3);
  const auto names_a_producer = MatchesRegex(
      "order broken: expected producer [0-2], item [0-9]+, found producer [0-2], item [0-9]+");
  EXPECT_THAT(run_mpsc<Loses<20>>(params).error, names_a_producer);
  EXPECT_THAT(run_mpsc<Duplicates<20>>(params).error, names_a_producer);
  EXPECT_THAT(run_mpsc<Reorders<20>>(params).error, names_a_producer);
}

TEST(Workloads, NoticeTheFaultsOfAnUnorderedRingInTheSums) {
  using LosesOne = FakeRing<Fault::kLose, 20, false>;
  using DuplicatesOne = FakeRing<Fault::kDuplicate, 20, false>;
  const Params params = short_of(params_with(4, 8, 3));
  EXPECT_THAT(run_mpsc<LosesOne>(params).error, HasSubstr("1 of 300 items missing"));
  EXPECT_THAT(run_mpsc<DuplicatesOne>(params).error,
              AllOf(HasSubstr("content broken"), HasSubstr("expected items 0 to")));
}

TEST(Workloads, NoticeThatTheLastItemNeverComesAndSayWhose) {
  const Params params = short_of(params_with(7, 32));
  EXPECT_THAT(run_simple<Loses<kCount - 1>>(params).error,
              HasSubstr("lost: expected producer 0, item 299"));
  EXPECT_THAT(run_spsc<Loses<kCount - 1>>(params).error,
              AllOf(HasSubstr("time limit of 0.020 s reached: 1 of 300 items missing"),
                    HasSubstr("producer 0: 299 of 300 arrived, 300 sent")));
  EXPECT_THAT(
      run_mpsc<Loses<kCount - 1>>(params).error,
      MatchesRegex(".*1 of 300 items missing; producer [01]: 149 of 150 arrived, 150 sent"));
  EXPECT_THAT(run_ringtest<Loses<kCount - 1>>(params).error,
              HasSubstr("1 of 300 buffers missing; 300 sent, 299 at the host, 299 back"));
}

TEST(Workloads, NoticeALastItemThatComesTwice) {
  for (const std::size_t pop : {1U, 7U}) {
    const Params params = params_with(7, pop);
    for (const auto run : {&run_simple<Duplicates<kCount - 1>>, &run_spsc<Duplicates<kCount - 1>>,
                           &run_mpsc<Duplicates<kCount - 1>>}) {
      EXPECT_THAT(run(params).error, HasSubstr(", found producer"));
    }
  }
}

TEST(Workloads, EndWhenARingTakesNoMore) {
  using Refuses = FakeRing<Fault::kRefuse, 20>;
  const Params params = short_of(params_with(4, 8));
  EXPECT_THAT(run_simple<Refuses>(params).error,
              HasSubstr("expected room in an empty ring of 64, found none"));
  EXPECT_THAT(run_spsc<Refuses>(params).error,
              HasSubstr("280 of 300 items missing; producer 0: 20 of 300 arrived, 20 sent"));
  EXPECT_THAT(run_mpsc<Refuses>(params).error, HasSubstr("280 of 300 items missing"));
  EXPECT_THAT(run_ringtest<Refuses>(params).error, HasSubstr("280 of 300 buffers missing"));
  EXPECT_THAT(run_stress<Refuses>(params).error,
              HasSubstr("expected room for 32 objects before the run, found it for 20"));
}

TEST(Workloads, RingtestNoticesEachFault) {
  Params params = params_with(7, 5);
  EXPECT_THAT(run_ringtest<Loses<20>>(params).error, HasSubstr("at the host: order broken"));
  EXPECT_THAT(run_ringtest<Reorders<20>>(params).error, HasSubstr("at the host: order broken"));
  params.sleep = true;
  EXPECT_THAT(run_ringtest<Duplicates<20>>(params).error, HasSubstr("at the host: order broken"));
}

TEST(Workloads, StressNoticesALostAndADoubledObject) {
  // The first 32 items fill the ring; later ones are objects that workers put back.
  for (const unsigned workers : {1U, 3U}) {
    const Params params = params_with(1, 1, workers);
    EXPECT_THAT(run_stress<Loses<100>>(params).error,
                HasSubstr("lost: expected 32 objects at the end, found 31"));
    EXPECT_THAT(run_stress<Duplicates<100>>(params).error, HasSubstr("twice: expected"));
    using Forges = FakeRing<Fault::kForge, 100>;
    EXPECT_THAT(run_stress<Forges>(params).error, HasSubstr("expected an object, found"));
  }
}

// ---- around the run ----

TEST(Workloads, SayThatTheSystemRefusesACpu) {
  Params params = params_with(1, 1);
  params.cpus = {0, 1023};
  EXPECT_THAT(run_mpsc<Right>(params).error, HasSubstr("refuses to run a thread on the CPUs"));
}

TEST(Workloads, TurnAnExceptionOfTheRingIntoAnError) {
  const auto run = guarded([](const Params&) -> Outcome { throw std::bad_alloc{}; });
  EXPECT_THAT(run(Params{}).error, HasSubstr("bad_alloc"));
}

TEST(Workloads, SplitTheCountSoThatNothingIsLeft) {
  for (const unsigned producers : {1U, 3U, 16U}) {
    std::uint64_t sum = 0;
    for (unsigned p = 0; p < producers; ++p) sum += share_of(100, producers, p);
    EXPECT_EQ(sum, 100U);
  }
}

}  // namespace
}  // namespace qdiscsim::ring_bench
