// SkbArray: a PtrRing of skbs that can say how long the next packet is, as tun and tap queues need
// it, whose readers ask for a length before they bring memory.
//
// Threads: as PtrRing. A length is read under the consumer lock, for as long as which the skb
// cannot be taken, and so not freed; the _unlocked form is the consumer's own. Source of the
// behaviour: include/linux/skb_array.h of the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "qdisc/skb.h"
#include "ring/ptr_ring.h"
#include "ring/typed_ring.h"

namespace qdiscsim {

// Bytes that a VLAN tag will add to the packet when it is inserted.
inline constexpr std::uint32_t kVlanHeaderBytes = 4;

// The packet's bytes as its receiver will get them: a tag that is out of line counts as well.
template <class Smp>
std::uint32_t len_with_tag(const Skb<Smp>& skb) noexcept {
  return skb.len + (skb.vlan_tag != 0 ? kVlanHeaderBytes : 0);
}

template <class Smp, class Lock = TestAndSetLock<Smp>, class Clear = ZeroBatch>
class SkbArray : public TypedRing<Skb<Smp>, PtrRing<Smp, Lock, Clear>> {
 public:
  using Ring = PtrRing<Smp, Lock, Clear>;
  using SkbType = Skb<Smp>;
  using TypedRing<SkbType, Ring>::TypedRing;

  // Bytes of the oldest packet, with its tag; 0 when the array is empty.
  std::uint32_t peek_len() noexcept { return this->untyped_ring().peek(len_or_zero); }
  std::uint32_t peek_len_unlocked() const noexcept { return len_or_zero(this->peek_unlocked()); }

  std::size_t consume_batched(std::span<SkbType*> out) noexcept {
    return this->untyped_ring().consume_batched(out);
  }

  // As PtrRing's, with destroy(SkbType*).
  template <class Destroy>
  void unconsume(std::span<SkbType* const> skbs, Destroy&& destroy) noexcept {
    this->untyped_ring().unconsume(skbs, std::forward<Destroy>(destroy));
  }
  template <class Destroy>
  bool resize(std::size_t new_size, Destroy&& destroy) {
    return this->untyped_ring().resize(new_size,
                                       [&](void* entry) { destroy(static_cast<SkbType*>(entry)); });
  }

 private:
  static std::uint32_t len_or_zero(const void* entry) noexcept {
    return entry == nullptr ? 0 : len_with_tag(*static_cast<const SkbType*>(entry));
  }
};

}  // namespace qdiscsim
