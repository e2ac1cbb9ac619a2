// The one walk over a parsed document: every value is checked against the schema's entry and stored
// in the Config; every mistake becomes a diagnostic and the walk goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/cpus.h"
#include "config/places.h"
#include "config/schema.h"
#include "config/yaml_document.h"

namespace qdiscsim::config {

class Walk {
 public:
  // sources[i] is the name behind Position::source i. All references must outlive the walk.
  Walk(std::span<const std::string> sources, const Cpus& cpus, Places& places,
       std::vector<Diagnostic>& diagnostics)
      : sources_(sources), cpus_(cpus), places_(places), diagnostics_(diagnostics) {}

  // Reads the map `node` at `path` ("" for the root) into the struct `owner` that `keys` describe.
  void map(std::span<const Key> keys, const Node& node, const std::string& path, void* owner);

 private:
  void value(const Key& key, const Node& node, const std::string& path, void* owner);
  std::optional<std::uint64_t> read_number(const Key& key, const Node& node,
                                           const std::string& path, const std::string& allowed);
  // `allowed` goes into the messages: a number or an address may be the short form
  // of a map.
  void number(const Key& key, const Node& node, const std::string& path, void* owner,
              const std::string& allowed);
  void address(const Key& key, const Node& node, const std::string& path, void* owner,
               const std::string& allowed);
  void text(const Key& key, const Node& node, const std::string& path, void* owner);
  void listen(const Key& key, const Node& node, const std::string& path, void* owner);
  void words(const Key& key, const Node& node, const std::string& path, void* owner);
  void cpus(const Key& key, const Node& node, const std::string& path, void* owner);
  void list(const Key& key, const Node& node, const std::string& path, void* owner);
  void unknown(std::span<const Key> keys, const Node& node, const std::string& path);

  // True for text; else reports what the node is instead.
  bool is_text(const Node& node, const std::string& path, const std::string& allowed);
  void wrong(const Node& node, const std::string& path, const std::string& message);

  std::span<const std::string> sources_;
  const Cpus& cpus_;
  Places& places_;
  std::vector<Diagnostic>& diagnostics_;
};

}  // namespace qdiscsim::config
