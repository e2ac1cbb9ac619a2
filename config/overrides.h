// `--set key=value`: changes to a parsed document before it is checked, so that an override is held
// to the same rules as the file.
#pragma once

#include <string>
#include <vector>

#include "config/yaml_document.h"

namespace qdiscsim::config {

inline constexpr const char* kOverrideSource = "--set";

// `text` is key=value: a dotted path as the diagnostics print it, `generators[0].threads=4`, and a
// YAML value (`{min: 60, max: 1500}` works). An empty value removes the key, so that the default
// holds. Maps on the way that the file lacks are made; list entries are not. The place of
// everything set here is --set:1:1. Adds a diagnostic and changes nothing when the text cannot be
// applied.
void apply_override(const std::string& text, Document& document,
                    std::vector<Diagnostic>& diagnostics);

}  // namespace qdiscsim::config
