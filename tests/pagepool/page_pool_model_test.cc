// Random walks over every operation of PagePool, step by step against a model: which page comes
// out, where each one is, and all counts.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/prng.h"
#include "base/smp_native.h"
#include "pagepool/page_pool.h"
#include "tests/base/seed.h"
#include "tests/ring/ring_model.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;
using Pool = PagePool<Smp>;
using PageType = Page<Smp>;

constexpr std::size_t kPages = 600;
constexpr int kSteps = 20'000;
constexpr CpuId kCpus = 3;

struct Model {
  explicit Model(std::size_t ring_size) : ring{ring_size} {}

  bool push(PageType* page) {
    if (cache.size() == Pool::kCacheSize) {
      ++stats.recycle_cache_full;
      return false;
    }
    cache.push_back(page);
    ++stats.recycle_cached;
    return true;
  }

  PageType* pop() {
    PageType* page = cache.back();
    cache.pop_back();
    return page;
  }

  test::RingModel<PageType*> ring;
  std::vector<PageType*> cache;      // newest last
  std::vector<PageType*> free_list;  // top last
  PagePoolStats stats;
  std::uint64_t hold = 0;
  std::uint64_t release = 0;
  std::uint64_t failures = 0;
  CpuId owner = 0;
  std::int32_t node = -1;
};

class Walk {
 public:
  Walk(std::uint32_t pool_size, std::uint64_t seed)
      : prng_{seed},
        pool_{allocator_, {.pool_size = pool_size, .owner_cpu = 0, .cpus = kCpus, .node = -1}},
        model_{pool_size} {
    for (std::size_t i = kPages; i > 0; --i) {
      PageType* page = &arena_.page(i - 1);
      page->node = static_cast<std::int32_t>(prng_.below(8) == 0);
      model_.free_list.push_back(page);
    }
  }

  ~Walk() {
    for (const Held& held : out_) {
      for (int i = 0; i < held.holders; ++i) pool_.put(held.page, 1);
    }
    for (PageType* page : foreign_) allocator_.put(page);
    EXPECT_EQ(pool_.destroy(), 0);
    EXPECT_EQ(allocator_.free_pages(), kPages);
  }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  void step() {
    if (prng_.below(400) == 0) rising_ = !rising_;
    const std::uint32_t pick = prng_.below(100);
    if (pick < (rising_ ? 60U : 35U)) return alloc();
    if (pick < 85) return put();
    if (pick < 92) return put_bulk();
    if (pick < 94) return share();
    if (pick < 96) return hold_foreign();
    if (pick < 98) return drop_foreign();
    if (prng_.below(20) != 0) return;
    switch (prng_.below(4)) {
      case 0:
        return update_node();
      case 1:
        return destroy();
      case 2:
        return allocator_.set_limit(limit_ = prng_.between(50, kPages));
      default:
        model_.owner = prng_.below(kCpus);
        return pool_.set_owner_cpu(model_.owner);
    }
  }

  void check_state() {
    ASSERT_EQ(pool_.stats().values(), model_.stats.values());
    ASSERT_EQ(pool_.hold(), model_.hold);
    ASSERT_EQ(pool_.release(), model_.release);
    ASSERT_EQ(pool_.cache_pages(), model_.cache.size());
    ASSERT_EQ(pool_.ring_pages(), model_.ring.entries().size());
    ASSERT_EQ(allocator_.free_pages(), model_.free_list.size());
    ASSERT_EQ(allocator_.failures(), model_.failures);
    ASSERT_EQ(static_cast<std::size_t>(pool_.inflight()),
              model_.cache.size() + model_.ring.entries().size() + out_.size());
  }

 private:
  struct Held {
    PageType* page;
    int holders;
  };

  // ---- alloc ----

  PageType* model_alloc() {
    Model& m = model_;
    if (!m.cache.empty()) {
      ++m.stats.alloc_fast;
      return m.pop();
    }
    if (m.ring.entries().empty()) {
      ++m.stats.alloc_empty;
      return model_slow();
    }
    while (m.cache.size() < Pool::kRefill) {
      PageType* page = m.ring.consume();
      if (page == nullptr) break;
      if (m.node != -1 && page->node != m.node) {
        ++m.stats.alloc_waive;
        model_release(page);
        break;
      }
      m.cache.push_back(page);
    }
    if (m.cache.empty()) return model_slow();
    ++m.stats.alloc_refill;
    return m.pop();
  }

  PageType* model_slow() {
    Model& m = model_;
    const std::size_t in_use = kPages - m.free_list.size();
    std::size_t count = std::min<std::size_t>(Pool::kRefill, m.free_list.size());
    count = std::min(count, limit_ > in_use ? limit_ - in_use : 0);
    if (count == 0) {
      ++m.failures;
      return nullptr;
    }
    for (std::size_t i = 0; i < count; ++i) {
      m.cache.push_back(m.free_list.back());
      m.free_list.pop_back();
    }
    m.hold += count;
    ++m.stats.alloc_slow;
    return m.pop();
  }

  void alloc() {
    PageType* page = pool_.alloc();
    ASSERT_EQ(page, model_alloc());
    if (page == nullptr) return;
    ASSERT_EQ(Pool::of(page), &pool_);
    ASSERT_EQ(page->refcount.load(smp::relaxed), 1U);
    ASSERT_EQ(page->pp_ref.load(smp::relaxed), 1);
    out_.push_back({page, 1});
  }

