// The one table of everything that a configuration may say. The walk (walk.h), the effective
// configuration (print.h), the list of changes at a reload (diff.h) and docs/configuration.md
// (reference.h) all read it; a new key is one entry here and one field in config.h.
//
// An entry reaches its field through plain function pointers over an untyped owner, made by the
// templates at the end from pointers to members, so that the table is constant data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "config/config.h"

namespace qdiscsim::config {

enum class Type : std::uint8_t {
  kInteger,     // whole decimal number
  kSize,        // bytes, with a unit
  kBitRate,     // bits per second, with a unit
  kPacketRate,  // packets per second, with a unit
  kSpeed,       // 2x, max or a packet rate; the number is that of speed.h
  kDuration,    // nanoseconds, with a unit
  kBool,        // true or false
  kChoice,      // one of `choices`; the number is the index
  kMac,         // aa:bb:cc:dd:ee:ff; the number has 48 bits
  kAddress,     // an IPv4 or IPv6 address
  kName,        // letters, digits, _ . -
  kPath,        // absolute path of a file or directory; need not exist
  kFile,        // path of a file; where a relative one starts is the help's to say
  kListen,      // address:port; owner is Http
  kCpus,        // list of CPU numbers
  kWords,       // list of some of `choices`; in the number, bit n stands for the n-th
  kSection,     // map with the entries of `keys`
  kList,        // list of such maps
};

// Whether a reload applies a change, or the daemon must be started again.
enum class Reload : std::uint8_t { kLive, kRestart };

struct Number {
  std::uint64_t (*get)(const void* owner) = nullptr;
  void (*set)(void* owner, std::uint64_t value) = nullptr;
};

struct AddressAccess {
  IpAddress (*get)(const void* owner) = nullptr;
  void (*set)(void* owner, const IpAddress& address) = nullptr;
};

struct ListAccess {
  std::size_t (*size)(const void* owner) = nullptr;
  const void* (*at)(const void* owner, std::size_t index) = nullptr;
  void* (*append)(void* owner) = nullptr;  // valid until the next append
  void (*clear)(void* owner) = nullptr;
};

struct Key {
  std::string_view name{};
  Type type = Type::kInteger;
  Reload reload = Reload::kRestart;
  // Numbers: inclusive range in base units; kName, kPath, kFile: length; kList: entries.
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  std::span<const std::string_view> choices{};
  std::span<const Key> (*keys)() = nullptr;  // kSection, kList
  const Key* scalar = nullptr;  // kSection, kList: a single value may stand for the whole
  Number number{};              // kInteger .. kMac, kWords
  AddressAccess address{};      // kAddress
  std::string& (*text)(void* owner) = nullptr;                 // kName, kPath, kFile
  std::vector<std::uint32_t>& (*cpus)(void* owner) = nullptr;  // kCpus
  void* (*section)(void* owner) = nullptr;                     // kSection: the owner of `keys`
  ListAccess list{};                                           // kList
  bool (*shown)(const void* owner) = nullptr;  // false: not part of the effective configuration
  std::string_view unset{};                    // what the reference says instead of the default
  std::string_view why{};                      // the reason for the range, added to messages
  std::string_view help{};                     // one sentence for the reference
};

// The root's entries; owner is Config.
std::span<const Key> schema();

// The entries of `devices` and `generators`; owners are Device and GeneratorGroup.
std::span<const Key> device_keys();
std::span<const Key> generator_keys();

// "1 to 64", "1kbit to 1Tbit", "inline or dedicated", "true or false", ...
std::string allowed_text(const Key& key);
// What the reference calls the type: "whole number", "bit rate", ...
std::string type_text(const Key& key);
// "a map with name, link, ..."
std::string map_text(std::span<const Key> keys);
// A number as the user writes it.
std::string number_text(const Key& key, std::uint64_t value);

// -- how an entry reaches its field --

template <const auto& Table>
std::span<const Key> rows() {
  return Table;
}

template <class T>
struct MemberOf;
template <class Owner, class Field>
struct MemberOf<Field Owner::*> {
  using owner = Owner;
  using field = Field;
};

template <auto Member>
constexpr Number number() {
  using Owner = typename MemberOf<decltype(Member)>::owner;
  using Field = typename MemberOf<decltype(Member)>::field;
  return {[](const void* owner) {
            return static_cast<std::uint64_t>(static_cast<const Owner*>(owner)->*Member);
          },
          [](void* owner, std::uint64_t value) {
            static_cast<Owner*>(owner)->*Member = static_cast<Field>(value);
          }};
}

template <auto Member>
auto& member(void* owner) {
  return static_cast<typename MemberOf<decltype(Member)>::owner*>(owner)->*Member;
}

template <auto Member>
void* section_of(void* owner) {
  return &member<Member>(owner);
}

template <auto Member>
constexpr ListAccess list() {
  using Owner = typename MemberOf<decltype(Member)>::owner;
  return {[](const void* owner) { return (static_cast<const Owner*>(owner)->*Member).size(); },
          [](const void* owner, std::size_t index) -> const void* {
            return &(static_cast<const Owner*>(owner)->*Member)[index];
          },
          [](void* owner) -> void* { return &member<Member>(owner).emplace_back(); },
          [](void* owner) { member<Member>(owner).clear(); }};
}

// One address for all of the fields, which are equal when it is asked for.
template <auto First, auto... Rest>
constexpr AddressAccess addresses() {
  using Owner = typename MemberOf<decltype(First)>::owner;
  return {[](const void* owner) { return static_cast<const Owner*>(owner)->*First; },
          [](void* owner, const IpAddress& address) {
            static_cast<Owner*>(owner)->*First = address;
            ((static_cast<Owner*>(owner)->*Rest = address), ...);
          }};
}

// One value for both ends of a range.
template <auto Min, auto Max>
constexpr Number both() {
  return {number<Min>().get, [](void* owner, std::uint64_t value) {
            number<Min>().set(owner, value);
            number<Max>().set(owner, value);
          }};
}

}  // namespace qdiscsim::config
