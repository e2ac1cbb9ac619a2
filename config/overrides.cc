#include "config/overrides.h"

#include <algorithm>

#include "config/units.h"

namespace qdiscsim::config {
namespace {

struct Step {
  std::string name;       // of a map's key, or
  std::size_t index = 0;  // of a list's entry when the name is empty
};

// "generators[0].threads" -> generators, 0, threads. Empty when the path is not well formed.
std::vector<Step> split(const std::string& path) {
  std::vector<Step> steps;
  std::size_t at = 0;
  while (at < path.size()) {
    if (path[at] == '[') {
      const std::size_t close = path.find(']', at);
      if (close == std::string::npos || steps.empty()) return {};
      const Parsed index = parse_integer(path.substr(at + 1, close - at - 1));
      if (!index.value) return {};
      steps.push_back({"", static_cast<std::size_t>(*index.value)});
      at = close + 1;
      if (at < path.size() && path[at] != '.' && path[at] != '[') return {};
    } else {
      if (path[at] == '.' && steps.empty()) return {};
      const std::size_t start = path[at] == '.' ? at + 1 : at;
      at = std::min(path.find_first_of(".[", start), path.size());
      if (at == start) return {};
      steps.push_back({path.substr(start, at - start), 0});
    }
  }
  return steps;
}

void place_all(Node& node, const Position& place) {
  node.at = place;
  node.key_at = place;
  for (Node& child : node.children) place_all(child, place);
}

// Why the step cannot be taken from this node; empty when it can.
std::string obstacle(const Node& node, const Step& step) {
  if (step.name.empty()) {
    if (node.kind != Node::Kind::kList) return "the configuration has no list here";
    if (step.index >= node.children.size()) {
      return "there is no entry " + std::to_string(step.index) + "; the list has " +
             std::to_string(node.children.size()) + " entries, counted from 0";
    }
    return "";
  }
  if (node.kind == Node::Kind::kMap || node.kind == Node::Kind::kNull) return "";
  return "the configuration has no map here, but a single value or a list; set that as a whole";
}

Node& child_of(Node& node, const Step& step, const Position& place) {
  if (step.name.empty()) return node.children[step.index];
  if (node.kind == Node::Kind::kNull) {
    node.kind = Node::Kind::kMap;
    place_all(node, place);
  }
  if (Node* const found = node.find(step.name)) return *found;
  Node& child = node.children.emplace_back();
  child.key = step.name;
  place_all(child, place);
  return child;
}

void remove_child(Node& node, const Step& step) {
  std::erase_if(node.children, [&](const Node& child) { return child.key == step.name; });
}

}  // namespace

void apply_override(const Override& change, std::uint32_t source, Document& document,
                    std::vector<Diagnostic>& diagnostics) {
  const std::string& text = change.text;
  const Position place{source, 0, 0};
  const std::size_t equals = text.find('=');
  const std::string path = text.substr(0, equals);
  const auto refuse = [&](const std::string& message) {
    diagnostics.push_back({change.option, place, path, message});
  };
  const std::vector<Step> steps = split(path);
  if (equals == std::string::npos || steps.empty()) {
    refuse("not of the form key=value, for example generators[0].threads=4");
    return;
  }
  const std::string value = text.substr(equals + 1);
  Document parsed;
  parsed.name = change.option;
  std::vector<Diagnostic> wrong;
  if (!parse_document(value, parsed, wrong) || !wrong.empty()) {
    refuse(wrong.front().message);
    return;
  }

  Node trial = document.root;  // so that a refused path leaves no half-made maps behind
  Node* node = &trial;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string why = obstacle(*node, steps[i]);
    if (!why.empty()) {
      refuse(why);
      return;
    }
    const bool last = i + 1 == steps.size();
    if (last && value.empty() && !steps[i].name.empty()) {
      remove_child(*node, steps[i]);
      document.root = std::move(trial);
      return;
    }
    node = &child_of(*node, steps[i], place);
  }
  parsed.root.key = node->key;
  place_all(parsed.root, place);
  *node = std::move(parsed.root);
  document.root = std::move(trial);
}

}  // namespace qdiscsim::config
