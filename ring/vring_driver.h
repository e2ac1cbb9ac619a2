// VringDriver: the guest's side of a vring: hands buffers to the host, gets them back.
//
// One thread at a time. A driver that sends: add() each buffer, kick the host when kick_prepare()
// says so. To wait for used buffers: disable_callbacks(), get_used() until it answers null, then
// enable_callbacks(); true from that means that sleeping until the host's signal is safe.
//
// The kick's barrier is its store of the index: announce and inquire are both seq_cst, see
// VringOrders. Errors: add answers false when the free descriptors do not suffice. Nothing throws
// on the data path. What the host writes is trusted only as far as get_used checks it: a used
// element that names no buffer in flight is counted in broken() and skipped.
// Source of the behaviour: linux drivers/virtio/virtio_ring.c, split ring without indirect tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/cacheline.h"
#include "base/smp.h"
#include "ring/guest_memory.h"
#include "ring/vring.h"

namespace qdiscsim {

// One piece of a buffer, in the guest's addresses.
struct GuestPiece {
  GuestAddress address = 0;
  std::uint32_t length = 0;  // bytes
};

template <class Smp, class Orders = VringOrders>
class alignas(kCacheLine) VringDriver {
 public:
  // The ring outlives the driver. Throws std::bad_alloc.
  explicit VringDriver(Vring<Smp>& ring)
      : ring_{ring},
        chains_{std::make_unique<Chain[]>(ring.size())},
        mask_{static_cast<std::uint16_t>(ring.size() - 1)},
        avail_{ring.start()},
        last_used_{ring.start()},
        free_{ring.size()} {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      chains_[i].next = static_cast<std::uint16_t>(i + 1);
    }
  }
  VringDriver(const VringDriver&) = delete;
  VringDriver& operator=(const VringDriver&) = delete;

  // Descriptors that are free.
  std::size_t free() const noexcept { return free_; }
  std::uint64_t broken() const noexcept { return broken_; }

  // Makes a buffer available: first what the host reads, then what it writes. token: not null; what
  // get_used() will answer. False when there is no room, or no piece at all.
  bool add(std::span<const GuestPiece> out, std::span<const GuestPiece> in, void* token) noexcept {
    const std::size_t pieces = out.size() + in.size();
    if (pieces > free_ || pieces == 0) return false;
    const std::uint16_t head = free_head_;
    std::size_t left = pieces;
    std::uint16_t at = head;
    for (const GuestPiece& piece : out) at = describe(at, piece, 0, --left != 0);
    for (const GuestPiece& piece : in) {
      at = describe(at, piece, VringDescriptor::kWrite, --left != 0);
    }
    hand_over(head, at, pieces, token);
    return true;
  }
  bool add_out(const GuestPiece& piece, void* token) noexcept {
    return add({&piece, 1}, {}, token);
  }
  bool add_in(const GuestPiece& piece, void* token) noexcept { return add({}, {&piece, 1}, token); }

  // Whether the host wants to be notified of what was added since the last call. A full barrier.
  [[nodiscard]] bool kick_prepare() noexcept {
    ring_.avail_index().store(avail_, Orders::announce);
    const auto before = static_cast<std::uint16_t>(avail_ - added_);
    const bool wrapped = added_ >= 0x10000;  // so many that the indexes cannot tell
    added_ = 0;
    if (!ring_.event_index()) {
      return (ring_.used_flags().load(Orders::inquire) & kVringNoNotify) == 0;
    }
    return wrapped || vring_needs_event(ring_.avail_event().load(Orders::inquire), avail_, before);
  }

