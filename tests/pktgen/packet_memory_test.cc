#include "pktgen/packet_memory.h"

#include <gtest/gtest.h>

#include <set>

#include "base/smp_native.h"

namespace qdiscsim {
namespace {

using Smp = smp::NativeManual;
using Memory = PacketMemory<Smp>;

class PacketMemoryTest : public testing::Test {
 protected:
  PageArena<Smp> arena_{256, HugePages::kNever};
  Memory::Pool::Allocator allocator_{arena_};
  Memory memory_{arena_};
  Memory::Pool pool_{allocator_, {.pool_size = 64, .owner_cpu = 0, .cpus = 2}};
};

TEST_F(PacketMemoryTest, GivesEachPageAnSkbOfItsOwnWithRoomForTheLongestPacket) {
  std::set<const Skb<Smp>*> seen;
  std::set<std::size_t> starts;
  for (std::size_t i = 0; i < arena_.size(); ++i) {
    const Page<Smp>& page = arena_.page(i);
    const Skb<Smp>* skb = memory_.skb_of(&page);
    EXPECT_TRUE(seen.insert(skb).second);
    EXPECT_EQ(skb->owner, &page);
    const auto start = static_cast<std::size_t>(skb->data - page.data);
    starts.insert(start);
    EXPECT_GE(start, Memory::kHeadroom);
    EXPECT_LE(start + kMaxPacketBytes, kPageBytes);
  }
  EXPECT_EQ(starts.size(), Memory::kColours) << "neighbours start in different cache sets";
}

TEST_F(PacketMemoryTest, TakesAPacketHomeToThePoolOfItsPage) {
  Page<Smp>* page = pool_.alloc();
  const std::uint32_t cached = pool_.cache_pages();
  memory_.consume(memory_.skb_of(page), 0);
  EXPECT_EQ(pool_.cache_pages(), cached + 1);
}

TEST_F(PacketMemoryTest, PutsAPacketFreedByAnotherCpuIntoTheRing) {
  memory_.consume(memory_.skb_of(pool_.alloc()), 1);
  EXPECT_EQ(pool_.ring_pages(), 1U);
}

TEST_F(PacketMemoryTest, KeepsThePageUntilTheLastHolderIsDone) {
  Page<Smp>* page = pool_.alloc();
  Skb<Smp>* skb = memory_.skb_of(page);
  skb->users.fetch_add(2, smp::relaxed);
  memory_.consume(skb, 1);
  memory_.consume(skb, 0);
  EXPECT_EQ(pool_.ring_pages(), 0U);
  const std::uint32_t cached = pool_.cache_pages();
  memory_.consume(skb, 0);
  EXPECT_EQ(pool_.cache_pages(), cached + 1);
  EXPECT_EQ(skb->users.load(smp::relaxed), 1U) << "ready for the next packet";
}

}  // namespace
}  // namespace qdiscsim
