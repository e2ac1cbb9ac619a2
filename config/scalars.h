// Single values of the configuration: from the text of a node to what the schema's entry wants.
#pragma once

#include <cstdint>
#include <string>

#include "config/schema.h"
#include "config/units.h"
#include "config/yaml_document.h"

namespace qdiscsim::config {

// For every type whose value is a number (Type::kInteger .. kMac); the range is not checked.
Parsed parse_number(const Key& key, const Node& node);

// What is wrong with a name; empty when nothing is.
std::string name_error(const std::string& text, std::uint64_t longest);

// What is wrong with a path (kPath, kFile); empty when nothing is.
std::string path_error(const Key& key, const std::string& text);

// "127.0.0.1:9713" or "[::1]:9713" into address and port. Returns what is wrong, else empty; then
// the address is in its canonical form.
std::string parse_listen(const std::string& text, Http& http);

}  // namespace qdiscsim::config
