#include "daemon/mount_point.h"

#include <gtest/gtest.h>

namespace qdiscsim {
namespace {

constexpr const char* kMounts =
    "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
    "31 22 0:27 / /run rw,nosuid shared:5 master:2 - tmpfs tmpfs rw,mode=755\n"
    "42 31 0:39 / /run/a\\040b rw,nosuid,nodev - fuse.qdiscsim qdiscsim rw,user_id=0\n"
    "43 31 0:40 / /run/twice rw - fuse.qdiscsim qdiscsim rw\n"
    "44 43 0:41 / /run/twice rw - tmpfs tmpfs rw\n"
    "broken line\n";

TEST(MountPoint, IsFoundWithTheTypeOfWhatIsMountedOnIt) {
  EXPECT_EQ(mounted_type(kMounts, "/"), "ext4");
  EXPECT_EQ(mounted_type(kMounts, "/run"), "tmpfs");
}

TEST(MountPoint, MayHaveABlankInItsName) {
  EXPECT_EQ(mounted_type(kMounts, "/run/a b"), std::string{"fuse."} + kMountSubtype);
}

TEST(MountPoint, HasTheTypeOfTheLastOfSeveralMounts) {
  EXPECT_EQ(mounted_type(kMounts, "/run/twice"), "tmpfs");
}

TEST(MountPoint, IsNoneBelowOrAboveAMount) {
  EXPECT_EQ(mounted_type(kMounts, "/run/a b/c"), "");
  EXPECT_EQ(mounted_type(kMounts, "/run/a"), "");
  EXPECT_EQ(mounted_type("", "/"), "");
}

}  // namespace
}  // namespace qdiscsim
