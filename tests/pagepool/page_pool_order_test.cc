// The memory orders of the two reference counts are needed: see tests/ring/order_test.cmake. The
// argument names the scenario, fragments or references, with _ORDER for the order that is weakened.
//
// In both, another thread shares a page with the owner and lets go of it first. Nothing but the
// reference count tells the owner so: it then recycles the page and writes to it again.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "base/smp_native.h"
#include "pagepool/page_pool.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;
using PageType = Page<Smp>;

struct WeakDrop : PageOrders {
  static constexpr smp::order drop = smp::relaxed;
};
struct WeakLast : PageOrders {
  static constexpr smp::order last = smp::relaxed;
};

void touch(PageType* page) {
  std::uint64_t value = 0;
  std::memcpy(&value, page->data, sizeof value);
  ++value;
  std::memcpy(page->data, &value, sizeof value);
}

// share(pool, allocator, page) adds a holder, drop(...) ends its hold; count(page) is what both
// change.
template <class Orders, class Share, class Drop, class Count>
int run_shared(Share&& share, Drop&& drop, Count&& count) {
  constexpr int kRounds = 2'000;
  using Pool = PagePool<Smp, PtrRing<Smp>, Orders>;
  PageArena<Smp> arena{64, HugePages::kNever};
  typename Pool::Allocator allocator{arena};
  Pool pool{allocator, {.pool_size = 64, .owner_cpu = 0, .cpus = 2}};
  std::atomic<PageType*> handover{nullptr};  // orders the owner before the other, never back
  std::thread other{[&] {
    for (int i = 0; i < kRounds; ++i) {
      Smp::Spinner spinner;
      PageType* page = nullptr;
      while ((page = handover.load(std::memory_order_acquire)) == nullptr) spinner.pause();
      handover.store(nullptr, std::memory_order_relaxed);
      touch(page);
      drop(pool, allocator, page);
    }
  }};
  for (int i = 0; i < kRounds; ++i) {
    PageType* page = pool.alloc();
    touch(page);
    share(page);
    handover.store(page, std::memory_order_release);
    Smp::spin_until(
        count(page), [](auto holders) { return holders == 1; }, smp::relaxed);
    pool.put(page, 0);
  }
  other.join();
  return pool.destroy() == 0 ? 0 : 1;
}

// Two holders under the page_pool.
template <class Orders>
int fragments() {
  return run_shared<Orders>([](PageType* page) { PagePool<Smp>::get(page); },
                            [](auto& pool, auto&, PageType* page) { pool.put(page, 1); },
                            [](PageType * page) -> auto& { return page->pp_ref; });
}

// A reference of the page's own, past the page_pool.
template <class Orders>
int references() {
  return run_shared<Orders>([](PageType* page) { PageAllocator<Smp>::get(page); },
                            [](auto&, auto& allocator, PageType* page) { allocator.put(page); },
                            [](PageType * page) -> auto& { return page->refcount; });
}

int run(const std::string& variant) {
  if (variant == "fragments") return fragments<PageOrders>();
  if (variant == "fragments_drop") return fragments<WeakDrop>();
  if (variant == "fragments_last") return fragments<WeakLast>();
  if (variant == "references") return references<PageOrders>();
  if (variant == "references_drop") return references<WeakDrop>();
  if (variant == "references_last") return references<WeakLast>();
  std::fprintf(stderr, "unknown variant '%s'\n", variant.c_str());
  return 2;
}

}  // namespace
}  // namespace qdiscsim

int main(int argc, char** argv) {
  return qdiscsim::run(argc == 2 ? argv[1] : "");
}