  // A buffer that the host is done with; null when there is none. written: bytes, may be null.
  void* get_used(std::uint32_t* written = nullptr) noexcept {
    while (ring_.used_index().load(Orders::observe_used) != last_used_) {
      const VringUsedElement element = ring_.used_entry(last_used_ & mask_).get();
      ++last_used_;
      // While callbacks are on, the next one is wanted for what comes after this buffer.
      if (ring_.event_index() && callbacks_) {
        ring_.used_event().store(last_used_, Orders::invite);
      }
      if (element.id > mask_ || chains_[element.id].token == nullptr) {
        ++broken_;
        continue;
      }
      if (written != nullptr) *written = element.length;
      return take_back(static_cast<std::uint16_t>(element.id));
    }
    return nullptr;
  }

  // A hint: the host may still signal once or twice.
  void disable_callbacks() noexcept {
    if (!callbacks_) return;
    callbacks_ = false;
    if (ring_.event_index()) {
      // The index that was just passed comes round last.
      ring_.used_event().store(static_cast<std::uint16_t>(last_used_ - 1), Orders::decline);
    } else {
      ring_.avail_flags().store(kVringNoInterrupt, Orders::decline);
    }
  }

  // True: nothing is used now, and the host will signal the next buffer. False: there is work.
  [[nodiscard]] bool enable_callbacks() noexcept {
    invite(last_used_);
    return ring_.used_index().load(Orders::recheck) == last_used_;
  }

  // The same, but the signal may come late: when three quarters of what is in flight are used.
  [[nodiscard]] bool enable_callbacks_delayed() noexcept {
    const auto in_flight = static_cast<std::uint16_t>(avail_ - last_used_);
    const auto patience = static_cast<std::uint16_t>(std::uint32_t{in_flight} * 3 / 4);
    invite(static_cast<std::uint16_t>(last_used_ + patience));
    const std::uint16_t used = ring_.used_index().load(Orders::recheck);
    return static_cast<std::uint16_t>(used - last_used_) <= patience;
  }

 private:
  struct Chain {
    void* token = nullptr;     // of the buffer that starts here and is in flight
    std::uint16_t next = 0;    // free list, and the rest of a chain
    std::uint16_t pieces = 0;  // descriptors of the chain that starts here
  };

  // Fills one descriptor; answers the one after it.
  std::uint16_t describe(std::uint16_t at, const GuestPiece& piece, std::uint16_t flags,
                         bool more) noexcept {
    const std::uint16_t next = chains_[at].next;
    const auto all = static_cast<std::uint16_t>(flags | (more ? VringDescriptor::kNext : 0));
    ring_.descriptor(at).set({piece.address, piece.length, all, next});
    return next;
  }

  void hand_over(std::uint16_t head, std::uint16_t after, std::size_t pieces,
                 void* token) noexcept {
    free_head_ = after;
    free_ -= pieces;
    chains_[head].token = token;
    chains_[head].pieces = static_cast<std::uint16_t>(pieces);
    ring_.avail_entry(avail_ & mask_).set(head);
    ++avail_;
    ++added_;
    ring_.avail_index().store(avail_, Orders::publish_avail);
  }

  void* take_back(std::uint16_t head) noexcept {
    Chain& first = chains_[head];
    std::uint16_t last = head;
    for (std::uint16_t i = 1; i < first.pieces; ++i) last = chains_[last].next;
    chains_[last].next = free_head_;
    free_head_ = head;
    free_ += first.pieces;
    void* token = first.token;
    first.token = nullptr;
    return token;
  }

  void invite(std::uint16_t event) noexcept {
    callbacks_ = true;
    if (ring_.event_index()) {
      ring_.used_event().store(event, Orders::invite);
    } else {
      ring_.avail_flags().store(0, Orders::invite);
    }
  }

  Vring<Smp>& ring_;
  std::unique_ptr<Chain[]> chains_;
  std::uint16_t mask_;
  std::uint16_t avail_;      // own index: what avail idx holds
  std::uint16_t last_used_;  // the next used entry to look at
  std::uint16_t free_head_ = 0;
  std::size_t free_;
  std::uint32_t added_ = 0;  // since the last kick_prepare
  bool callbacks_ = true;
  std::uint64_t broken_ = 0;
};

}  // namespace qdiscsim
