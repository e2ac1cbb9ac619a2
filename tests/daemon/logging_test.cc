#include "daemon/logging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/details/log_msg.h>

#include <string>

namespace qdiscsim {
namespace {

using ::testing::MatchesRegex;

std::string formatted(LogStyle style, spdlog::level::level_enum level) {
  const spdlog::details::log_msg message{"qdiscsimd", level, "hello"};
  spdlog::memory_buf_t out;
  make_log_formatter(style)->format(message, out);
  return {out.data(), out.size()};
}

TEST(Logging, GivesTheJournalThePriorityAndNoTime) {
  EXPECT_EQ(formatted(LogStyle::kJournal, spdlog::level::trace), "<7>hello\n");
  EXPECT_EQ(formatted(LogStyle::kJournal, spdlog::level::debug), "<7>hello\n");
  EXPECT_EQ(formatted(LogStyle::kJournal, spdlog::level::info), "<6>hello\n");
  EXPECT_EQ(formatted(LogStyle::kJournal, spdlog::level::warn), "<4>hello\n");
  EXPECT_EQ(formatted(LogStyle::kJournal, spdlog::level::err), "<3>hello\n");
}

TEST(Logging, GivesAFileTheWholeTimeAndNoControlCharacters) {
  EXPECT_THAT(formatted(LogStyle::kPlain, spdlog::level::info),
              MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}[+-][0-9]{2}:?[0-9]{2} "
                           "info hello\n"));
}

TEST(Logging, WipesTheProgressLineOfATerminalFirst) {
  EXPECT_THAT(formatted(LogStyle::kTerminal, spdlog::level::info),
              MatchesRegex("\r\033\\[K[0-9:]{8} info hello\n"));
}

}  // namespace
}  // namespace qdiscsim
