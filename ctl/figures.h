// Figures for a terminal's columns: at most ten columns wide. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace qdiscsim::ctl {

std::string seconds_text(double seconds);     // "0", "850 ns", "12.3 us", "4.56 ms", "1.23 s"
std::string mpps_text(double pps);            // "1.488", "0.050": millions, three decimals
std::string per_second_text(double rate);     // "0", "950", "12.5k", "1.488M"
std::string uptime_text(double seconds);      // "5 s", "2 min 05 s", "3 h 07 min", "12 d 03 h"
std::string clock_text(double unix_seconds);  // "10:41:07", local time

}  // namespace qdiscsim::ctl
