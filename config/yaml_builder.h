// Inside yaml_document only: from yaml-cpp's parse events to the tree of nodes, refusing on the way
// what a configuration must not contain.
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/yaml_document.h"

namespace qdiscsim::config {

// Thrown out of yaml-cpp's callbacks to stop reading.
struct Stop {
  Position at;
  std::string message;
};

// yaml-cpp counts lines from 0 and columns in bytes; a map from line to its start makes characters.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text), starts_{0} {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') starts_.push_back(i + 1);
    }
  }

  // Spaces and tabs in front of the text of the line that the mark is in.
  std::string_view indentation(const YAML::Mark& mark) const {
    const auto line = static_cast<std::size_t>(std::max(mark.line, 0));
    if (line >= starts_.size()) return {};
    const std::string_view rest = text_.substr(starts_[line]);
    return rest.substr(0, rest.find_first_not_of(" \t"));
  }

  Position position(const YAML::Mark& mark) {
    const auto line =
        std::min<std::size_t>(static_cast<std::size_t>(std::max(mark.line, 0)), starts_.size() - 1);
    const auto bytes = static_cast<std::size_t>(std::max(mark.column, 0));
    if (line != line_ || bytes < bytes_) {
      line_ = line;
      bytes_ = 0;
      characters_ = 0;
    }
    const std::string_view between = text_.substr(starts_[line]).substr(0, bytes).substr(bytes_);
    characters_ +=
        static_cast<std::size_t>(std::count_if(between.begin(), between.end(), [](char c) {
          return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
        }));
    bytes_ += between.size();
    return {0, static_cast<std::uint32_t>(line + 1), static_cast<std::uint32_t>(characters_ + 1)};
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
  // The last answer: marks mostly advance, and counting goes on from there instead of from the
  // start of the line. A file may be one long line.
  std::size_t line_ = 0;
  std::size_t bytes_ = 0;
  std::size_t characters_ = 0;
};

// Builds the tree from yaml-cpp's events. The open lists and maps are kept by value on a stack and
// moved into their parent when they close.
class Builder final : public YAML::EventHandler {
 public:
  Builder(Lines& lines, Document& document, std::vector<Diagnostic>& diagnostics)
      : lines_(lines), document_(document), diagnostics_(diagnostics) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node = make(mark, Node::Kind::kNull);
    refuse_anchor(node, anchor);
    add(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    Node node = make(mark, Node::Kind::kBroken);
    report(node.at, "aliases (*) are not allowed; write the value again");
    add(std::move(node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = make(mark, Node::Kind::kText);
    node.text = value;
    node.in_quotes = tag == "!";
    refuse_tag(node, tag);
    refuse_anchor(node, anchor);
    add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(make(mark, Node::Kind::kList), tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(make(mark, Node::Kind::kMap), tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    std::map<std::string, Position> seen;  // keys of a map
    bool has_key = false;                  // a map: the next event is the value of `key`
    bool drop = false;                     // the value belongs to a refused key
    std::string key;
    Position key_at;
  };

  Node make(const YAML::Mark& mark, Node::Kind kind) {
    Node node;
    node.kind = kind;
    node.at = lines_.position(mark);
    if (++nodes_ > kMaxNodes) {
      throw Stop{node.at, "more than " + std::to_string(kMaxNodes) + " values"};
    }
    return node;
  }

  void open(Node node, const std::string& tag, YAML::anchor_t anchor) {
    if (open_.size() >= kMaxDepth) {
      throw Stop{node.at, "nested more than " + std::to_string(kMaxDepth) + " levels deep"};
    }
    refuse_tag(node, tag);
    refuse_anchor(node, anchor);
    Open opened;
    opened.node = std::move(node);
    open_.push_back(std::move(opened));
  }

  void close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(Node node) {
    if (open_.empty()) {
      document_.root = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::kMap && !parent.has_key) {
      take_key(parent, node);
      return;
    }
    if (parent.node.kind == Node::Kind::kMap) {
      node.key = std::move(parent.key);
      node.key_at = parent.key_at;
      parent.has_key = false;
      if (node.kind == Node::Kind::kNull) node.at = node.key_at;  // nothing stands anywhere
      if (parent.drop) return;
    }
    parent.node.children.push_back(std::move(node));
  }

  void take_key(Open& map, Node& key) {
    map.has_key = true;
    map.key = key.text;
    map.key_at = key.at;
    map.drop = true;
    if (key.kind != Node::Kind::kText) {
      report_at_parent(key.at, "a key must be plain text");
      return;
    }
    if (key.text == "<<" && !key.in_quotes) {
      report(key.at, "merge keys (<<) are not allowed; write the values again");
      return;
    }
    const auto [first, is_new] = map.seen.emplace(key.text, key.at);
    if (!is_new) {
      report(key.at, "duplicate key; the first one is on line " +
                         std::to_string(first->second.line) + ", keep one of them");
      return;
    }
    map.drop = false;
  }

  void refuse_tag(const Node& node, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    report(node.at, "tags (!) are not allowed; remove " + quoted(tag));
  }

  void refuse_anchor(const Node& node, YAML::anchor_t anchor) {
    if (anchor != 0) report(node.at, "anchors (&) are not allowed; remove it");
  }

  void report(Position at, std::string message) {
    diagnostics_.push_back({document_.name, at, path(open_.size()), std::move(message)});
  }
  void report_at_parent(Position at, std::string message) {
    diagnostics_.push_back({document_.name, at, path(open_.size() - 1), std::move(message)});
  }

  // Dotted path of the value that is being read, through the first `depth` open nodes.
  std::string path(std::size_t depth) const {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) {
      const Open& open = open_[i];
      if (open.node.kind == Node::Kind::kList) {
        text += '[' + std::to_string(open.node.children.size()) + ']';
      } else if (open.has_key) {
        if (!text.empty()) text += '.';
        text += open.key;
      }
    }
    return text;
  }

  Lines& lines_;
  Document& document_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Open> open_;
  std::size_t nodes_ = 0;
};

}  // namespace qdiscsim::config
