#include "daemon/http_request.h"

#include <gtest/gtest.h>

namespace qdiscsim {
namespace {

TEST(HttpRequest, HasAPathWithoutQueryAndFragment) {
  EXPECT_EQ(path_of("/metrics"), "/metrics");
  EXPECT_EQ(path_of("/metrics?a=/b#c"), "/metrics");
  EXPECT_EQ(path_of("/metrics#c?d"), "/metrics");
}

TEST(HttpRequest, HasParametersInTheirOrder) {
  const QueryParameters expected{{"dev", "eth0"}, {"x", ""}, {"dev", "a=b"}, {"", "y"}};
  EXPECT_EQ(query_of("/q?dev=eth0&&x&dev=a=b&=y#z=1"), expected);
  EXPECT_TRUE(query_of("/q").empty());
  EXPECT_TRUE(query_of("/q?").empty());
  EXPECT_TRUE(query_of("/q#?a=b").empty());
}

TEST(HttpRequest, HasParametersDecoded) {
  const QueryParameters expected{{"d v", "eth@0 &"}, {"bad", "%zz%4"}};
  EXPECT_EQ(query_of("/q?d+v=eth%400%20%26&bad=%zz%4"), expected);
}

TEST(HttpRequest, PrefersTextWhenItAcceptsTextFirst) {
  EXPECT_TRUE(prefers_text("text/plain"));
  EXPECT_TRUE(prefers_text("text/plain, application/json;q=0.5"));
  EXPECT_FALSE(prefers_text("application/json, text/plain"));
  EXPECT_FALSE(prefers_text("*/*"));
  EXPECT_FALSE(prefers_text(""));
}

}  // namespace
}  // namespace qdiscsim
