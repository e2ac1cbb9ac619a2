#include "config/print.h"

#include <yaml-cpp/emitter.h>

namespace qdiscsim::config {
namespace {

// The accessors of sections, names and CPU lists give references that can be written through; here
// they only read.
void* readable(const void* owner) {
  return const_cast<void*>(owner);
}

std::string listen_text(const Http& http) {
  const bool v6 = http.address.find(':') != std::string::npos;
  const std::string host = v6 ? '[' + http.address + ']' : http.address;
  return host + ':' + std::to_string(http.port);
}

bool is_shown(const Key& key, const void* owner) {
  return key.shown == nullptr || key.shown(owner);
}

void emit_value(YAML::Emitter& out, const Key& key, const void* owner);

void emit_map(YAML::Emitter& out, std::span<const Key> keys, const void* owner) {
  out << YAML::BeginMap;
  for (const Key& key : keys) {
    if (!is_shown(key, owner)) continue;
    out << YAML::Key << std::string(key.name) << YAML::Value;
    emit_value(out, key, owner);
  }
  out << YAML::EndMap;
}

void emit_value(YAML::Emitter& out, const Key& key, const void* owner) {
  switch (key.type) {
    case Type::kSection: {
      const void* const inner = key.section(readable(owner));
      if (key.scalar != nullptr) {
        if (key.scalar->shown(inner)) return emit_value(out, *key.scalar, inner);
        out << YAML::Flow;
      }
      return emit_map(out, key.keys(), inner);
    }
    case Type::kList: {
      if (key.scalar != nullptr) {
        if (key.scalar->shown(owner)) return emit_value(out, *key.scalar, owner);
        out << YAML::Flow;
      }
      const std::size_t size = key.list.size(owner);
      if (size == 0) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (std::size_t i = 0; i < size; ++i) emit_map(out, key.keys(), key.list.at(owner, i));
      out << YAML::EndSeq;
      return;
    }
    case Type::kCpus:
      out << YAML::Flow << YAML::BeginSeq;
      for (const std::uint32_t cpu : key.cpus(readable(owner))) out << cpu;
      out << YAML::EndSeq;
      return;
    case Type::kWords:
      out << YAML::Flow << YAML::BeginSeq;
      for (std::size_t i = 0; i < key.choices.size(); ++i) {
        if ((key.number.get(owner) >> i & 1U) != 0) out << std::string(key.choices[i]);
      }
      out << YAML::EndSeq;
      return;
    case Type::kName:
    case Type::kPath:
    case Type::kFile:
      out << key.text(readable(owner));
      return;
    case Type::kListen:
      out << YAML::DoubleQuoted << listen_text(*static_cast<const Http*>(owner));
      return;
    case Type::kAddress: {
      const IpAddress address = key.address.get(owner);
      // Within {} a colon at the end of one is none to readers of YAML.
      if (address.v6) out << YAML::DoubleQuoted;
      out << address_text(address);
      return;
    }
    case Type::kMac:
      // Digits and colons alone are a number to other readers of YAML.
      out << YAML::DoubleQuoted << mac_text(key.number.get(owner));
      return;
    default: {
      const std::string text = number_text(key, key.number.get(owner));
      // A word like 6.10 is none to other readers of YAML.
      if (key.type == Type::kChoice && text[0] >= '0' && text[0] <= '9') out << YAML::DoubleQuoted;
      out << text;
    }
  }
}

}  // namespace

std::string print(const Config& config) {
  YAML::Emitter out;
  emit_map(out, schema(), &config);
  return std::string(out.c_str()) + '\n';
}

std::string print_value(const Key& key, const void* owner) {
  if (!is_shown(key, owner)) return "";
  YAML::Emitter out;
  out << YAML::Flow;
  out.SetMapFormat(YAML::Flow);
  out.SetSeqFormat(YAML::Flow);
  emit_value(out, key, owner);
  return out.c_str();
}

}  // namespace qdiscsim::config
