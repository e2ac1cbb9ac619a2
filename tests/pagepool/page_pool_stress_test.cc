// One owner, who allocates and sometimes frees, and other CPUs that send the pages home.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/smp_native.h"
#include "pagepool/page_pool.h"
#include "ring/ptr_ring.h"
#include "ring/typed_ring.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;
using PageType = Page<Smp>;

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kAllocs = 100'000;
constexpr std::uint64_t kMeetings = 10'000;
#else
constexpr std::uint64_t kAllocs = 2'000'000;
constexpr std::uint64_t kMeetings = 100'000;
#endif
constexpr std::size_t kPages = 2000;
constexpr CpuId kOwner = 0;
constexpr CpuId kPutters = 3;

template <class Lock>
class PagePoolStress : public testing::Test {
 protected:
  // A ticket lock on a loaded machine waits for the scheduler at almost every handover.
  static constexpr bool kFair = std::is_same_v<Lock, TicketLock<Smp>>;
  static constexpr std::uint64_t kRounds = kFair ? kAllocs / 20 : kAllocs;

  using Pool = PagePool<Smp, PtrRing<Smp, Lock>>;
  using Channel = TypedRing<PageType, PtrRing<Smp, NoLock<Smp>>>;

  static void stamp(PageType* page, std::uint64_t mark) {
    std::memcpy(page->data, &mark, sizeof mark);
  }
  static std::uint64_t mark_of(const PageType* page) {
    std::uint64_t mark = 0;
    std::memcpy(&mark, page->data, sizeof mark);
    return mark;
  }

  // The owner: every allocated page is marked, and goes to a putter or home directly.
  void own() {
    Smp::Spinner spinner;
    for (std::uint64_t i = 1; i <= kRounds; ++i) {
      PageType* page = nullptr;
      while ((page = pool_.alloc()) == nullptr) spinner.pause();
      stamp(page, i);
      if (i % 5 == 0) {
        pool_.put(page, kOwner);
        continue;
      }
      // Two holders now and then: the last one takes it home, whichever that is.
      const bool shared = i % 7 == 0;
      if (shared) Pool::get(page);
      Channel& channel = channels_.at(i % kPutters);
      while (!channel.produce(page)) spinner.pause();
      if (shared) pool_.put(page, kOwner);
    }
    done_.store(true, std::memory_order_release);
  }

  void send_home(CpuId putter) {
    const CpuId cpu = 1 + putter;
    Channel& channel = channels_.at(putter);
    Smp::Spinner spinner;
    std::uint64_t last = 0;
    for (;;) {
      const bool was_done = done_.load(std::memory_order_acquire);
      std::array<PageType*, 20> pages{};
      const std::size_t count = channel.consume_batched_unlocked(std::span<PageType*>{pages});
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_GT(mark_of(pages.at(i)), last) << "a page came twice, or was used while out";
        last = mark_of(pages.at(i));
      }
      if (count % 2 == 0) {
        pool_.put_bulk({pages.data(), count}, cpu);
      } else {
        for (std::size_t i = 0; i < count; ++i) pool_.put(pages.at(i), cpu);
      }
      if (count != 0) continue;
      if (was_done) return;
      spinner.pause();
    }
  }

  // A scrape: the numbers may be a little apart, but none may go back or leave its range.
  void watch() {
    Smp::Spinner spinner;
    std::uint64_t last_release = 0;
    while (!done_.load(std::memory_order_acquire)) {
      const std::uint64_t release = pool_.release();
      EXPECT_GE(release, last_release);
      last_release = release;
      EXPECT_LE(pool_.cache_pages(), Pool::kCacheSize);
      EXPECT_LE(pool_.ring_pages(), pool_.ring_capacity());
      EXPECT_GE(pool_.inflight(), 0);
      EXPECT_LE(allocator_.free_pages(), kPages);
      for (int i = 0; i < 200; ++i) spinner.pause();
    }
  }

  PageArena<Smp> arena_{kPages, HugePages::kNever};
  typename Pool::Allocator allocator_{arena_};
  // A ring that overflows, so that pages also take the way of the allocator.
  Pool pool_{allocator_, {.pool_size = 128, .owner_cpu = kOwner, .cpus = 1 + kPutters}};
  std::array<Channel, kPutters> channels_{Channel{256}, Channel{256}, Channel{256}};
  std::atomic<bool> done_{false};
};

using RealLocks = testing::Types<TestAndSetLock<Smp>, TicketLock<Smp>>;
TYPED_TEST_SUITE(PagePoolStress, RealLocks);

TYPED_TEST(PagePoolStress, EveryPageIsInOnePlaceAndEveryCountAddsUp) {
  std::vector<std::thread> threads;
  for (CpuId putter = 0; putter < kPutters; ++putter) {
    threads.emplace_back([this, putter] { this->send_home(putter); });
  }
  threads.emplace_back([this] { this->watch(); });
  this->own();
  for (std::thread& thread : threads) thread.join();

  auto& pool = this->pool_;
  EXPECT_EQ(static_cast<std::uint64_t>(pool.inflight()), pool.cache_pages() + pool.ring_pages());
  EXPECT_EQ(pool.hold() - pool.release(), pool.cache_pages() + pool.ring_pages());
  const PagePoolStats stats = pool.stats();
  EXPECT_EQ(stats.alloc_fast + stats.alloc_refill + stats.alloc_slow, TestFixture::kRounds);
  EXPECT_EQ(stats.recycle_cached + stats.recycle_ring + pool.release(), TestFixture::kRounds);
  EXPECT_EQ(pool.destroy(), 0);
  EXPECT_EQ(this->allocator_.free_pages(), kPages);
}

// Both threads see two holders, both subtract: exactly one may find itself the last, and the count
// must be ready for the page's next life.
TEST(PagePoolSharing, TwoHoldersWhoLeaveAtTheSameTimeRecycleThePageOnce) {
  PageArena<Smp> arena{64, HugePages::kNever};
  PageAllocator<Smp> allocator{arena};
  PagePool<Smp> pool{allocator, {.pool_size = 64, .owner_cpu = 0, .cpus = 2}};
  PageType* page = nullptr;
  std::atomic<std::uint64_t> meeting{0};  // owner and other meet before they put ...
  std::atomic<std::uint64_t> parted{0};   // ... and after
  std::uint64_t wrong = 0;
  std::thread other{[&] {
    for (std::uint64_t i = 1; i <= kMeetings; ++i) {
      Smp::Spinner spinner;
      while (meeting.load(std::memory_order_acquire) < i) spinner.pause();
      pool.put(page, 1);
      parted.store(i, std::memory_order_release);
    }
  }};
  for (std::uint64_t i = 1; i <= kMeetings; ++i) {
    page = pool.alloc();
    pool.get(page);
    meeting.store(i, std::memory_order_release);
    // A varying delay, so that the two meet in every possible way.
    for (std::uint64_t wait = i % 64; wait > 0; --wait)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    pool.put(page, 0);
    Smp::Spinner spinner;
    while (parted.load(std::memory_order_acquire) < i) spinner.pause();
    const PagePoolStats stats = pool.stats();
    const bool recycled_once = stats.recycle_cached + stats.recycle_ring == i;
    if (!recycled_once || page->pp_ref.load(smp::relaxed) != 1) ++wrong;
  }
  other.join();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(pool.destroy(), 0);
}

}  // namespace
}  // namespace qdiscsim
