#include "config/walk.h"

#include <algorithm>

#include "config/scalars.h"
#include "config/suggest.h"

namespace qdiscsim::config {
namespace {

// "is a list", "has no value", ...: what stands where something else was expected.
std::string what_is(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "has no value";
    case Node::Kind::kList:
      return "is a list";
    case Node::Kind::kMap:
      return "is a map";
    default:
      return quoted(node.text) + " is a single value";
  }
}

std::string join(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + '.' + std::string(name);
}

}  // namespace

void Walk::map(std::span<const Key> keys, const Node& node, const std::string& path, void* owner) {
  for (const Node& child : node.children) {
    const auto key =
        std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name == child.key; });
    if (key == keys.end()) {
      unknown(keys, child, join(path, child.key));
      continue;
    }
    const std::string where = join(path, key->name);
    places_.put(where, child.at);
    value(*key, child, where, owner);
  }
}

void Walk::value(const Key& key, const Node& node, const std::string& path, void* owner) {
  if (node.kind == Node::Kind::kBroken) {
    places_.mark_bad(path);
    return;
  }
  switch (key.type) {
    case Type::kSection: {
      void* const inner = key.section(owner);
      if (node.kind == Node::Kind::kMap) {
        places_.mark_map(path);
        map(key.keys(), node, path, inner);
      } else if (key.scalar != nullptr) {
        number(*key.scalar, node, path, inner, allowed_text(key));
      } else {
        wrong(node, path, what_is(node) + "; allowed: " + allowed_text(key));
      }
      break;
    }
    case Type::kList:
      if (key.scalar != nullptr && node.kind == Node::Kind::kText) {
        number(*key.scalar, node, path, owner, allowed_text(key));
      } else {
        list(key, node, path, owner);
      }
      break;
    case Type::kName:
    case Type::kPath:
    case Type::kFile:
      text(key, node, path, owner);
      break;
    case Type::kListen:
      listen(key, node, path, owner);
      break;
    case Type::kWords:
      words(key, node, path, owner);
      break;
    case Type::kCpus:
      cpus(key, node, path, owner);
      break;
    default:
      number(key, node, path, owner, allowed_text(key));
  }
}

// What the text stands for, of whatever range; none, and told, when it is no such value.
std::optional<std::uint64_t> Walk::read_number(const Key& key, const Node& node,
                                               const std::string& path,
                                               const std::string& allowed) {
  if (!is_text(node, path, allowed)) return std::nullopt;
  const Parsed parsed = parse_number(key, node);
  if (!parsed.value) {
    const std::string meant =
        parsed.suggestion.empty() ? "" : "; did you mean " + parsed.suggestion + "?";
    wrong(node, path, parsed.error + "; allowed: " + allowed + meant);
  }
  return parsed.value;
}

void Walk::number(const Key& key, const Node& node, const std::string& path, void* owner,
                  const std::string& allowed) {
  if (key.type == Type::kAddress) return address(key, node, path, owner, allowed);
  const std::optional<std::uint64_t> value = read_number(key, node, path, allowed);
  if (!value) return;
  const bool has_range =
      key.type != Type::kBool && key.type != Type::kChoice && key.type != Type::kSpeed;
  if (has_range && (*value < key.min || *value > key.max)) {
    const std::string why = key.why.empty() ? "" : " (" + std::string(key.why) + ")";
    wrong(node, path,
          node.text + (*value < key.min ? " is too small" : " is too large") + why +
              "; allowed: " + allowed);
    return;
  }
  key.number.set(owner, *value);
}

void Walk::address(const Key& key, const Node& node, const std::string& path, void* owner,
                   const std::string& allowed) {
  if (!is_text(node, path, allowed)) return;
  if (const auto address = parse_address(node.text)) {
    key.address.set(owner, *address);
  } else {
    wrong(node, path, quoted(node.text) + " is not an IP address; allowed: " + allowed);
  }
}

void Walk::text(const Key& key, const Node& node, const std::string& path, void* owner) {
  if (!is_text(node, path, allowed_text(key))) return;
  const std::string error =
      key.type == Type::kName ? name_error(node.text, key.max) : path_error(key, node.text);
  if (!error.empty()) {
    wrong(node, path, error + "; allowed: " + allowed_text(key));
    return;
  }
  key.text(owner) = node.text;
}

void Walk::listen(const Key& key, const Node& node, const std::string& path, void* owner) {
  if (!is_text(node, path, allowed_text(key))) return;
  const std::string error = parse_listen(node.text, *static_cast<Http*>(owner));
  if (!error.empty()) wrong(node, path, error + "; allowed: " + allowed_text(key));
}

