#include "config/reference.h"

#include <array>

#include "config/config.h"
#include "config/exit_codes.h"
#include "config/print.h"
#include "config/schema.h"
#include "config/units.h"

namespace qdiscsim::config {
namespace {

constexpr std::string_view kIntroduction =
    R"(<!-- Generated from the schema in config/; do not edit. To write it again: ./dev docs -->
# Configuration

`qdiscsimd FILE` reads one YAML document. `qdiscsimd --check-config FILE` lists every mistake and
starts nothing; `--print-config FILE` prints the effective configuration with all defaults.
The smallest useful file:

```yaml
devices:
  - name: eth0
    link: {kind: wire, rate: 1Gbit}
generators:
  - device: eth0
```

## Mistakes

All mistakes are reported at once, before anything starts, each on a line of its own:

```
FILE:LINE:COLUMN: KEY: what is wrong; allowed: ...; did you mean ...?
```

Unknown and duplicate keys, anchors and aliases, merge keys, tags, a second document, text that is
not UTF-8, more than 16 levels and more than 1MiB are mistakes. So is a key that would have no effect
beside the others, and a capture that cannot be read.

## Overrides

`--set KEY=VALUE` changes the file before it is checked: `--set generators[0].threads=4`,
`--set 'generators[0].packet_size={min: 60, max: 1500}'`. List entries count from 0. An empty VALUE
removes the key, so that its default holds. A mistake in an override is shown as `--set: KEY: ...`.

## Reload

SIGHUP reads the file again. A file with mistakes changes nothing. Of the keys below those marked
*live* take effect at once. A file that changes one marked *restart* is refused as a whole, and the
log names the key: start the daemon again for it. Generator groups are recognised by their name: a new
name is a new group. Threads that went keep their counters, so the number of threads ever used may
grow by 64 over that of the start; a reload beyond is refused.

## Numbers and units

Whole numbers are decimal digits: `010`, `0x10` and `1e3` are mistakes. Quantities need their unit,
except for 0, and may have a decimal point as long as they come out whole: `1.5Mpps`, not `1.5pps`.

| Quantity | Units |
|---|---|
)";

constexpr std::string_view kExamples = R"(
## Examples

In `config/examples/`; each says in its first lines what to look at in `/metrics`.

| File | Shows |
|---|---|
| `quickstart.yaml` | a 1 Gbit/s wire that two generators saturate: band 0 loses nothing, bands 1 and 2 drop |
| `dummy-max.yaml` | the published pktgen and dummy measurement: how throughput changes with the threads |
| `forward.yaml` | another thread frees the pages: the page_pool ring carries the recycling |
| `mq.yaml` | four queues, one for each thread |
| `ipv6-vlan.yaml` | IPv6 in VLANs, and IPv4 behind two tags: longer headers, fewer packets on the wire |
| `capture.yaml` | a pcapng file, for tcpdump and Wireshark, of what leaves a saturated wire's queues |
| `vhost_net.yaml` | a guest behind tun and vhost: which share of the packets finds tun's ring full |
| `tap.yaml` | packets that tcpdump and Wireshark see: a real interface in a namespace of its own |
| `pktgen.yaml` | control files as in /proc/net/pktgen; `queue_xmit.sh` beside it drives them |
| `overcommit.yaml` | sixteen generator threads, more than there are cores |
| `leak.yaml` | a consumer that keeps pages, and what shows it |
| `replay.yaml` | a small capture, again and again: its bursts drop where its mean would not |
)";

std::string units_row(std::string_view what, Quantity quantity) {
  std::string row = "| " + std::string(what) + " |";
  for (const Unit& unit : units_of(quantity)) row += " `" + std::string(unit.name) + "`";
  return row + " |\n";
}

std::string range_text(const Key& key) {
  switch (key.type) {
    case Type::kSection:
      return key.scalar != nullptr ? allowed_text(*key.scalar) : "";
    case Type::kList:
      return (key.scalar != nullptr ? allowed_text(*key.scalar) + ", or " : "") +
             std::to_string(key.min) + " to " + std::to_string(key.max) + " entries";
    case Type::kBool:
    case Type::kMac:
    case Type::kAddress:
    case Type::kListen:
      return "";
    case Type::kCpus:
      return "CPUs that exist and this process may use";
    default:
      return allowed_text(key);
  }
}

std::string default_text(const Key& key, const void* owner) {
  if (!key.unset.empty()) return std::string(key.unset);
  if (key.type == Type::kList && key.scalar == nullptr) return key.min > 0 ? "required" : "`[]`";
  // A wire's keys have a default although the default link shows none.
  Key always = key;
  always.shown = nullptr;
  return '`' + print_value(always, owner) + '`';
}

// One row for each key, maps and lists before what they hold. `owner` holds the defaults.
void key_rows(std::span<const Key> keys, const std::string& prefix, void* owner,
              std::string& text) {
  for (const Key& key : keys) {
    const std::string path = prefix + std::string(key.name);
    const bool plain_map = key.type == Type::kSection && key.scalar == nullptr;
    if (!plain_map) {
      text += "| `" + path + "` | " + type_text(key) + " | " + range_text(key) + " | " +
              default_text(key, owner) + " | " +
              (key.reload == Reload::kLive ? "live" : "restart") + " | " + std::string(key.help) +
              " |\n";
    }
    if (key.type == Type::kSection) key_rows(key.keys(), path + '.', key.section(owner), text);
    if (key.type == Type::kList) {
      key_rows(key.keys(), path + "[].", key.list.append(owner), text);
    }
  }
}

}  // namespace

std::string reference_markdown() {
  std::string text(kIntroduction);
  text += units_row("size", Quantity::kSize);
  text += units_row("bit rate, per second", Quantity::kBitRate);
  text += units_row("packet rate, per second", Quantity::kPacketRate);
  text += units_row("duration", Quantity::kDuration);
  text +=
      "\n## Keys\n\n| Key | Type | Allowed | Default | Reload | Meaning "
      "|\n|---|---|---|---|---|---|\n";
  Config defaults;
  key_rows(schema(), "", &defaults, text);
  text += "\n## Exit codes\n\n| Code | Name | Meaning |\n|---|---|---|\n";
  for (const ExitCode& exit : kExitCodes) {
    text += "| " + std::to_string(exit.code) + " | " + std::string(exit.name) + " | " +
            std::string(exit.meaning) + " |\n";
  }
  return text + std::string(kExamples);
}

}  // namespace qdiscsim::config
