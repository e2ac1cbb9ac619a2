#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "qdisc/priority.h"

namespace qdiscsim {
namespace {

TEST(PriorityConformance, Check01_SendsPrioritiesToTheBandsOfTheDefaultPriomap) {
  constexpr std::array<std::size_t, 16> kBands{1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  for (std::uint32_t priority = 0; priority < kBands.size(); ++priority) {
    EXPECT_EQ(band_of(priority), kBands[priority]) << "priority " << priority;
  }
}

TEST(PriorityConformance, Check02_LooksAtTheLowFourBitsOnly) {
  EXPECT_EQ(band_of(0x10006), 0U);
  EXPECT_EQ(band_of(0x10003), 2U);
  EXPECT_EQ(band_of(0xfffffff0), 1U);
}

TEST(PriorityConformance, Check03_TakesThePriorityFromTwoBitsOfTheTos) {
  struct Case {
    int tos;
    std::uint32_t priority;
  };
  // The class selectors and AF and EF code points as a live kernel maps them.
  for (const Case c : {Case{0x00, 0},
                       {0x02, 0},
                       {0x08, 2},
                       {0x10, 6},
                       {0x18, 4},
                       {0x1e, 4},
                       {0x20, 0},
                       {0x28, 2},
                       {0x30, 6},
                       {0x38, 4},
                       {0x88, 2},
                       {0xa0, 0},
                       {0xb8, 4},
                       {0xc0, 0},
                       {0xe0, 0}}) {
    EXPECT_EQ(priority_of_tos(static_cast<std::uint8_t>(c.tos)), c.priority) << "tos " << c.tos;
  }
}

TEST(PriorityConformance, Check03_MapsEveryTosByTheSixteenEntriesOfTheKernelsTable) {
  constexpr std::array<std::uint32_t, 16> kTable{0, 0, 0, 0, 2, 2, 2, 2, 6, 6, 6, 6, 4, 4, 4, 4};
  for (unsigned tos = 0; tos < 256; ++tos) {
    EXPECT_EQ(priority_of_tos(static_cast<std::uint8_t>(tos)), kTable[(tos & 0x1eU) >> 1U])
        << "tos " << tos;
  }
}

TEST(PriorityConformance, Check03_PutsAf12IntoTheFirstBandAndEfIntoTheSecond) {
  EXPECT_EQ(priority_of_tos(0x30), 6U);
  EXPECT_EQ(priority_of_tos(0xb8), 4U);
  EXPECT_EQ(band_of(priority_of_tos(0x30)), 0U);
  EXPECT_EQ(band_of(priority_of_tos(0xb8)), 1U);
}

}  // namespace
}  // namespace qdiscsim
