// PageArena: all the packet memory of the process, one mapping of N pages, and their descriptors.
//
// The memory is real: it is faulted in before the constructor returns, so that the data path never
// takes a page fault, and huge pages are used where the machine allows them, so that it rarely
// misses the TLB. Each page's NUMA node is recorded then; pages do not move later.
//
// Threads: construct and destroy on one thread; in between the arena itself never changes.
// Errors: PageArenaError with one line that names the size, the system's reason and the way out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "pagepool/page.h"

namespace qdiscsim {

enum class HugePages : std::uint8_t {
  kNever,    // normal pages, also where the system would use huge pages by itself
  kTry,      // MAP_HUGETLB, else transparent huge pages, else normal pages
  kRequire,  // MAP_HUGETLB, else transparent huge pages, else PageArenaError
};

class PageArenaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The mapping alone, without descriptors.
class PageRegion {
 public:
  // pages: 1 or more. Throws PageArenaError.
  PageRegion(std::size_t pages, HugePages huge_pages);
  ~PageRegion();
  PageRegion(const PageRegion&) = delete;
  PageRegion& operator=(const PageRegion&) = delete;

  std::byte* page(std::size_t index) const noexcept { return base_ + index * kPageBytes; }
  std::size_t pages() const noexcept { return pages_; }

  // What the memory really is: "hugetlb", "transparent huge pages" (for more than half of it, by
  // the kernel's own account) or "normal pages".
  std::string_view backing() const noexcept { return backing_; }

  // Fills nodes[0 .. pages()) with the NUMA node of each page; -1 where the system does not tell.
  void read_nodes(std::int32_t* nodes) const;

 private:
  bool map_hugetlb() noexcept;
  void map_small(HugePages huge_pages);
  void populate();

  std::byte* base_ = nullptr;
  std::size_t pages_;
  void* mapping_ = nullptr;  // what to unmap: it begins and ends on the huge page's bounds
  std::size_t mapping_bytes_ = 0;
  std::string_view backing_;
};

template <class Smp>
class PageArena {
 public:
  PageArena(std::size_t pages, HugePages huge_pages)
      : region_{pages, huge_pages}, pages_{std::make_unique<Page<Smp>[]>(pages)} {
    const auto nodes = std::make_unique<std::int32_t[]>(pages);
    region_.read_nodes(nodes.get());
    for (std::size_t i = 0; i < pages; ++i) {
      pages_[i].data = region_.page(i);
      pages_[i].index = static_cast<std::uint32_t>(i);
      pages_[i].node = nodes[i];
    }
  }

  std::size_t size() const noexcept { return region_.pages(); }
  Page<Smp>& page(std::size_t index) noexcept { return pages_[index]; }
  std::string_view backing() const noexcept { return region_.backing(); }
  // NUMA node of the first page, -1 unknown.
  std::int32_t node() const noexcept { return pages_[0].node; }

 private:
  PageRegion region_;
  std::unique_ptr<Page<Smp>[]> pages_;
};

}  // namespace qdiscsim
