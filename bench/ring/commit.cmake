# Writes the header OUT with the commit of the tree SOURCE, at every build and only when it changed:
# a figure must not carry the commit of an older configure.
# cmake -DSOURCE=... -DOUT=... -P commit.cmake
cmake_policy(VERSION 3.25)
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                RESULT_VARIABLE status ERROR_QUIET)
if(NOT status STREQUAL "0")
  set(commit "not a clone")
else()
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE} status --porcelain --untracked-files=no
                  OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND commit " with changes")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "// Written by bench/ring/commit.cmake.
#pragma once

namespace qdiscsim::ring_bench {
inline constexpr const char* kCommit = \"@commit@\";
}
" @ONLY)
