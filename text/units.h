// Figures for human eyes: at most four significant digits and a unit. Shared by the page, the
// progress line and the report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace qdiscsim {

std::string format_packet_rate(double pps);           // "1.488 Mpps", "12.5 kpps", "3 pps"
std::string format_bit_rate(double bits_per_second);  // "1 Gbit/s", "761.9 Mbit/s"
std::string format_percent(double ratio);             // 0.123 -> "12.3%"
std::string format_duration(double seconds);          // "0 us", "12 us", "3.2 ms", "1.5 s"
std::string format_count(std::uint64_t n);            // "1,234,567"
std::string count_of(std::uint64_t n, std::string_view thing);  // "1 check", "2 checks"

}  // namespace qdiscsim
