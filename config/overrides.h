// `--set key=value`: changes to a parsed document before it is checked, so that an override is held
// to the same rules as the file.
#pragma once

#include <string>
#include <vector>

#include "config/yaml_document.h"

namespace qdiscsim::config {

// From a text with `--set`, or with the option that it came from.
struct Override {
  Override(const char* change) : text{change} {}            // NOLINT(google-explicit-constructor)
  Override(std::string change, std::string from = "--set")  // NOLINT(google-explicit-constructor)
      : text{std::move(change)}, option{std::move(from)} {}

  std::string text;              // key=value
  std::string option = "--set";  // as messages call it

  bool operator==(const Override&) const = default;
};

// `text` is key=value: a dotted path as the diagnostics print it, `generators[0].threads=4`, and a
// YAML value (`{min: 60, max: 1500}` works). An empty value removes the key, so that the default
// holds. Maps on the way that the file lacks are made; list entries are not. The place of
// everything set here is the option, Position::source its number. Adds a diagnostic and changes
// nothing when the text cannot be applied.
void apply_override(const Override& change, std::uint32_t source, Document& document,
                    std::vector<Diagnostic>& diagnostics);

}  // namespace qdiscsim::config
