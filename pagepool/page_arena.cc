#include "pagepool/page_arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace qdiscsim {
namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20U;
constexpr std::string_view kHugetlb = "hugetlb";
constexpr std::string_view kTransparent = "transparent huge pages";
constexpr std::string_view kNormal = "normal pages";

std::size_t round_up_to_huge(std::size_t value) {
  return (value + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
}

std::string size_text(std::size_t bytes) {
  const bool mib = bytes >= std::size_t{1} << 20U;
  return std::to_string(mib ? bytes >> 20U : bytes >> 10U) + (mib ? " MiB" : " KiB");
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

[[noreturn]] void no_memory(std::size_t bytes, const std::string& why) {
  throw PageArenaError{"cannot get " + size_text(bytes) + " of page memory: " + why +
                       "; lower the memory limit or free memory on this machine"};
}

// Bytes that can be used without swapping, by the kernel's estimate; max when it does not say.
std::size_t available_bytes() {
  std::ifstream meminfo{"/proc/meminfo"};
  std::string key;
  std::size_t kib = 0;
  for (std::string line; std::getline(meminfo, line);) {
    std::istringstream fields{line};
    if (fields >> key >> kib && key == "MemAvailable:") return kib << 10U;
  }
  return std::numeric_limits<std::size_t>::max();
}

// How much of the mapping at address is made of transparent huge pages, from /proc/self/smaps.
std::size_t transparent_bytes(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream smaps{"/proc/self/smaps"};
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    std::size_t kib = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &from, &to) == 2) {
      inside = from <= wanted && wanted < to;
    } else if (inside && std::sscanf(line.c_str(), "AnonHugePages: %zu", &kib) == 1) {
      return kib << 10U;
    }
  }
  return 0;
}

// The two calls below have no wrapper in the C library; libnuma is not worth a dependency.
bool nodes_by_move_pages(void** addresses, std::int32_t* nodes, std::size_t count) noexcept {
  // Without target nodes the call only reports where the pages are.
  return syscall(SYS_move_pages, 0, count, addresses, nullptr, nodes, 0) == 0;
}

std::int32_t node_by_mempolicy(void* address) noexcept {
  constexpr unsigned long kNodeOfAddress = 1U | 2U;  // MPOL_F_NODE | MPOL_F_ADDR
  int node = -1;
  return syscall(SYS_get_mempolicy, &node, nullptr, 0, address, kNodeOfAddress) == 0 ? node : -1;
}

}  // namespace

PageRegion::PageRegion(std::size_t pages, HugePages huge_pages) : pages_{pages} {
  if (pages == 0) throw PageArenaError{"page memory of 0 pages: at least 1 is needed"};
  if (pages > std::numeric_limits<std::uint32_t>::max()) {
    throw PageArenaError{"page memory of " + std::to_string(pages) +
                         " pages: at most 4294967295 are supported"};
  }
  if (huge_pages != HugePages::kNever && map_hugetlb()) return;
  const int hugetlb_error = errno;
  map_small(huge_pages);
  if (huge_pages == HugePages::kRequire && backing_ != kTransparent) {
    munmap(mapping_, mapping_bytes_);
    const std::size_t bytes = pages * kPageBytes;
    throw PageArenaError{
        "cannot get " + size_text(bytes) + " of page memory in huge pages: MAP_HUGETLB: " +
        reason(hugetlb_error) + "; transparent huge pages: not given; reserve them with 'sysctl " +
        "vm.nr_hugepages=" + std::to_string(round_up_to_huge(bytes) / kHugePageBytes) +
        "' or allow normal pages"};
  }
}

PageRegion::~PageRegion() {
  munmap(mapping_, mapping_bytes_);
}

// Reserved huge pages: the kernel sets them aside in mmap, so faulting them in cannot fail later.
bool PageRegion::map_hugetlb() noexcept {
  mapping_bytes_ = round_up_to_huge(pages_ * kPageBytes);
  constexpr int kHugePage2M = 21 << 26;  // MAP_HUGE_2MB
  mapping_ = mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE | kHugePage2M, -1, 0);
  if (mapping_ == MAP_FAILED) return false;
  base_ = static_cast<std::byte*>(mapping_);
  backing_ = kHugetlb;
  return true;
}

void PageRegion::map_small(HugePages huge_pages) {
  const std::size_t bytes = pages_ * kPageBytes;
  // Overcommitted memory is promised by mmap and taken back by the OOM killer: ask before.
  const std::size_t available = available_bytes();
  if (bytes > available) no_memory(bytes, "only " + size_text(available) + " available");
  // Room to begin on a huge page's bound, without which the first and last one would be small.
  mapping_bytes_ = bytes + kHugePageBytes;
  mapping_ =
      mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) no_memory(bytes, reason(errno));
  const auto start = reinterpret_cast<std::uintptr_t>(mapping_);
  base_ = static_cast<std::byte*>(mapping_) + (round_up_to_huge(start) - start);
  // A refusal (a kernel without huge pages) leaves normal pages, which is the answer then.
  static_cast<void>(madvise(mapping_, mapping_bytes_,
                            huge_pages == HugePages::kNever ? MADV_NOHUGEPAGE : MADV_HUGEPAGE));
  try {
    populate();
  } catch (...) {
    munmap(mapping_, mapping_bytes_);
    throw;
  }
  backing_ = transparent_bytes(base_) * 2 > bytes ? kTransparent : kNormal;
}

void PageRegion::populate() {
  const std::size_t bytes = pages_ * kPageBytes;
#if defined(MADV_POPULATE_WRITE)
  if (madvise(base_, bytes, MADV_POPULATE_WRITE) == 0) return;
  if (errno != EINVAL) no_memory(bytes, reason(errno));
#endif
  // Kernels before 5.14: writing is what makes a page real.
  for (std::size_t i = 0; i < pages_; ++i) *const_cast<volatile std::byte*>(page(i)) = std::byte{0};
}

void PageRegion::read_nodes(std::int32_t* nodes) const {
  constexpr std::size_t kChunk = 512;
  std::array<void*, kChunk> addresses{};
  for (std::size_t first = 0; first < pages_; first += kChunk) {
    const std::size_t count = std::min(kChunk, pages_ - first);
    for (std::size_t i = 0; i < count; ++i) addresses[i] = page(first + i);
    if (!nodes_by_move_pages(addresses.data(), nodes + first, count)) {
      // Sandboxes often forbid the call; one look-up says enough for the whole chunk.
      std::fill_n(nodes + first, count, node_by_mempolicy(addresses[0]));
    }
    // Negative: the kernel's error for this page.
    for (std::size_t i = first; i < first + count; ++i) nodes[i] = std::max(nodes[i], -1);
  }
}

}  // namespace qdiscsim
