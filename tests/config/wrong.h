// A wrong configuration and every line that the loader says about it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <ostream>
#include <string>
#include <vector>

#include "config/loader.h"

namespace qdiscsim::config {

struct Wrong {
  std::string what;
  std::string text;
  std::vector<std::string> messages;  // the file is called c.yaml
};

inline void PrintTo(const Wrong& wrong, std::ostream* out) {
  *out << wrong.what;
}

inline std::string name_of(const testing::TestParamInfo<Wrong>& info) {
  std::string name = info.param.what;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

// CPUs 0, 1 and 2, of which this process may use 0 and 1.
inline Cpus three_cpus_two_allowed() {
  return {{0, 1, 2}, {0, 1}};
}

class WrongConfiguration : public testing::TestWithParam<Wrong> {};

}  // namespace qdiscsim::config
