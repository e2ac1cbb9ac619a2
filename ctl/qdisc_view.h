// What tc and cat would leave of the daemon's texts. Pure.
#pragma once

#include <string>

namespace qdiscsim::ctl {

// `tc -s qdisc show` -> `tc qdisc show`: without the counters.
std::string without_counters(const std::string& text);
// The same of `tc -s -j qdisc show`, in one line. Throws Failure (kExitProtocol).
std::string without_counters_json(const std::string& json);

// Of generators.txt the threads of one group ("mixed") or one thread ("mixed/0"); "" = none.
std::string of_generator(const std::string& text, const std::string& name);
// Of /api/v1/generators the same; an empty list when there is none. Throws Failure (kExitProtocol).
std::string of_generator_json(const std::string& json, const std::string& name);

}  // namespace qdiscsim::ctl
