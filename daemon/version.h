// What this program is and what it was built with.
#pragma once

namespace qdiscsim {

inline constexpr const char* kVersion = QDISCSIM_VERSION;  // set by daemon/CMakeLists.txt

#if defined(__clang__)
inline constexpr const char* kCompiler = "clang " __clang_version__;
#else
inline constexpr const char* kCompiler = "gcc " __VERSION__;
#endif

}  // namespace qdiscsim
