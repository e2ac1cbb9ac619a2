#include "config/scalars.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "config/addresses.h"
#include "config/diagnostic.h"
#include "config/speed.h"
#include "config/suggest.h"

namespace qdiscsim::config {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Parsed parse_bool(const std::string& text) {
  if (text == "true") return {1, {}, {}};
  if (text == "false") return {0, {}, {}};
  const std::string word = lower(text);
  std::string error = quoted(text) + " is not true or false";
  if (word == "yes" || word == "on" || word == "y" || word == "true" || word == "1") {
    error += "; write true";
  } else if (word == "no" || word == "off" || word == "n" || word == "false" || word == "0") {
    error += "; write false";
  }
  return {std::nullopt, error, {}};
}

Parsed parse_choice(const Key& key, const std::string& text) {
  const auto found = std::find(key.choices.begin(), key.choices.end(), text);
  if (found == key.choices.end()) {
    return {std::nullopt, quoted(text) + " is unknown",
            closest(text, {key.choices.begin(), key.choices.end()}).value_or("")};
  }
  return {static_cast<std::uint64_t>(found - key.choices.begin()), {}, {}};
}

Parsed parse_mac_address(const std::string& text) {
  if (const auto mac = parse_mac(text)) return {*mac, {}, {}};
  return {std::nullopt, quoted(text) + " is not a MAC address", {}};
}

}  // namespace

Parsed parse_number(const Key& key, const Node& node) {
  const bool bare = key.type == Type::kInteger || key.type == Type::kBool;
  if (bare && node.in_quotes) {
    return {std::nullopt, quoted(node.text) + " is text; write it without quotes", {}};
  }
  switch (key.type) {
    case Type::kSize:
      return parse_quantity(node.text, Quantity::kSize);
    case Type::kBitRate:
      return parse_quantity(node.text, Quantity::kBitRate);
    case Type::kPacketRate:
      return parse_quantity(node.text, Quantity::kPacketRate);
    case Type::kDuration:
      return parse_quantity(node.text, Quantity::kDuration);
    case Type::kSpeed:
      return parse_speed(node.text);
    case Type::kBool:
      return parse_bool(node.text);
    case Type::kChoice:
      return parse_choice(key, node.text);
    case Type::kMac:
      return parse_mac_address(node.text);
    default:
      return parse_integer(node.text);
  }
}

std::string name_error(const std::string& text, std::uint64_t longest) {
  if (text.empty()) return "\"\" is empty";
  if (text == "." || text == "..") return quoted(text) + " is not a name";
  const auto bad = std::find_if(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || (std::isalnum(byte) == 0 && c != '_' && c != '.' && c != '-');
  });
  if (bad != text.end()) return quoted(text) + " holds a character that a name must not have";
  if (text.size() > longest) {
    return quoted(text) + " has " + std::to_string(text.size()) + " characters";
  }
  return "";
}

std::string path_error(const Key& key, const std::string& text) {
  if (text.empty()) return "\"\" is empty";
  if (key.type == Type::kPath && !text.starts_with('/')) {
    return quoted(text) + " does not start with a slash";
  }
  const auto control = [](char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; };
  if (std::any_of(text.begin(), text.end(), control)) {
    return quoted(text) + " holds a control character";
  }
  if (text.size() > key.max) {
    return "the path has " + std::to_string(text.size()) + " characters, at most " +
           std::to_string(key.max) + " are possible";
  }
  return "";
}

std::string parse_listen(const std::string& text, Http& http) {
  const std::size_t colon = text.rfind(':');
  const bool brackets = text.starts_with('[');
  std::string address = text.substr(0, colon);
  if (brackets) {
    if (colon == std::string::npos || colon == 0 || text[colon - 1] != ']') {
      return quoted(text) + " has no port behind the bracket";
    }
    address = text.substr(1, colon - 2);
  } else if (colon == std::string::npos) {
    return quoted(text) + " has no port";
  } else if (address.find(':') != std::string::npos) {
    return quoted(text) + " is an IPv6 address without brackets";
  }
  std::array<unsigned char, sizeof(in6_addr)> binary{};
  std::array<char, INET6_ADDRSTRLEN> canonical{};
  const int family = brackets ? AF_INET6 : AF_INET;
  if (inet_pton(family, address.c_str(), binary.data()) != 1) {
    return quoted(address) + " is not an " + (brackets ? "IPv6" : "IPv4") +
           " address (a host name is not accepted)";
  }
  const Parsed port = parse_integer(text.substr(colon + 1));
  if (!port.value) return "port " + port.error;
  if (*port.value > 65'535) return "port " + text.substr(colon + 1) + " is above 65535";
  inet_ntop(family, binary.data(), canonical.data(), canonical.size());
  http.address = canonical.data();
  http.port = static_cast<std::uint16_t>(*port.value);
  return "";
}

}  // namespace qdiscsim::config
