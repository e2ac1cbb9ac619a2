#include "daemon/pcap_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pcap/pcap.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "daemon/pcap_packet.h"
#include "pktgen/packet_template.h"
#include "text/units.h"

namespace qdiscsim {
namespace {

constexpr std::uint64_t kPacketsPerReport = 65'536;

struct Close {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  void operator()(pcap_t* pcap) const noexcept { pcap_close(pcap); }
};
using File = std::unique_ptr<std::FILE, Close>;
using Pcap = std::unique_ptr<pcap_t, Close>;

class Reader {
 public:
  Reader(const std::string& path, std::uint64_t most,
         const std::function<void(std::uint64_t, std::uint64_t)>& progress)
      : path_{path}, most_{most}, progress_{progress} {}

  PcapFile read() {
    if (open() && know_link()) read_packets();
    return std::move(capture_);
  }

 private:
  bool fail(const std::string& what) {
    capture_.error = path_ + ": " + what;
    return false;
  }

  bool open() {
    // Not blocking: else a pipe without a writer would hold the daemon up.
    const int descriptor = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
      if (errno == ENOENT || errno == ENOTDIR) {
        return fail("does not exist; a relative path counts from the folder of the configuration");
      }
      return fail(std::string{"cannot be read: "} + std::strerror(errno));
    }
    File file{fdopen(descriptor, "rb")};
    struct stat status {};
    if (file == nullptr || fstat(descriptor, &status) != 0) {
      if (file == nullptr) close(descriptor);
      return fail(std::string{"cannot be read: "} + std::strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) return fail("is a directory; name a capture file in it");
    if (!S_ISREG(status.st_mode)) return fail("is not a regular file; save the capture as one");
    if (status.st_size == 0) return fail("is empty, of 0 bytes; capture again");
    bytes_ = static_cast<std::uint64_t>(status.st_size);
    return open_as_capture(std::move(file));
  }

  bool open_as_capture(File file) {
    if (const std::string packed = packed_with(file.get()); !packed.empty()) {
      return fail("is compressed; unpack it: " + packed);
    }
    std::array<char, PCAP_ERRBUF_SIZE> error{};
    pcap_.reset(pcap_fopen_offline_with_tstamp_precision(file.get(), PCAP_TSTAMP_PRECISION_NANO,
                                                         error.data()));
    if (pcap_ == nullptr) {
      const std::string_view why{error.data()};
      if (why.starts_with("truncated")) {
        return fail("ends in the middle of its file header; capture again");
      }
      return fail(
          fmt::format("is not a capture ({}); pcap and pcapng are read, others can be "
                      "converted: editcap -F pcapng IN OUT",
                      why));
    }
    file_ = file.release();  // closed with the capture
    return true;
  }

  // By which command a compressed file can be read; empty when it is none.
  static std::string packed_with(std::FILE* file) {
    std::array<unsigned char, 4> magic{};
    const std::size_t got = std::fread(magic.data(), 1, magic.size(), file);
    std::rewind(file);
    if (got < magic.size()) return {};
    if (magic[0] == 0x1f && magic[1] == 0x8b) return "gunzip";
    if (std::memcmp(magic.data(), "\x28\xb5\x2f\xfd", 4) == 0) return "unzstd";
    if (std::memcmp(magic.data(),
                    "\xfd"
                    "7zX",
                    4) == 0)
      return "unxz";
    if (std::memcmp(magic.data(), "\x04\x22\x4d\x18", 4) == 0) return "unlz4";
    return {};
  }

  bool know_link() {
    const int dlt = pcap_datalink(pcap_.get());
    link_ = LinkLayer::of(dlt);
    const char* const words = pcap_datalink_val_to_description(dlt);
    capture_.link = words != nullptr ? words : "unknown";
    if (link_) return true;
    const char* const name = pcap_datalink_val_to_name(dlt);
    return fail(
        fmt::format("has packets of the link type {} ({}), which is not supported; capture "
                    "with Ethernet, Linux cooked (SLL, SLL2), raw IP or loopback headers",
                    name != nullptr ? name : std::to_string(dlt), capture_.link));
  }

