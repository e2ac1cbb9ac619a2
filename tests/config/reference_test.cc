#include "config/reference.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "config/schema.h"

namespace qdiscsim::config {
namespace {

TEST(Reference, IsTheFileInTheRepository) {
  std::ifstream file(QDISCSIM_SOURCE_DIR "/docs/configuration.md", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(text == reference_markdown())
      << "docs/configuration.md is out of date; write it again with: ./dev docs";
}

void expect_help(std::span<const Key> keys) {
  for (const Key& key : keys) {
    const bool plain_map = key.type == Type::kSection && key.scalar == nullptr;
    EXPECT_TRUE(plain_map || !key.help.empty()) << key.name;
    if (key.keys != nullptr) expect_help(key.keys());
  }
}

TEST(Reference, HasASentenceForEveryKey) {
  expect_help(schema());
}

}  // namespace
}  // namespace qdiscsim::config
