// PageKeeper: a consumer that is broken on purpose. It sees every packet that its generator builds,
// takes a reference to the page of every n-th one and never puts it: the packet goes its way, the
// page does not come home. Its pool counts it as in flight from then on (hold - release).
//
// As a tap would that holds on to its fragments (PagePool::get() is the kernel's
// page_pool_ref_page).
//
// Threads: see() on the generator's; kept() from any; the rest while the generator's thread rests.
#pragma once

#include <cstdint>

#include "base/counter.h"
#include "base/cpu_id.h"
#include "pagepool/page.h"

namespace qdiscsim {

struct Leak {
  std::uint64_t every = 0;    // the page of every n-th packet is kept; 0: none
  std::uint64_t at_most = 0;  // pages kept in all
};

template <class Smp, class Pool>
class PageKeeper {
 public:
  using PageType = Page<Smp>;

  PageKeeper() = default;
  PageKeeper(const PageKeeper&) = delete;
  PageKeeper& operator=(const PageKeeper&) = delete;

  // The page of a packet that was just built: the caller alone holds it. A limit below what is kept
  // already gives nothing back.
  void see(PageType* page, const Leak& leak) noexcept {
    if (++seen_ < leak.every) return;
    seen_ = 0;
    if (kept_.read() >= leak.at_most) return;
    Pool::get(page);
    page->next_kept = pages_;
    pages_ = page;
    kept_.add(1);
  }

  // Pages kept so far; they are of the pools that the generator had, one after the other.
  std::uint64_t kept() const noexcept { return kept_.read(); }

  // Those whose packet has gone: nobody else holds the page. The packets of the others wait.
  std::uint64_t kept_alone() const noexcept {
    std::uint64_t alone = 0;
    for (const PageType* page = pages_; page != nullptr; page = page->next_kept) {
      alone += page->pp_ref.load(smp::acquire) == 1 ? 1U : 0U;  // partner: PageOrders::drop
    }
    return alone;
  }

  // Puts them all, as the CPU `cpu`, so that the pools can go. kept() stays.
  void let_go(CpuId cpu) noexcept {
    while (pages_ != nullptr) {
      PageType* page = pages_;
      pages_ = page->next_kept;
      Pool::of(page)->put(page, cpu);
    }
  }

 private:
  PageType* pages_ = nullptr;  // the one kept last, linked by next_kept
  std::uint64_t seen_ = 0;     // packets since a page was kept
  Counter<Smp> kept_;
};

}  // namespace qdiscsim
