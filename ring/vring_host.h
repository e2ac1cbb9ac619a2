// VringHost: the device's side of a vring, as vhost does it.
//
// One thread at a time. It believes nothing that the guest wrote: every access to the ring goes
// through the table of guest memory (the region of each part is looked up once, in attach()), each
// index and each descriptor is checked, each buffer is translated piece by piece.
//
// The avail index is cached and read again only when the cache is used up. CacheAvail says what
// enable_notify() does with the index that it has to read anyway:
//   DropAvailIndex  forgets it, and compares it with the cache (kernels before 5.18)
//   KeepAvailIndex  keeps it, so that the next take() need not read it (5.18 and later)
//
// take() must run with notifications disabled. To sleep: take() until it answers kEmpty, then
// enable_notify(); false from that means that the driver will kick.
// Errors: kBroken from take() when the guest broke the rules; the ring must then be reset.
// Source of the behaviour: linux drivers/vhost/vhost.c.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "base/cacheline.h"
#include "base/smp.h"
#include "ring/guest_memory.h"
#include "ring/vring.h"

namespace qdiscsim {

struct KeepAvailIndex {
  static constexpr bool kKeep = true;
};
struct DropAvailIndex {
  static constexpr bool kKeep = false;
};

// A buffer in the host's addresses: `out` pieces to read, then `in` pieces to write.
struct VringBuffer {
  static constexpr std::size_t kMaxPieces = 64;
  struct Piece {
    std::byte* host = nullptr;
    std::uint32_t length = 0;  // bytes
  };

  std::uint16_t head = 0;  // names the buffer in add_used()
  std::uint16_t out = 0;
  std::uint16_t in = 0;
  std::array<Piece, kMaxPieces> pieces{};
};

// What the host did, for reports; its own thread only.
struct VringHostCounters {
  std::uint64_t avail_index_reads = 0;
  std::uint64_t broken = 0;
};

enum class VringTake : std::uint8_t { kBuffer, kEmpty, kBroken };

template <class Smp, class CacheAvail = KeepAvailIndex, class Orders = VringOrders>
class alignas(kCacheLine) VringHost {
 public:
  // guest: where the ring's block lies in the guest. Both outlive the host.
  VringHost(const Vring<Smp>& ring, const GuestMemory& memory, GuestAddress guest) noexcept
      : memory_{memory},
        layout_{ring},
        descriptors_{guest + Vring<Smp>::descriptors_at(), nullptr},
        avail_part_{guest + ring.avail_at(), nullptr},
        used_part_{guest + ring.used_at(), nullptr},
        size_{static_cast<std::uint32_t>(ring.size())},
        event_index_{ring.event_index()},
        last_avail_{ring.start()},
        avail_{ring.start()},
        last_used_{ring.start()} {}
  VringHost(const VringHost&) = delete;
  VringHost& operator=(const VringHost&) = delete;

  // Looks the ring's parts up. False when the guest memory does not hold all of each: then nothing
  // else may be called.
  [[nodiscard]] bool attach() noexcept {
    return attach(descriptors_, layout_.descriptor_bytes(), GuestAccess::kRead) &&
           attach(avail_part_, layout_.avail_bytes(), GuestAccess::kRead) &&
           attach(used_part_, layout_.used_bytes(), GuestAccess::kReadWrite);
  }

  // The next available buffer.
  VringTake take(VringBuffer& buffer) noexcept {
    if (avail_ == last_avail_) {
      if (!read_avail_index(Orders::observe_avail)) return broken();
      if (avail_ == last_avail_) return VringTake::kEmpty;
    }
    const std::uint16_t head =
        avail_at<Entry>(Vring<Smp>::kAvailRing + (last_avail_ & (size_ - 1)) * sizeof(Entry)).get();
    if (head >= size_) return broken();
    buffer.head = head;
    if (!translate_chain(head, buffer)) return broken();
    ++last_avail_;
    return VringTake::kBuffer;
  }

  // Takes back the last count take()s: the buffers will come again.
  void untake(std::uint16_t count) noexcept {
    last_avail_ = static_cast<std::uint16_t>(last_avail_ - count);
  }

  // Gives buffers back; at most size() at once.
  void add_used(std::span<const VringUsedElement> elements) noexcept {
    for (const VringUsedElement& element : elements) {
      used_at<UsedEntry>(Vring<Smp>::kUsedRing + (last_used_ & (size_ - 1)) * sizeof(UsedEntry))
          .set(element);
      ++last_used_;
    }
    unsignalled_ += static_cast<std::uint32_t>(elements.size());
    used_at<Index>(Vring<Smp>::kIndex).store(last_used_, Orders::publish_used);
  }
  void add_used(std::uint16_t head, std::uint32_t written) noexcept {
    const VringUsedElement element{head, written};
    add_used({&element, 1});
  }

  // Whether the driver wants a signal for what was used since the last call. A full barrier.
  [[nodiscard]] bool signal_prepare() noexcept {
    used_at<Index>(Vring<Smp>::kIndex).store(last_used_, Orders::announce);
    if (!event_index_) {
      return (avail_at<Index>(Vring<Smp>::kFlags).load(Orders::inquire) & kVringNoInterrupt) == 0;
    }
    const auto before = static_cast<std::uint16_t>(last_used_ - unsignalled_);
    const bool wrapped = unsignalled_ >= 0x10000;  // so many that the indexes cannot tell
    unsignalled_ = 0;
    const std::uint16_t event = avail_at<Index>(layout_.used_event_offset()).load(Orders::inquire);
    return wrapped || vring_needs_event(event, last_used_, before);
  }

