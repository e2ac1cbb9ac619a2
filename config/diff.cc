#include "config/diff.h"

#include <algorithm>

#include "config/print.h"

namespace qdiscsim::config {
namespace {

// Entry by entry; a map that a single value may stand for counts as one entry.
void compare(std::span<const Key> keys, const std::string& prefix, void* before, void* after,
             std::vector<Change>& changes) {
  for (const Key& key : keys) {
    const std::string path = prefix + std::string(key.name);
    const bool structs = key.type == Type::kList && key.scalar == nullptr;
    if (structs) continue;  // devices and generators: below
    if (key.type == Type::kSection && key.scalar == nullptr) {
      compare(key.keys(), path + '.', key.section(before), key.section(after), changes);
      continue;
    }
    std::string old_text = print_value(key, before);
    std::string new_text = print_value(key, after);
    if (old_text != new_text) {
      changes.push_back({path, std::move(old_text), std::move(new_text), key.reload});
    }
  }
}

std::string names(const std::vector<Device>& devices) {
  std::string text;
  for (const Device& device : devices) text += (text.empty() ? "" : ", ") + device.name;
  return '[' + text + ']';
}

void compare_generators(Config& before, Config& after, std::vector<Change>& changes) {
  const auto named = [](std::vector<GeneratorGroup>& groups, const std::string& name) {
    return std::find_if(groups.begin(), groups.end(),
                        [&](const GeneratorGroup& group) { return group.name == name; });
  };
  for (std::size_t i = 0; i < after.generators.size(); ++i) {
    GeneratorGroup& group = after.generators[i];
    const std::string path = "generators[" + std::to_string(i) + ']';
    const auto old = named(before.generators, group.name);
    if (old == before.generators.end()) {
      changes.push_back({path, "", group.name, Reload::kLive});
    } else {
      compare(generator_keys(), path + '.', &*old, &group, changes);
      const std::string& pcap = group.traffic.pcap;
      if (old->traffic.pcap == pcap && old->traffic.trace != group.traffic.trace) {
        changes.push_back(
            {path + ".traffic.pcap", pcap, "the same, with other contents", Reload::kLive});
      }
    }
  }
  for (std::size_t i = 0; i < before.generators.size(); ++i) {
    const std::string& name = before.generators[i].name;
    if (named(after.generators, name) == after.generators.end()) {
      changes.push_back({"generators[" + std::to_string(i) + ']', name, "", Reload::kLive});
    }
  }
}

}  // namespace

std::vector<Change> diff(const Config& before, const Config& after) {
  // Copies, because the schema's accessors take owners that could be written to.
  Config a = before;
  Config b = after;
  std::vector<Change> changes;
  compare(schema(), "", &a, &b, changes);
  if (a.devices.size() != b.devices.size()) {
    changes.push_back({"devices", names(a.devices), names(b.devices), Reload::kRestart});
  } else {
    for (std::size_t i = 0; i < a.devices.size(); ++i) {
      compare(device_keys(), "devices[" + std::to_string(i) + "].", &a.devices[i], &b.devices[i],
              changes);
    }
  }
  compare_generators(a, b, changes);
  return changes;
}

bool needs_restart(const std::vector<Change>& changes) {
  return std::any_of(changes.begin(), changes.end(),
                     [](const Change& change) { return change.reload == Reload::kRestart; });
}

std::string to_string(const Change& change) {
  const auto shown = [](const std::string& text) { return text.empty() ? "(none)" : text; };
  return change.key + ": " + shown(change.before) + " -> " + shown(change.after) +
         (change.reload == Reload::kLive ? " (live)" : " (needs a restart)");
}

}  // namespace qdiscsim::config
