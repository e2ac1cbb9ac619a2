// MountPoint: whether a directory can take pktgen's control files, and what lies on it. Control
// thread only.
#pragma once

#include <string>
#include <string_view>

namespace qdiscsim {

// What this program's mounts are called in /proc/self/mountinfo, behind "fuse.".
inline constexpr const char* kMountSubtype = "qdiscsim";

// The type of the file system that was mounted last exactly on `directory`, as "ext4"; empty when
// none is. mountinfo: the text of /proc/self/mountinfo; directory: without links.
std::string mounted_type(std::string_view mountinfo, std::string_view directory);

// Makes sure that FUSE is there and that `directory` is an empty directory which this user may
// mount on. Takes off what a killed qdiscsimd left there. Returns the directory without links.
// Throws UnusableConfiguration.
std::string prepare_mount_point(const std::string& directory);

}  // namespace qdiscsim
