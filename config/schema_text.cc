// How the entries of the schema read in messages and in the reference.
#include "config/schema.h"
#include "config/speed.h"
#include "config/suggest.h"
#include "config/units.h"

namespace qdiscsim::config {
namespace {

std::optional<Quantity> quantity_of(Type type) {
  switch (type) {
    case Type::kSize:
      return Quantity::kSize;
    case Type::kBitRate:
      return Quantity::kBitRate;
    case Type::kPacketRate:
      return Quantity::kPacketRate;
    case Type::kDuration:
      return Quantity::kDuration;
    default:
      return std::nullopt;
  }
}

std::string names_text(std::span<const Key> keys) {
  std::string text;
  for (const Key& key : keys) text += (text.empty() ? "" : ", ") + std::string(key.name);
  return text;
}

std::string alternative(const Key& key) {
  return key.scalar == nullptr ? "" : allowed_text(*key.scalar) + ", or ";
}

}  // namespace

std::string map_text(std::span<const Key> keys) {
  return "a map with " + names_text(keys);
}

std::string number_text(const Key& key, std::uint64_t value) {
  if (const auto quantity = quantity_of(key.type)) return format_quantity(value, *quantity);
  if (key.type == Type::kBool) return value != 0 ? "true" : "false";
  if (key.type == Type::kChoice) return std::string(key.choices[value]);
  if (key.type == Type::kMac) return mac_text(value);
  if (key.type == Type::kSpeed) return format_speed(speed_of(value));
  return std::to_string(value);
}

std::string allowed_text(const Key& key) {
  switch (key.type) {
    case Type::kBool:
      return "true or false";
    case Type::kChoice:
      return join_or({key.choices.begin(), key.choices.end()});
    case Type::kMac:
      return "a MAC address such as 02:00:00:00:00:01";
    case Type::kAddress:
      return "an IPv4 or IPv6 address such as 198.18.0.1 or fd00::1";
    case Type::kName:
      return std::to_string(key.min) + " to " + std::to_string(key.max) +
             " letters, digits, '_', '.' or '-'";
    case Type::kPath:
      return "an absolute path, such as /run/qdiscsim/pktgen";
    case Type::kFile:
      return "a path of a file, such as out.pcapng";
    case Type::kSpeed:
      return allowed_speeds();
    case Type::kListen:
      return "address:port, such as \"127.0.0.1:9713\" or \"[::1]:9713\"";
    case Type::kCpus:
      return "a list of CPU numbers such as [0, 1]";
    case Type::kWords:
      return "a list of " + join_or({key.choices.begin(), key.choices.end()});
    case Type::kSection:
      return alternative(key) + map_text(key.keys());
    case Type::kList:
      return alternative(key) + "a list of " + std::to_string(key.min) + " to " +
             std::to_string(key.max) + " maps with " + names_text(key.keys());
    default:
      return number_text(key, key.min) + " to " + number_text(key, key.max);
  }
}

std::string type_text(const Key& key) {
  std::string text;
  switch (key.type) {
    case Type::kInteger:
      text = "whole number";
      break;
    case Type::kSize:
      text = "size";
      break;
    case Type::kBitRate:
      text = "bit rate";
      break;
    case Type::kPacketRate:
      text = "packet rate";
      break;
    case Type::kDuration:
      text = "duration";
      break;
    case Type::kBool:
      text = "true or false";
      break;
    case Type::kChoice:
      text = "word";
      break;
    case Type::kMac:
      text = "MAC address";
      break;
    case Type::kAddress:
      text = "IP address";
      break;
    case Type::kName:
      text = "name";
      break;
    case Type::kPath:
      text = "path";
      break;
    case Type::kFile:
      text = "file";
      break;
    case Type::kSpeed:
      text = "speed";
      break;
    case Type::kListen:
      text = "address and port";
      break;
    case Type::kCpus:
      text = "list of CPUs";
      break;
    case Type::kWords:
      text = "list of words";
      break;
    case Type::kSection:
      text = "map";
      break;
    case Type::kList:
      text = "list";
      break;
  }
  return key.scalar == nullptr ? text : type_text(*key.scalar) + " or " + text;
}

}  // namespace qdiscsim::config
