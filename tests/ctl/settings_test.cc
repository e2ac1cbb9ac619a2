#include "ctl/settings.h"

#include <gtest/gtest.h>

#include "ctl/failure.h"

namespace qdiscsim::ctl {
namespace {

TEST(CtlSettings, AreReadAsYaml) {
  EXPECT_EQ(patch_of({"threads=3", "ratep=300kpps"}), R"({"threads":"3","ratep":"300kpps"})");
  EXPECT_EQ(patch_of({"link.rate=10Gbit", "link.bql=false"}),
            R"({"link":{"rate":"10Gbit","bql":"false"}})");
  EXPECT_EQ(patch_of({"vlan={id: 5}", "mix=[1, 2]", "ratep=", "count=~"}),
            R"({"vlan":{"id":"5"},"mix":["1","2"],"ratep":null,"count":null})");
}

TEST(CtlSettings, AreRefusedWhenTheyAreNoYamlOrComeTwice) {
  EXPECT_THROW(patch_of({"a=[1"}), Failure);
  EXPECT_THROW(patch_of({"a=1", "a=2"}), Failure);
  EXPECT_THROW(patch_of({"a=1", "a.b=2"}), Failure);
}

}  // namespace
}  // namespace qdiscsim::ctl
