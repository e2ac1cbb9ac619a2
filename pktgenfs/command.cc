#include "pktgenfs/command.h"

#include <array>
#include <cerrno>

namespace qdiscsim::pktgenfs {

void Call::ok(std::string_view name, std::string_view value) {
  result = "OK: ";
  result += name;
  result += '=';
  result += value;
}

Answer run_command(std::string_view text, const Rules& rules, const Interface& interface,
                   DeviceSettings& settings, CurrentPacket& current, std::string& result,
                   bool& clears_counters) {
  constexpr std::size_t kMostNameBytes = 15;
  if (text.empty()) return -EINVAL;
  Words words{text, rules.equals_ends_word};
  const std::string_view name = words.name(kMostNameBytes);
  Call call{words, rules, interface, settings, current, result, clears_counters};

  for (const NumberCommand& command : number_commands()) {
    if (command.name != name) continue;
    const std::uint64_t value = words.number(command.most_digits).value;
    call.ok(name, std::to_string(command.set(call, value)));
    return 0;
  }
  for (const auto commands : {sending_commands(), address_commands(), tag_commands()}) {
    for (const Command& command : commands) {
      if (command.name == name) return command.run(call);
    }
  }
  result = "No such parameter \"" + std::string{name} + '"';
  return -EINVAL;
}

}  // namespace qdiscsim::pktgenfs
