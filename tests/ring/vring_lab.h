// A vring with its guest memory, driver and host, as the vring tests use it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/smp_native.h"
#include "ring/guest_memory.h"
#include "ring/vring_driver.h"
#include "ring/vring_host.h"

namespace qdiscsim::test {

template <class CacheAvail = KeepAvailIndex, class Orders = VringOrders>
class VringLab {
 public:
  static constexpr GuestAddress kRingAt = 0x10000;
  static constexpr GuestAddress kDataAt = 0x8000'0000;
  static constexpr std::uint32_t kPiece = 64;  // bytes of guest memory per buffer number

  VringLab(std::size_t size, bool event_index, std::uint16_t start = 0)
      : ring{size, event_index, start}, bytes_(kPiece * (2 * size + 1)), driver{ring} {
    QDISCSIM_CHECK(memory.add({kRingAt, ring.bytes(), ring.data(), GuestAccess::kReadWrite}));
    QDISCSIM_CHECK(memory.add({kDataAt, bytes_.size(), bytes_.data(), GuestAccess::kReadWrite}));
    QDISCSIM_CHECK(host.attach());
    host.disable_notify();
  }

  // The number's piece of guest memory, and the same in the host.
  GuestPiece piece(std::size_t number) const {
    return {kDataAt + number % (2 * ring.size() + 1) * kPiece, kPiece};
  }
  std::byte* host_bytes(std::size_t number) {
    return bytes_.data() + number % (2 * ring.size() + 1) * kPiece;
  }

  // Numbers as tokens: never null.
  static void* token(std::size_t number) { return reinterpret_cast<void*>(number + 1); }

  Vring<smp::Native> ring;
  GuestMemory memory;

 private:
  std::vector<std::byte> bytes_;

 public:
  VringDriver<smp::Native, Orders> driver;
  VringHost<smp::Native, CacheAvail, Orders> host{ring, memory, kRingAt};
};

}  // namespace qdiscsim::test
