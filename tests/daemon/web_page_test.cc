#include "daemon/web_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace qdiscsim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string nonce_of(const HttpReply& reply) {
  const std::string before = "script-src 'nonce-";
  const auto at = reply.security_policy.find(before);
  return at == std::string::npos ? "" : reply.security_policy.substr(at + before.size(), 32);
}

TEST(WebPage, IsOneDocumentThatLoadsNothing) {
  const std::string page = web_page().body;
  EXPECT_THAT(page, HasSubstr("<title>qdiscsim</title>"));
  EXPECT_THAT(page, HasSubstr("new EventSource(\"/api/v1/events\")"));
  EXPECT_THAT(page, HasSubstr("Dygraph"));
  for (const char* reference : {"<script src", "<link rel=\"stylesheet\"", "@import", "url(http",
                                "sourceMappingURL", "@STYLE@", "@SCRIPT@", "@DYGRAPHS@"}) {
    EXPECT_THAT(page, Not(HasSubstr(reference)));
  }
}

TEST(WebPage, LetsNothingRunWithoutTheNonceOfThisAnswer) {
  const HttpReply first = web_page();
  const std::string nonce = nonce_of(first);
  ASSERT_EQ(nonce.size(), 32U);
  EXPECT_THAT(first.body, HasSubstr("<script nonce=\"" + nonce + "\">"));
  EXPECT_THAT(first.body, HasSubstr("<style nonce=\"" + nonce + "\">"));
  EXPECT_THAT(first.body, Not(HasSubstr("@NONCE@")));
  EXPECT_THAT(first.body, Not(HasSubstr("<script>")));
  EXPECT_THAT(first.security_policy, Not(HasSubstr("unsafe")));
  EXPECT_NE(nonce, nonce_of(web_page()));
}

}  // namespace
}  // namespace qdiscsim
