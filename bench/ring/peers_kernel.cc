// The kernel's own ptr_ring, from a header that the reader of a figure has on disk
// (docs/kernel-ptr-ring.md): nothing of it is in this repository. kernel_shim/linux/ stands in for
// the rest of the kernel.
//
// Used as `locked` is (ptr_rings.cc): one locked call for each item that goes in, the calls without
// a lock for the only consumer. The lock, too, is that of `locked`.
//
// Without the path, which peers.cmake gives, there is nothing here: `./dev lint` reads every file.
#ifdef QDISCSIM_KERNEL_PTR_RING
#include <cstddef>
#include <new>

#include "bench/ring/peers.h"
#include "bench/ring/workloads.h"

// Last, since it brings the kernel's macros. The host's headers must not see __KERNEL__, without
// which ptr_ring.h includes nothing: so what it asks for comes before.
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <cerrno>

#define __KERNEL__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"  // C that was not written with these
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include QDISCSIM_KERNEL_PTR_RING
#pragma GCC diagnostic pop
#undef __KERNEL__

namespace qdiscsim::ring_bench {
namespace {

class KernelPtrRing {
 public:
  static constexpr std::string_view kName = "kernel";
  static constexpr std::string_view kAbout = "the kernel's ptr_ring.h, with the lock of `locked`";
  static constexpr bool kManyProducers = true;
  static constexpr bool kManyConsumers = false;
  static constexpr bool kOrdered = true;

  KernelPtrRing(std::size_t capacity, unsigned /*producers*/) {
    if (ptr_ring_init(&ring_, static_cast<int>(capacity), GFP_KERNEL) != 0) throw std::bad_alloc{};
  }
  KernelPtrRing(const KernelPtrRing&) = delete;
  KernelPtrRing& operator=(const KernelPtrRing&) = delete;
  ~KernelPtrRing() { ptr_ring_cleanup(&ring_, nullptr); }

  std::size_t push(unsigned /*producer*/, void* const* items, std::size_t count) noexcept {
    std::size_t stored = 0;
    while (stored < count && ptr_ring_produce(&ring_, items[stored]) == 0) ++stored;
    return stored;
  }
  std::size_t pop(unsigned /*consumer*/, void** items, std::size_t count) noexcept {
    if (count == 1) {
      items[0] = __ptr_ring_consume(&ring_);
      return items[0] != nullptr ? 1 : 0;
    }
    return static_cast<std::size_t>(
        __ptr_ring_consume_batched(&ring_, items, static_cast<int>(count)));
  }

 private:
  ptr_ring ring_{};
};

}  // namespace

void add_kernel(Registry& registry) {
  add_ring<KernelPtrRing>(registry);
}

}  // namespace qdiscsim::ring_bench
#endif  // QDISCSIM_KERNEL_PTR_RING
