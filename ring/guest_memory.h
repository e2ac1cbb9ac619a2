// GuestMemory: where the guest's addresses lie in the host, as a table of regions.
//
// A host side of a vring never follows an address that the guest wrote: it looks it up here, checks
// the whole length and the direction, and only then touches memory. Regions do not overlap. Filled
// before threads start, then only read, by any of them.
// Source of the behaviour: vhost's memory table and address translation (linux drivers/vhost).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace qdiscsim {

using GuestAddress = std::uint64_t;

enum class GuestAccess : std::uint8_t { kRead = 1, kWrite = 2, kReadWrite = 3 };

constexpr bool allows(GuestAccess permitted, GuestAccess wanted) noexcept {
  const auto need = static_cast<unsigned>(wanted);
  return (static_cast<unsigned>(permitted) & need) == need;
}

struct GuestRegion {
  GuestAddress start = 0;
  std::uint64_t size = 0;  // bytes, at least 1
  std::byte* host = nullptr;
  GuestAccess access = GuestAccess::kReadWrite;

  bool covers(GuestAddress address, std::uint64_t length) const noexcept {
    return address >= start && address - start <= size && length <= size - (address - start);
  }
  std::byte* at(GuestAddress address) const noexcept { return host + (address - start); }
};

class GuestMemory {
 public:
  static constexpr std::size_t kMaxRegions = 64;  // vhost's default

  // False, and nothing changes, when the table is full, the region empty, wraps around or overlaps.
  bool add(const GuestRegion& region) noexcept {
    if (count_ == kMaxRegions || region.size == 0) return false;
    if (region.start > ~GuestAddress{0} - (region.size - 1)) return false;
    std::size_t at = 0;
    while (at < count_ && regions_[at].start < region.start) ++at;
    if (at < count_ && regions_[at].start - region.start < region.size) return false;
    if (at > 0 && region.start - regions_[at - 1].start < regions_[at - 1].size) return false;
    std::copy_backward(regions_.begin() + static_cast<std::ptrdiff_t>(at),
                       regions_.begin() + static_cast<std::ptrdiff_t>(count_),
                       regions_.begin() + static_cast<std::ptrdiff_t>(count_) + 1);
    regions_[at] = region;
    ++count_;
    return true;
  }

  std::size_t regions() const noexcept { return count_; }

  // The region that holds this address; null when none does.
  const GuestRegion* find(GuestAddress address) const noexcept {
    std::size_t low = 0;
    std::size_t high = count_;
    while (low < high) {  // the first region that starts behind the address
      const std::size_t middle = (low + high) / 2;
      if (regions_[middle].start <= address) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0) return nullptr;
    const GuestRegion& region = regions_[low - 1];
    return address - region.start < region.size ? &region : nullptr;
  }

 private:
  std::array<GuestRegion, kMaxRegions> regions_{};  // by start
  std::size_t count_ = 0;
};

}  // namespace qdiscsim