  // ---- put ----

  bool foreign(PageType* page) const {
    return std::find(foreign_.begin(), foreign_.end(), page) != foreign_.end();
  }

  void model_release(PageType* page) {
    ++model_.release;
    if (!foreign(page)) model_.free_list.push_back(page);
  }

  // True when the page is fit for the cache or the ring.
  bool model_recyclable(PageType* page) {
    if (!foreign(page) && !page->pfmemalloc) return true;
    ++model_.stats.recycle_released_refcnt;
    model_release(page);
    return false;
  }

  void model_put(PageType* page, bool direct) {
    if (!model_recyclable(page)) return;
    if (direct && model_.push(page)) return;
    if (model_.ring.produce(page)) {
      ++model_.stats.recycle_ring;
    } else {
      ++model_.stats.recycle_ring_full;
      model_release(page);
    }
  }

  // One of the pages out there, and whether this was its last holder.
  std::pair<PageType*, bool> give_back() {
    const std::size_t i = prng_.below(static_cast<std::uint32_t>(out_.size()));
    Held& held = out_[i];
    PageType* page = held.page;
    const bool last = --held.holders == 0;
    if (last) {
      held = out_.back();
      out_.pop_back();
    }
    return {page, last};
  }

  void put() {
    if (out_.empty()) return;
    const auto [page, last] = give_back();
    if (prng_.below(50) == 0) page->pfmemalloc = true;
    const CpuId cpu = prng_.below(kCpus);
    const bool allow_direct = prng_.below(8) == 0;
    if (last) model_put(page, allow_direct || cpu == model_.owner);
    pool_.put(page, cpu, allow_direct);
  }

  void put_bulk() {
    const CpuId cpu = prng_.below(kCpus);
    std::vector<PageType*> pages;
    std::vector<bool> last;
    for (std::uint32_t n = prng_.below(40); n > 0 && !out_.empty(); --n) {
      const auto [page, was_last] = give_back();
      pages.push_back(page);
      last.push_back(was_last);
    }
    for (std::size_t from = 0; from < pages.size(); from += Pool::kBulk) {
      std::vector<PageType*> left;
      for (std::size_t i = from; i < std::min(pages.size(), from + Pool::kBulk); ++i) {
        if (!last[i] || !model_recyclable(pages[i])) continue;
        if (cpu == model_.owner && model_.push(pages[i])) continue;
        left.push_back(pages[i]);
      }
      std::size_t stored = 0;
      while (stored < left.size() && model_.ring.produce(left[stored])) ++stored;
      model_.stats.recycle_ring += stored;
      model_.stats.recycle_ring_full += stored < left.size() ? 1 : 0;
      for (std::size_t i = stored; i < left.size(); ++i) model_release(left[i]);
    }
    pool_.put_bulk(pages, cpu);
  }

  // ---- references ----

  void share() {
    if (out_.empty()) return;
    Held& held = out_[prng_.below(static_cast<std::uint32_t>(out_.size()))];
    ++held.holders;
    Pool::get(held.page);
  }

  // Somebody outside the pool takes a reference to a page, at most one each.
  void hold_foreign() {
    if (out_.empty()) return;
    PageType* page = out_[prng_.below(static_cast<std::uint32_t>(out_.size()))].page;
    if (foreign(page)) return;
    Pool::Allocator::get(page);
    foreign_.push_back(page);
  }

  void drop_foreign() {
    if (foreign_.empty()) return;
    const std::size_t i = prng_.below(static_cast<std::uint32_t>(foreign_.size()));
    PageType* page = foreign_[i];
    foreign_.erase(foreign_.begin() + static_cast<std::ptrdiff_t>(i));
    allocator_.put(page);
    const bool out =
        std::any_of(out_.begin(), out_.end(), [&](const Held& held) { return held.page == page; });
    // Else the pool has let go of it already, and this was its last reference.
    if (!out) model_.free_list.push_back(page);
  }

  // ---- the whole pool ----

  void update_node() {
    model_.node = static_cast<std::int32_t>(prng_.below(3)) - 1;
    while (!model_.cache.empty()) model_release(model_.pop());
    pool_.update_node(model_.node);
  }

  void destroy() {
    while (!model_.cache.empty()) model_release(model_.pop());
    while (PageType* page = model_.ring.consume()) model_release(page);
    ASSERT_EQ(static_cast<std::size_t>(pool_.destroy()), out_.size());
    model_.owner = kNoCpu;
  }

  Prng prng_;
  PageArena<Smp> arena_{kPages, HugePages::kNever};
  Pool::Allocator allocator_{arena_};
  Pool pool_;
  Model model_;
  std::vector<Held> out_;
  std::vector<PageType*> foreign_;
  std::size_t limit_ = kPages;
  bool rising_ = true;
};

TEST(PagePoolModel, BehavesLikeAStackADequeAndAFreeList) {
  for (const std::uint64_t seed : test::seeds(4)) {
    for (const std::uint32_t size : {1U, 4U, 31U, 64U, 100U, 1024U}) {
      SCOPED_TRACE(test::repeat_with(seed) + ", pool_size " + std::to_string(size));
      Walk walk{size, seed};
      for (int i = 0; i < kSteps && !testing::Test::HasFailure(); ++i) {
        SCOPED_TRACE("step " + std::to_string(i));
        walk.step();
        walk.check_state();
      }
    }
  }
}

}  // namespace
}  // namespace qdiscsim
