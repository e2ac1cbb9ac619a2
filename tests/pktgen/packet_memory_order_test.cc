// The memory orders on skb->users are needed: see tests/ring/order_test.cmake. The argument names
// what runs: users, or users_ORDER with that order weakened.
//
// One packet has two holders, as with clone_skb: a link that reads it and lets go, and the
// generator, which lets go as well. Whoever is last puts the page into the pool, where its owner
// takes it and writes the next packet into it.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "base/smp_native.h"
#include "pktgen/packet_memory.h"

namespace qdiscsim {
namespace {

using Smp = smp::Native;

struct WeakAlone : SkbUsersOrders {
  static constexpr smp::order alone = smp::relaxed;
};
struct WeakDrop : SkbUsersOrders {
  static constexpr smp::order drop = smp::relaxed;
};

void touch(Skb<Smp>* skb) {
  std::uint64_t value = 0;
  std::memcpy(&value, skb->data, sizeof value);
  ++value;
  std::memcpy(skb->data, &value, sizeof value);
}

template <class Orders>
int users() {
  constexpr int kRounds = 2'000;
  using Memory = PacketMemory<Smp, PtrRing<Smp>, Orders>;
  PageArena<Smp> arena{64, HugePages::kNever};
  typename Memory::Pool::Allocator allocator{arena};
  Memory memory{arena};
  typename Memory::Pool pool{allocator, {.pool_size = 64, .owner_cpu = 0, .cpus = 2}};
  Smp::atomic<Skb<Smp>*> handover;  // orders the generator before the link, never back
  std::thread link{[&] {
    for (int i = 0; i < kRounds; ++i) {
      Smp::Spinner spinner;
      Skb<Smp>* skb = nullptr;
      while ((skb = handover.load(smp::acquire)) == nullptr) spinner.pause();
      handover.store(nullptr, smp::relaxed);
      touch(skb);
      memory.consume(skb, 1);
    }
  }};
  for (int i = 0; i < kRounds; ++i) {
    Skb<Smp>* skb = memory.skb_of(pool.alloc());
    touch(skb);
    skb->users.fetch_add(1, smp::relaxed);
    handover.store(skb, smp::release);
    // Nothing but the count tells the generator that it is the last.
    Smp::spin_until(
        skb->users, [](std::uint32_t holders) { return holders == 1; }, smp::relaxed);
    memory.consume(skb, 0);
  }
  link.join();
  return pool.destroy() == 0 ? 0 : 1;
}

int run(const std::string& variant) {
  if (variant == "users") return users<SkbUsersOrders>();
  if (variant == "users_alone") return users<WeakAlone>();
  if (variant == "users_drop") return users<WeakDrop>();
  std::fprintf(stderr, "unknown variant '%s'\n", variant.c_str());
  return 2;
}

}  // namespace
}  // namespace qdiscsim

int main(int argc, char** argv) {
  return qdiscsim::run(argc == 2 ? argv[1] : "");
}