void Walk::words(const Key& key, const Node& node, const std::string& path, void* owner) {
  if (node.kind != Node::Kind::kList) {
    wrong(node, path, what_is(node) + "; allowed: " + allowed_text(key));
    return;
  }
  Key one = key;
  one.type = Type::kChoice;
  std::uint64_t chosen = 0;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const Node& entry = node.children[i];
    const std::string where = path + '[' + std::to_string(i) + ']';
    if (entry.kind == Node::Kind::kBroken) continue;
    const std::optional<std::uint64_t> word = read_number(one, entry, where, allowed_text(one));
    if (!word) continue;
    if ((chosen >> *word & 1U) != 0) wrong(entry, where, quoted(entry.text) + " is listed twice");
    chosen |= std::uint64_t{1} << *word;
  }
  key.number.set(owner, chosen);
}

void Walk::cpus(const Key& key, const Node& node, const std::string& path, void* owner) {
  if (node.kind != Node::Kind::kList) {
    wrong(node, path, what_is(node) + "; allowed: " + allowed_text(key));
    return;
  }
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const Node& entry = node.children[i];
    const std::string where = path + '[' + std::to_string(i) + ']';
    if (entry.kind == Node::Kind::kBroken) continue;
    const std::string allowed = "CPUs " + format_cpu_list(cpus_.allowed);
    if (!is_text(entry, where, allowed)) continue;
    const Parsed parsed = parse_integer(entry.text);
    if (!parsed.value) {
      wrong(entry, where, parsed.error + "; allowed: " + allowed);
      continue;
    }
    const auto has = [&](const std::vector<std::uint32_t>& set) {
      return std::find(set.begin(), set.end(), *parsed.value) != set.end();
    };
    if (!has(cpus_.online)) {
      wrong(entry, where, "CPU " + entry.text + " does not exist; allowed: " + allowed);
    } else if (!has(cpus_.allowed)) {
      wrong(entry, where,
            "CPU " + entry.text +
                " is closed to this process (see taskset, cpuset); allowed: " + allowed);
    } else if (has(chosen)) {
      wrong(entry, where, "CPU " + entry.text + " is listed twice");
    } else {
      chosen.push_back(static_cast<std::uint32_t>(*parsed.value));
    }
  }
  key.cpus(owner) = std::move(chosen);
}

void Walk::list(const Key& key, const Node& node, const std::string& path, void* owner) {
  if (node.kind != Node::Kind::kList) {
    wrong(node, path, what_is(node) + "; allowed: " + allowed_text(key));
    return;
  }
  const std::size_t entries = node.children.size();
  if (entries < key.min || entries > key.max) {
    wrong(node, path, "has " + std::to_string(entries) + " entries; allowed: " + allowed_text(key));
    return;
  }
  key.list.clear(owner);
  for (std::size_t i = 0; i < entries; ++i) {
    const Node& entry = node.children[i];
    const std::string where = path + '[' + std::to_string(i) + ']';
    places_.put(where, entry.at);
    void* const inner = key.list.append(owner);
    if (entry.kind == Node::Kind::kMap) {
      map(key.keys(), entry, where, inner);
    } else if (entry.kind == Node::Kind::kBroken) {
      places_.mark_bad(where);
    } else {
      wrong(entry, where, what_is(entry) + "; allowed: " + map_text(key.keys()));
    }
  }
}

void Walk::unknown(std::span<const Key> keys, const Node& node, const std::string& path) {
  std::vector<std::string> here;
  std::string inside;  // the same word as a key of a map in here
  for (const Key& key : keys) {
    here.emplace_back(key.name);
    if (key.type != Type::kSection) continue;
    for (const Key& inner : key.keys()) {
      if (inner.name == node.key && inside.empty()) {
        inside = std::string(key.name) + '.' + std::string(inner.name);
      }
    }
  }
  const auto meant = closest(node.key, here);
  std::string message = "unknown key; ";
  if (meant || !inside.empty()) {
    message += "did you mean " + (meant ? *meant : inside) + "?";
  } else {
    message += "allowed here: " + join_or(here);
  }
  diagnostics_.push_back({sources_[node.key_at.source], node.key_at, path, message});
}

bool Walk::is_text(const Node& node, const std::string& path, const std::string& allowed) {
  if (node.kind == Node::Kind::kText) return true;
  wrong(node, path, what_is(node) + "; allowed: " + allowed);
  return false;
}

void Walk::wrong(const Node& node, const std::string& path, const std::string& message) {
  places_.mark_bad(path);
  diagnostics_.push_back({sources_[node.at.source], node.at, path, message});
}

}  // namespace qdiscsim::config