  void read_packets() {
    auto trace = std::make_shared<Trace>();
    pcap_pkthdr* header = nullptr;
    const u_char* bytes = nullptr;
    int status = 0;
    while ((status = pcap_next_ex(pcap_.get(), &header, &bytes)) == 1) {
      if (trace->size() == most_) {
        fail(
            fmt::format("has more than {} packets; take a part: editcap -r IN OUT 1-{}, or split "
                        "it: editcap -c {} IN OUT",
                        format_count(most_), most_, most_));
        return;
      }
      add(*trace, *header, bytes);
      if (progress_ && trace->size() % kPacketsPerReport == 0) {
        progress_(static_cast<std::uint64_t>(std::max(ftello(file_), off_t{0})), bytes_);
      }
    }
    if (status != PCAP_ERROR_BREAK) {
      broken(trace->size());
    } else if (trace->empty()) {
      fail("has no packets; capture again, or remove the key");
    } else {
      trace->complete();
      capture_.trace = std::move(trace);
    }
  }

  // pcap_next_ex() gave up behind so many packets.
  void broken(std::uint64_t packets) {
    const std::string_view why{pcap_geterr(pcap_.get())};
    std::string what = why.starts_with("truncated") ? "ends in the middle of a packet"
                                                    : fmt::format("is damaged ({})", why);
    if (packets == 0) {
      fail(what + ", the first one; capture again");
    } else {
      fail(fmt::format("{}, behind packet {}; to keep what is whole: editcap -r IN OUT 1-{}", what,
                       packets, packets));
    }
  }

  void add(Trace& trace, const pcap_pkthdr& header, const u_char* bytes) {
    const CapturedPacket packet = link_->look({bytes, header.caplen}, header.len);
    capture_.cut_packets += packet.cut ? 1 : 0;
    capture_.short_packets += packet.size < PacketTemplate::kBytes ? 1 : 0;
    capture_.long_packets += packet.size > Trace::kMostSize ? 1 : 0;
    // A damaged file may hold any time. tv_usec holds nanoseconds.
    __extension__ using Wide = __int128;
    const Wide time = Wide{header.ts.tv_sec} * static_cast<Wide>(kSecond) + header.ts.tv_usec;
    const Wide gap = trace.empty() ? Wide{0} : time - before_;
    before_ = time;
    if (gap < 0) ++capture_.steps_back;
    const Wide bounded = std::clamp(gap, Wide{0}, static_cast<Wide>(Trace::kLongest) + 1);
    const bool fits = trace.add(static_cast<Nanoseconds>(bounded), packet.size, packet.tos);
    if (!fits && capture_.beyond == 0) capture_.beyond = trace.size();
  }

  __extension__ __int128 before_ = 0;
  const std::string& path_;
  const std::uint64_t most_;
  const std::function<void(std::uint64_t, std::uint64_t)>& progress_;
  Pcap pcap_;
  std::FILE* file_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::optional<LinkLayer> link_;
  PcapFile capture_;
};

}  // namespace

PcapFile read_pcap(const std::string& path, std::uint64_t most_packets,
                   const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  return Reader{path, most_packets, progress}.read();
}

std::vector<std::string> describe(const std::string& path, const PcapFile& capture) {
  const std::string file = "capture " + path + ": ";
  const auto packets = [](std::uint64_t n) {
    return format_count(n) + (n == 1 ? " packet" : " packets");
  };
  std::vector<std::string> lines;
  lines.push_back(fmt::format(
      "{}{} in {}, {}", file, packets(capture.trace->size()),
      format_duration(static_cast<double>(capture.trace->duration()) / kSecond), capture.link));
  if (capture.long_packets > 0) {
    lines.push_back(fmt::format(
        "{}{} longer than {} bytes, sent with {}: jumbo frames, or segments that the card would "
        "have cut up (ethtool -K DEVICE gso off tso off gro off before the capture)",
        file, packets(capture.long_packets), Trace::kMostSize, Trace::kMostSize));
  }
  if (capture.short_packets > 0) {
    lines.push_back(fmt::format("{}{} shorter than {} bytes, sent with {}", file,
                                packets(capture.short_packets), PacketTemplate::kBytes,
                                PacketTemplate::kBytes));
  }
  if (capture.steps_back > 0) {
    lines.push_back(fmt::format(
        "{}{} earlier than the one before, sent without a gap (reordercap IN OUT sorts a capture)",
        file, packets(capture.steps_back)));
  }
  if (capture.cut_packets > 0) {
    lines.push_back(fmt::format(
        "{}{} captured too short to show the TOS, sent with TOS and priority 0 (tcpdump -s 64)",
        file, packets(capture.cut_packets)));
  }
  return lines;
}

}  // namespace qdiscsim