  // Asks for a kick. True: there is work already; disable_notify() and go on. False when kicks were
  // already asked for.
  [[nodiscard]] bool enable_notify() noexcept {
    if (notify_) return false;
    notify_ = true;
    if (event_index_) {
      used_at<Index>(layout_.avail_event_offset()).store(avail_, Orders::invite);
    } else {
      used_at<Index>(Vring<Smp>::kFlags).store(0, Orders::invite);
    }
    if constexpr (CacheAvail::kKeep) {
      return read_avail_index(Orders::recheck) && avail_ != last_avail_;
    } else {
      ++counters_.avail_index_reads;
      return avail_at<Index>(Vring<Smp>::kIndex).load(Orders::recheck) != avail_;
    }
  }

  // With the event index nothing need be written: the driver has passed the event once it kicked.
  void disable_notify() noexcept {
    if (!notify_) return;
    notify_ = false;
    if (!event_index_) {
      used_at<Index>(Vring<Smp>::kFlags).store(kVringNoNotify, Orders::decline);
    }
  }

  // True when there is surely nothing to take; for busy polling.
  bool avail_empty() noexcept {
    if (avail_ != last_avail_) return false;
    return read_avail_index(Orders::observe_avail) && avail_ == last_avail_;
  }

  const VringHostCounters& counters() const noexcept { return counters_; }

 private:
  using Index = typename Vring<Smp>::Index;
  using Entry = typename Vring<Smp>::AvailEntry;
  using UsedEntry = typename Vring<Smp>::UsedEntry;

  // A part of the ring: its guest address, and the region that holds it.
  struct Part {
    GuestAddress guest;
    const GuestRegion* region;
  };

  bool attach(Part& part, std::uint64_t bytes, GuestAccess access) noexcept {
    part.region = memory_.find(part.guest);
    return part.region != nullptr && part.region->covers(part.guest, bytes) &&
           allows(part.region->access, access);
  }

  template <class T>
  static T& locate(const Part& part, std::size_t offset) noexcept {
    return *std::launder(reinterpret_cast<T*>(part.region->at(part.guest + offset)));
  }
  template <class T>
  const T& avail_at(std::size_t offset) const noexcept {
    return locate<const T>(avail_part_, offset);
  }
  template <class T>
  T& used_at(std::size_t offset) const noexcept {
    return locate<T>(used_part_, offset);
  }

  // Refreshes the cache. False when the guest claims more than the ring holds.
  bool read_avail_index(smp::order how) noexcept {
    ++counters_.avail_index_reads;
    avail_ = avail_at<Index>(Vring<Smp>::kIndex).load(how);
    return static_cast<std::uint16_t>(avail_ - last_avail_) <= size_;
  }

  VringTake broken() noexcept {
    ++counters_.broken;
    return VringTake::kBroken;
  }

  bool translate_chain(std::uint16_t head, VringBuffer& buffer) noexcept {
    buffer.out = 0;
    buffer.in = 0;
    std::uint32_t at = head;
    for (std::uint32_t found = 0; found < size_; ++found) {  // longer than the ring: a loop
      if (at >= size_) return false;
      const VringDescriptor descriptor =
          locate<const typename Vring<Smp>::Descriptor>(descriptors_, at * sizeof(VringDescriptor))
              .get();
      const bool writes = (descriptor.flags & VringDescriptor::kWrite) != 0;
      if (!writes && buffer.in != 0) return false;  // what the host reads comes first
      if (!translate(descriptor, writes, buffer)) return false;
      if ((descriptor.flags & VringDescriptor::kNext) == 0) return true;
      at = descriptor.next;
    }
    return false;
  }

  // One descriptor may span several regions.
  bool translate(const VringDescriptor& descriptor, bool writes, VringBuffer& buffer) noexcept {
    const GuestAccess access = writes ? GuestAccess::kWrite : GuestAccess::kRead;
    std::uint64_t left = descriptor.length;
    GuestAddress from = descriptor.address;
    while (left > 0) {
      const std::size_t piece = std::size_t{buffer.out} + buffer.in;
      if (piece == VringBuffer::kMaxPieces) return false;
      const GuestRegion* region = memory_.find(from);
      if (region == nullptr || !allows(region->access, access)) return false;
      const std::uint64_t here = std::min(left, region->size - (from - region->start));
      buffer.pieces[piece] = {region->at(from), static_cast<std::uint32_t>(here)};
      ++(writes ? buffer.in : buffer.out);
      left -= here;
      from += here;
    }
    return true;
  }

  const GuestMemory& memory_;
  const Vring<Smp>& layout_;
  Part descriptors_;
  Part avail_part_;
  Part used_part_;
  std::uint32_t size_;
  bool event_index_;
  bool notify_ = true;             // kicks are wanted, as a new ring starts
  std::uint16_t last_avail_;       // the next entry to take
  std::uint16_t avail_;            // cached avail idx
  std::uint16_t last_used_;        // own index: what used idx holds
  std::uint32_t unsignalled_ = 0;  // used since the last signal_prepare
  VringHostCounters counters_;
};

}  // namespace qdiscsim
