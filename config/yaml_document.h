// A YAML file as a tree of plain nodes that know their line and column. yaml-cpp reads the syntax;
// this layer refuses what a configuration must not contain, before anybody looks at a value:
// invalid UTF-8, control characters, a second document, anchors, aliases, merge keys, tags, keys
// that are not plain text, duplicate keys, deep nesting, huge input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"

namespace qdiscsim::config {

inline constexpr std::size_t kMaxBytes = 1U << 20U;  // of the text
inline constexpr std::size_t kMaxDepth = 16;         // nested lists and maps
inline constexpr std::size_t kMaxNodes = 50'000;

struct Node {
  // kBroken: already reported; later stages pass over it in silence.
  enum class Kind : std::uint8_t { kNull, kText, kList, kMap, kBroken };

  Kind kind = Kind::kNull;
  bool in_quotes = false;      // kText: the author marked it as text
  std::string text;            // kText
  std::string key;             // when a map holds this node
  Position key_at;             // when a map holds this node
  Position at;                 // of the value
  std::vector<Node> children;  // list entries or map values, in file order

  // The value under `name` of a map, or null.
  Node* find(std::string_view name);
};

struct Document {
  std::string name;  // for messages
  Node root;         // kNull when the file is empty or only comments
};

// Adds a diagnostic for each thing refused; keys in them are dotted paths. False when the text has
// no usable tree (syntax, encoding, size): then exactly one diagnostic was added.
bool parse_document(std::string_view text, Document& document,
                    std::vector<Diagnostic>& diagnostics);

}  // namespace qdiscsim::config
