#include "pagepool/page_arena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/smp_native.h"

namespace qdiscsim {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using Arena = PageArena<smp::Native>;

std::string error_of(std::size_t pages, HugePages huge_pages) {
  try {
    const Arena arena{pages, huge_pages};
  } catch (const PageArenaError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PageArena, GivesEachPageItsOwnWritableMemoryAndItsIndex) {
  constexpr std::size_t kPages = 600;
  Arena arena{kPages, HugePages::kTry};
  ASSERT_EQ(arena.size(), kPages);
  for (std::size_t i = 0; i < kPages; ++i) {
    std::memset(arena.page(i).data, static_cast<int>(i % 251), kPageBytes);
  }
  for (std::size_t i = 0; i < kPages; ++i) {
    EXPECT_EQ(arena.page(i).index, i);
    EXPECT_EQ(arena.page(i).data[0], static_cast<std::byte>(i % 251));
    EXPECT_EQ(arena.page(i).data[kPageBytes - 1], static_cast<std::byte>(i % 251));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arena.page(i).data) % kPageBytes, 0U);
    EXPECT_EQ(arena.page(i).pool, nullptr);
  }
}

TEST(PageArena, KeepsToNormalPagesWhenToldTo) {
  const Arena arena{1024, HugePages::kNever};
  EXPECT_EQ(arena.backing(), "normal pages");
}

TEST(PageArena, SaysWhatItGotWhenItMayTry) {
  const Arena arena{1024, HugePages::kTry};
  EXPECT_THAT(arena.backing(), AnyOf("hugetlb", "transparent huge pages", "normal pages"));
}

TEST(PageArena, RequiredHugePagesAreGivenOrRefusedWithTheWayOut) {
  const std::string error = error_of(1024, HugePages::kRequire);
  if (error == "no error") {
    const Arena arena{1024, HugePages::kRequire};
    EXPECT_THAT(arena.backing(), AnyOf("hugetlb", "transparent huge pages"));
  } else {
    EXPECT_THAT(error, HasSubstr("4 MiB"));
    EXPECT_THAT(error, HasSubstr("vm.nr_hugepages=2"));
  }
}

TEST(PageArena, RequiredHugePagesForASinglePageAreRefusedUnlessReserved) {
  const std::string error = error_of(1, HugePages::kRequire);
  EXPECT_THAT(error, AnyOf("no error", HasSubstr("cannot get 4 KiB of page memory in huge pages")));
}

TEST(PageArena, TooMuchMemoryIsRefusedInOneLineThatNamesTheSize) {
  // 8 TiB: more than any machine this runs on can give.
  const std::string error = error_of(std::size_t{1} << 31U, HugePages::kNever);
  EXPECT_THAT(error, HasSubstr("cannot get 8388608 MiB of page memory: "));
  EXPECT_THAT(error, HasSubstr("lower the memory limit"));
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

TEST(PageArena, ImpossibleNumbersOfPagesAreRefused) {
  EXPECT_THAT(error_of(0, HugePages::kTry), HasSubstr("at least 1"));
  EXPECT_THAT(error_of(std::size_t{1} << 32U, HugePages::kTry), HasSubstr("at most 4294967295"));
}

TEST(PageArena, RecordsOneNodePerPageOrThatItIsUnknown) {
  Arena arena{1024, HugePages::kTry};
  for (std::size_t i = 0; i < arena.size(); ++i) EXPECT_GE(arena.page(i).node, -1);
  EXPECT_EQ(arena.node(), arena.page(0).node);
}

}  // namespace
}  // namespace qdiscsim
