// One packet of a capture: how long it was as an Ethernet frame, and its TOS. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace qdiscsim {

struct CapturedPacket {
  std::uint64_t size;  // of the Ethernet frame that it is or would be, without FCS
  std::uint8_t tos;    // IPv4's TOS or IPv6's traffic class; 0 when it is neither
  bool cut = false;    // too little of it was captured to see the TOS
};

// What stands in front of the network header in all packets of a capture.
class LinkLayer {
 public:
  // For a DLT_ number of libpcap; none: a kind that is not known here.
  static std::optional<LinkLayer> of(int dlt);

  // bytes: as much as was captured; length: of the whole packet, as it was on the wire.
  CapturedPacket look(std::span<const std::uint8_t> bytes, std::uint32_t length) const noexcept;

 private:
  enum class Kind : std::uint8_t { kEthernet, kRaw, kCooked, kCooked2, kFamily };

  LinkLayer(Kind kind, std::size_t header) noexcept : kind_{kind}, header_{header} {}

  // The network protocol as an EtherType; 0: not IP, or unknown. None: those bytes are missing.
  std::optional<std::uint32_t> protocol(std::span<const std::uint8_t> bytes) const noexcept;

  Kind kind_;
  std::size_t header_;  // bytes, as many as Ethernet's 14 stand for
};

}  // namespace qdiscsim
