#include "daemon/generator_view.h"

#include <nlohmann/json.hpp>

#include "daemon/latency_view.h"

namespace qdiscsim {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json generators_as_json(const Snapshot& snapshot) {
  Json out = Json::array();
  for (const GeneratorSnapshot& generator : snapshot.generators) {
    out.push_back({{"group", generator.group},
                   {"thread", generator.thread},
                   {"device", generator.device},
                   {"cpu", generator.cpu < 0 ? Json{} : Json(generator.cpu)},
                   {"running", generator.running},
                   {"offered_packets", generator.offered_packets},
                   {"sent_packets", generator.sent_packets},
                   {"sent_bytes", generator.sent_bytes},
                   {"errors", generator.errors},
                   {"no_memory", generator.no_memory},
                   {"behind_seconds", generator.behind_seconds},
                   {"behind_seconds_max", generator.behind_seconds_max},
                   {"latency_seconds", latency_json(summarise(generator.latency))},
                   {"configured_pps",
                    generator.configured_pps == 0 ? Json{} : Json(generator.configured_pps)},
                   {"result", generator.result.empty() ? Json{} : Json(generator.result)}});
  }
  return out;
}

std::string generators_json(const Snapshot& snapshot) {
  return Json{{"generators", generators_as_json(snapshot)}}.dump() + '\n';
}

std::string generators_text(const Snapshot& snapshot) {
  std::string out;
  for (const GeneratorSnapshot& generator : snapshot.generators) {
    out += generator.group + '/' + generator.thread + " on " + generator.device +
           "\nResult: " + (generator.result.empty() ? "Idle" : generator.result) + '\n';
  }
  return out;
}

}  // namespace qdiscsim
