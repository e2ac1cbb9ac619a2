// Vring: the memory of a virtio split ring, shared by a driver (vring_driver.h, the guest) and a
// host (vring_host.h, as vhost).
//
//   descriptor table  size x {address, length, flags, next}     written by the driver
//   avail ring        {flags, idx, ring[size], used_event}      written by the driver
//   used ring         {flags, idx, ring[size], avail_event}     written by the host
//
// idx counts freely in 16 bits; size is a power of two, 1..32768. Each side suppresses the other's
// notifications: by its flag, or, with the event index, by the index after which it wants one.
// One driver thread and one host thread; the parts are laid out as in the legacy format, so that
// idx and the first entries share a cache line, and the used ring starts on a page of its own.
// Source of the behaviour: VIRTIO 1.x, split virtqueues; linux drivers/virtio and drivers/vhost.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "base/check.h"
#include "base/smp.h"

namespace qdiscsim {

struct VringDescriptor {
  static constexpr std::uint16_t kNext = 1;   // the chain goes on at `next`
  static constexpr std::uint16_t kWrite = 2;  // the host writes to it, else it reads

  std::uint64_t address = 0;  // the guest's
  std::uint32_t length = 0;   // bytes
  std::uint16_t flags = 0;
  std::uint16_t next = 0;
};

struct VringUsedElement {
  std::uint32_t id = 0;      // first descriptor of the chain
  std::uint32_t length = 0;  // bytes that the host wrote
};

inline constexpr std::uint16_t kVringNoInterrupt = 1;  // avail flags: the host need not signal
inline constexpr std::uint16_t kVringNoNotify = 1;     // used flags: the driver need not kick

struct VringOrders {
  // Entries and descriptors before the index that hands them over. Partner: observe.
  static constexpr smp::order publish_avail = smp::release;
  static constexpr smp::order observe_avail = smp::acquire;
  static constexpr smp::order publish_used = smp::release;
  static constexpr smp::order observe_used = smp::acquire;
  // Nobody sleeps on work: each side stores one word, then loads the other's. The one who has work
  // stores its index (announce) and asks whether the other wants to know (inquire); the one who is
  // about to sleep stores its wish (invite) and looks at the index again (recheck). All four are
  // sequentially consistent, so at least one of the two sees what the other stored. An index that
  // the host keeps from recheck lets it read entries, so recheck must also acquire: without that a
  // host read old entries (kernel 5.18 to 6.8, on weakly ordered machines).
  static constexpr smp::order announce = smp::seq_cst;
  static constexpr smp::order inquire = smp::seq_cst;
  static constexpr smp::order invite = smp::seq_cst;
  static constexpr smp::order recheck = smp::seq_cst;
  // A notification that is not wanted any more is a nuisance, not an error.
  static constexpr smp::order decline = smp::relaxed;
};

// Whether the indexes passed since the last decision, old_index (excluded) to new_index, include
// the one after `event`. All of it modulo 2^16.
constexpr bool vring_needs_event(std::uint16_t event, std::uint16_t new_index,
                                 std::uint16_t old_index) noexcept {
  return static_cast<std::uint16_t>(new_index - event - 1) <
         static_cast<std::uint16_t>(new_index - old_index);
}

template <class Smp>
class Vring {
 public:
  static constexpr std::size_t kMaxSize = 32768;
  static constexpr std::size_t kPage = 4096;

  using Index = typename Smp::template atomic<std::uint16_t>;
  using Descriptor = typename Smp::template var<VringDescriptor>;
  using AvailEntry = typename Smp::template var<std::uint16_t>;
  using UsedEntry = typename Smp::template var<VringUsedElement>;

