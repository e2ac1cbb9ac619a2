// Fragments: several holders of one page of a PagePool. Include page_pool.h, not this file.
//
// A page that is cut up gets `bias` references at once, more than pieces fit it; each piece given
// away uses one up, without an atomic operation. When the page is exhausted, drain_fragments()
// takes the unused ones back, and the holders' puts decide when it comes home.
//
// Source: linux net/core/page_pool.c, page_pool_alloc_frag_netmem(), page_pool_drain_frag(), and
// include/net/page_pool/helpers.h, page_pool_alloc_netmem(). Statistics: since ef04d290c013 (6.13)
// a piece counts nothing.
#pragma once

#include "pagepool/page_pool.h"

namespace qdiscsim {

template <class Smp, class Ring, class Orders>
PageFragment<Smp> PagePool<Smp, Ring, Orders>::alloc_fragment(std::size_t size) noexcept {
  if (!frag_.allowed || size == 0 || size > page_bytes()) return {};
  size = (size + frag_.alignment - 1) & ~(frag_.alignment - 1);
  if (frag_.page != nullptr && frag_.offset + size > page_bytes()) {
    frag_.page = drain_fragments();
    if (frag_.page != nullptr) {
      alloc_fast_.add(1);
      if (!frag_.each_counts_fast) drained_.add(1);
      return cut_up(frag_.page, size);
    }
  }
  if (frag_.page == nullptr) {
    frag_.page = alloc();
    return frag_.page == nullptr ? PageFragment<Smp>{} : cut_up(frag_.page, size);
  }
  ++frag_.users;
  if (frag_.each_counts_fast) alloc_fast_.add(1);
  const std::size_t offset = frag_.offset;
  frag_.offset += size;
  return {frag_.page, offset, size};
}

template <class Smp, class Ring, class Orders>
PageFragment<Smp> PagePool<Smp, Ring, Orders>::alloc_sized(std::size_t size) noexcept {
  if (2 * size > page_bytes()) {
    if (size > page_bytes()) return {};
    PageType* page = alloc();
    return page == nullptr ? PageFragment<Smp>{} : PageFragment<Smp>{page, 0, page_bytes()};
  }
  PageFragment<Smp> piece = alloc_fragment(size);
  if (piece.page != nullptr && frag_.offset + piece.size > page_bytes()) {
    piece.size = page_bytes() - piece.offset;
    frag_.offset = page_bytes();
  }
  return piece;
}

// The first piece of a page that nobody else holds.
template <class Smp, class Ring, class Orders>
PageFragment<Smp> PagePool<Smp, Ring, Orders>::cut_up(PageType* page, std::size_t size) noexcept {
  page->pp_ref.store(frag_.bias, Orders::set);
  frag_.users = 1;
  frag_.offset = size;
  return {page, 0, size};
}

// Takes back what the current page has left of its bias. The page, when it can be cut up anew at
// once; null when its holders have it now, or when it had to be released.
template <class Smp, class Ring, class Orders>
auto PagePool<Smp, Ring, Orders>::drain_fragments() noexcept -> PageType* {
  PageType* page = frag_.page;
  if (!drop_references<Orders>(page->pp_ref, frag_.bias - frag_.users)) return nullptr;
  if (fit(page)) return page;
  owner_release(page);
  return nullptr;
}

}  // namespace qdiscsim
