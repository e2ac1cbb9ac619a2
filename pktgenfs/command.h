// Commands of a pktgen device's file: a table of names, each with what it does to the settings and
// what it answers. The rows stand by subject in commands_*.cc.
// Source: linux net/core/pktgen.c, pktgen_if_write(); docs/pktgen-control.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pktgenfs/rules.h"
#include "pktgenfs/settings.h"
#include "pktgenfs/words.h"

namespace qdiscsim::pktgenfs {

// One command being carried out.
struct Call {
  Words& words;  // behind the command's name and the separators
  const Rules& rules;
  const Interface& interface;
  DeviceSettings& settings;
  CurrentPacket& current;
  std::string& result;    // the device's Result line
  bool& clears_counters;  // set by the command of that name

  void ok(std::string_view name, std::string_view value);
};

// What write() answers: 0 = the whole text, above it that many bytes, below it -errno.
using Answer = long;

struct Command {
  std::string_view name;
  Answer (*run)(Call& call);
};

// A command of one decimal number, which always succeeds with "OK: name=value".
struct NumberCommand {
  std::string_view name;
  std::size_t most_digits;
  // Stores the number and returns what is kept of it, for the answer.
  std::int64_t (*set)(Call& call, std::uint64_t value);
};

std::span<const NumberCommand> number_commands() noexcept;
std::span<const Command> sending_commands() noexcept;  // pace, copies, mode, flags, imix
std::span<const Command> address_commands() noexcept;  // IPv4, IPv6, MAC
std::span<const Command> tag_commands() noexcept;      // VLAN, MPLS, tos

// The whole written text, its name included.
Answer run_command(std::string_view text, const Rules& rules, const Interface& interface,
                   DeviceSettings& settings, CurrentPacket& current, std::string& result,
                   bool& clears_counters);

}  // namespace qdiscsim::pktgenfs