  // size: a power of two, 1..kMaxSize. start: the value of both indexes, for tests of the wrap.
  // Throws std::bad_alloc.
  explicit Vring(std::size_t size, bool event_index, std::uint16_t start = 0)
      : size_{size}, event_index_{event_index}, start_{start} {
    QDISCSIM_CHECK(std::has_single_bit(size) && size <= kMaxSize);
    bytes_.reset(static_cast<std::byte*>(::operator new (bytes(), std::align_val_t{kPage})));
    avail_ = data() + avail_at();
    used_ = data() + used_at();
    std::uninitialized_value_construct_n(&descriptor(0), size);
    std::uninitialized_value_construct_n(&avail_flags(), 2);
    std::uninitialized_value_construct_n(&avail_entry(0), size);
    std::construct_at(&used_event());
    std::uninitialized_value_construct_n(&used_flags(), 2);
    std::uninitialized_value_construct_n(&used_entry(0), size);
    std::construct_at(&avail_event());
    avail_index().store(start, smp::relaxed);
    used_index().store(start, smp::relaxed);
    used_event().store(start, smp::relaxed);
    avail_event().store(start, smp::relaxed);
  }
  Vring(const Vring&) = delete;
  Vring& operator=(const Vring&) = delete;

  std::size_t size() const noexcept { return size_; }
  bool event_index() const noexcept { return event_index_; }
  std::uint16_t start() const noexcept { return start_; }

  // The block, for a table of guest memory.
  std::byte* data() const noexcept { return bytes_.get(); }
  std::size_t bytes() const noexcept { return used_at() + used_bytes(); }

  // Where the three parts start in the block, and their sizes in bytes.
  static constexpr std::size_t descriptors_at() noexcept { return 0; }
  std::size_t avail_at() const noexcept { return size_ * sizeof(Descriptor); }
  std::size_t used_at() const noexcept {
    return (avail_at() + avail_bytes() + kPage - 1) / kPage * kPage;
  }
  std::size_t descriptor_bytes() const noexcept { return avail_at(); }
  std::size_t avail_bytes() const noexcept {
    return 3 * sizeof(Index) + size_ * sizeof(AvailEntry);
  }
  std::size_t used_bytes() const noexcept {
    return kUsedRing + size_ * sizeof(UsedEntry) + sizeof(Index);
  }

  // Offsets inside the avail and the used part.
  static constexpr std::size_t kFlags = 0;
  static constexpr std::size_t kIndex = sizeof(Index);
  static constexpr std::size_t kAvailRing = 2 * sizeof(Index);
  static constexpr std::size_t kUsedRing =
      (2 * sizeof(Index) + alignof(UsedEntry) - 1) / alignof(UsedEntry) * alignof(UsedEntry);
  std::size_t used_event_offset() const noexcept { return kAvailRing + size_ * sizeof(AvailEntry); }
  std::size_t avail_event_offset() const noexcept { return kUsedRing + size_ * sizeof(UsedEntry); }

  Descriptor& descriptor(std::size_t i) const noexcept {
    return *at<Descriptor>(data(), i * sizeof(Descriptor));
  }
  Index& avail_flags() const noexcept { return *at<Index>(avail_, kFlags); }
  Index& avail_index() const noexcept { return *at<Index>(avail_, kIndex); }
  AvailEntry& avail_entry(std::size_t i) const noexcept {
    return *at<AvailEntry>(avail_, kAvailRing + i * sizeof(AvailEntry));
  }
  Index& used_event() const noexcept { return *at<Index>(avail_, used_event_offset()); }
  Index& used_flags() const noexcept { return *at<Index>(used_, kFlags); }
  Index& used_index() const noexcept { return *at<Index>(used_, kIndex); }
  UsedEntry& used_entry(std::size_t i) const noexcept {
    return *at<UsedEntry>(used_, kUsedRing + i * sizeof(UsedEntry));
  }
  Index& avail_event() const noexcept { return *at<Index>(used_, avail_event_offset()); }

 private:
  static_assert(std::is_trivially_destructible_v<Index> &&
                std::is_trivially_destructible_v<Descriptor> &&
                std::is_trivially_destructible_v<AvailEntry> &&
                std::is_trivially_destructible_v<UsedEntry>);

  struct Free {
    void operator()(std::byte* block) const noexcept {
      ::operator delete (block, std::align_val_t{kPage});
    }
  };
  template <class T>
  static T* at(std::byte* part, std::size_t offset) noexcept {
    return std::launder(reinterpret_cast<T*>(part + offset));
  }

  std::size_t size_;
  bool event_index_;
  std::uint16_t start_;
  std::unique_ptr<std::byte, Free> bytes_;
  std::byte* avail_ = nullptr;  // the two rings in the block
  std::byte* used_ = nullptr;
};

}  // namespace qdiscsim
