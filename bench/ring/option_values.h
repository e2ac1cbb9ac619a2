// Values of the command line, checked one by one. Each function throws BadOption, whose text names
// the flag, the value and what would be right; options.cc catches it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "bench/ring/registry.h"
#include "config/cpus.h"

namespace qdiscsim::ring_bench {

struct BadOption : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Range {
  std::uint64_t low;
  std::uint64_t high;
};

inline constexpr Range kCountRange{1, 1'000'000'000'000};
inline constexpr Range kSizeRange{2, 10'000'000};  // as in the kernel's selftest of ptr_ring
inline constexpr Range kProducersRange{1, 1024};
inline constexpr Range kRepeatRange{1, 100'000};
inline constexpr Range kAnyRange{0, UINT64_MAX};

// besides: what else the flag takes, for the message.
std::uint64_t number(std::string_view flag, const std::string& text, Range range,
                     std::string_view besides = "");
// "2,4,8"; none twice.
std::vector<std::uint64_t> numbers(std::string_view flag, const std::string& text, Range range);
Nanoseconds duration(std::string_view flag, const std::string& text, Nanoseconds low,
                     Nanoseconds high);
double percent(std::string_view flag, const std::string& text, double low, double high);
// "0,2-3" in the order given, "none" for an empty list.
std::vector<int> cpu_list(std::string_view flag, const std::string& text, const config::Cpus& cpus);

void check_size(const Mode& mode, std::size_t size);

const Mode& find_mode(const Registry& registry, const std::string& text);
// The named variants in the order given; "all" stands for every one.
std::vector<const Variant*> find_variants(const Mode& mode, const std::vector<std::string>& names);

}  // namespace qdiscsim::ring_bench
