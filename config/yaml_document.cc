#include "config/yaml_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "config/encoding.h"
#include "config/units.h"

namespace qdiscsim::config {
namespace {

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

  Position position(const YAML::Mark& mark) const {
    const auto line =
        std::min<std::size_t>(static_cast<std::size_t>(std::max(mark.line, 0)), starts_.size() - 1);
    const auto bytes = static_cast<std::size_t>(std::max(mark.column, 0));
    const std::string_view before = text_.substr(starts_[line]).substr(0, bytes);
    const auto characters = std::count_if(before.begin(), before.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
    });
    return {0, static_cast<std::uint32_t>(line + 1), static_cast<std::uint32_t>(characters + 1)};
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

// Builds the tree from yaml-cpp's events. The open lists and maps are kept by value on a stack and
// moved into their parent when they close.
class Builder final : public YAML::EventHandler {
 public:
  Builder(const Lines& lines, Document& document, std::vector<Diagnostic>& diagnostics)
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

  const Lines& lines_;
  Document& document_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<Open> open_;
  std::size_t nodes_ = 0;
};

// Whatever comes after the first document: only its place matters.
class SecondDocument final : public YAML::EventHandler {
 public:
  explicit SecondDocument(const Lines& lines) : lines_(lines) {}
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw Stop{lines_.position(mark), "a second document starts here; only one is allowed"};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}

 private:
  const Lines& lines_;
};

}  // namespace

Node* Node::find(std::string_view name) {
  for (Node& child : children) {
    if (kind == Kind::kMap && child.key == name) return &child;
  }
  return nullptr;
}

bool parse_document(std::string_view text, Document& document,
                    std::vector<Diagnostic>& diagnostics) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark is harmless
  const std::size_t before = diagnostics.size();
  const auto refuse = [&](Position at, std::string message) {
    diagnostics.resize(before);
    diagnostics.push_back({document.name, at, "", std::move(message)});
    return false;
  };
  if (text.size() > kMaxBytes) {
    return refuse({}, "more than " + format_quantity(kMaxBytes, Quantity::kSize) +
                          "; a configuration is never that large");
  }
  if (const auto bad = find_bad_byte(text)) {
    return refuse(position_of_byte(text, bad->offset), bad->what);
  }

  const Lines lines(text);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder(lines, document, diagnostics);
    if (parser.HandleNextDocument(builder)) {
      SecondDocument second(lines);
      try {
        parser.HandleNextDocument(second);
      } catch (const Stop& stop) {
        diagnostics.push_back({document.name, stop.at, "", stop.message});
      }
    }
  } catch (const Stop& stop) {
    return refuse(stop.at, stop.message);
  } catch (const YAML::Exception& error) {
    std::string message = "not valid YAML: " + error.msg;
    if (error.msg.starts_with("the referenced anchor")) {
      message = "aliases (*) are not allowed; write the value again";
    } else if (error.msg.find("tab") != std::string::npos) {
      message += "; indent with spaces";
    }
    return refuse(lines.position(error.mark), std::move(message));
  }
  return true;
}

}  // namespace qdiscsim::config
