// Capture files of every form, right and wrong.
#include "daemon/pcap_reader.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/prng.h"
#include "tests/base/seed.h"
#include "tests/daemon/pcap_bytes.h"

namespace qdiscsim {
namespace {

using test::Bytes;
using test::capture_of;
using test::CaptureFormat;
using test::frame;
using test::operator+;
using test::WrittenPacket;
using testing::ElementsAre;

constexpr std::uint64_t kDay = 1'700'000'000'000'000'000;  // in 2023

std::vector<WrittenPacket> three_packets() {
  return {{kDay, frame(0x10), 64},
          {kDay + 1'000, frame(0x08), 1'514},
          {kDay + 2'000'005'000, frame(0), 590}};
}

class CaptureReader : public test::CaptureFolder {
 protected:
  PcapFile read(const Bytes& bytes, std::uint64_t most = Trace::kMostPackets) {
    return read_pcap(write("a.pcap", bytes), most);
  }
  // Without the path in front.
  std::string error_of(const Bytes& bytes, std::uint64_t most = Trace::kMostPackets) {
    const PcapFile capture = read(bytes, most);
    EXPECT_EQ(capture.trace, nullptr);
    EXPECT_TRUE(capture.error.starts_with(path("a.pcap") + ": ")) << capture.error;
    return capture.error.substr(std::min(path("a.pcap").size() + 2, capture.error.size()));
  }
};

TEST_F(CaptureReader, ReadsEveryFormInEitherByteOrder) {
  for (const bool pcapng : {false, true}) {
    for (const bool nanoseconds : {false, true}) {
      for (const bool swapped : {false, true}) {
        SCOPED_TRACE(testing::Message() << pcapng << nanoseconds << swapped);
        const PcapFile capture =
            read(capture_of(three_packets(), {pcapng, nanoseconds, swapped, 1}));
        ASSERT_NE(capture.trace, nullptr) << capture.error;
        const Trace& trace = *capture.trace;
        ASSERT_EQ(trace.size(), 3U);
        EXPECT_EQ(capture.link, "Ethernet");
        EXPECT_EQ(trace[0].size(), 64U);
        EXPECT_EQ(trace[1].size(), 1'514U) << "the length on the wire, not that of the capture";
        EXPECT_EQ(trace[0].tos(), 0x10U);
        EXPECT_EQ(trace[1].tos(), 0x08U);
        EXPECT_EQ(trace[0].time(), 0U);
        EXPECT_EQ(trace[1].time(), 1'000U);
        EXPECT_EQ(trace[2].time(), 2'000'005'000U);
        EXPECT_EQ(capture.short_packets + capture.long_packets + capture.steps_back +
                      capture.cut_packets + capture.beyond,
                  0U);
      }
    }
  }
}

TEST_F(CaptureReader, KeepsNanoseconds) {
  for (const bool pcapng : {false, true}) {
    const PcapFile capture = read(
        capture_of({{kDay + 1, frame(0), 60}, {kDay + 8, frame(0), 60}}, {pcapng, true, false, 1}));
    ASSERT_NE(capture.trace, nullptr) << capture.error;
    EXPECT_EQ((*capture.trace)[1].time(), 7U);
  }
}

TEST_F(CaptureReader, CountsWhatAGeneratorSendsInAnotherWay) {
  const PcapFile capture = read(capture_of({{kDay, frame(0), 20},
                                            {kDay + 5'000, frame(0), 57},
                                            {kDay + 3'000, frame(0), 58},
                                            {kDay + 9'000, frame(0), 3'500},
                                            {kDay + 9'000, frame(0), 65'549},
                                            {kDay + 9'000, Bytes(15, 0), 1'500},
                                            {kDay + 9'000, test::ethernet(0x0800), 1'500}}));
  ASSERT_NE(capture.trace, nullptr) << capture.error;
  EXPECT_EQ(capture.short_packets, 2U);
  EXPECT_EQ(capture.long_packets, 1U);
  EXPECT_EQ(capture.steps_back, 1U);
  EXPECT_EQ(capture.cut_packets, 1U);
  EXPECT_EQ((*capture.trace)[0].size(), 42U);
  EXPECT_EQ((*capture.trace)[4].size(), 3'500U);
  std::vector<Nanoseconds> times;
  for (std::size_t i = 0; i < 4; ++i) times.push_back((*capture.trace)[i].time());
  EXPECT_THAT(times, ElementsAre(0, 5'000, 5'000, 11'000)) << "a step back is no gap";
  EXPECT_THAT(
      describe("/a", capture),
      ElementsAre("capture /a: 7 packets in 11 us, Ethernet",
                  "capture /a: 1 packet longer than 3500 bytes, sent with 3500: jumbo frames, or "
                  "segments that the card would have cut up (ethtool -K DEVICE gso off tso off gro "
                  "off before the capture)",
                  "capture /a: 2 packets shorter than 58 bytes, sent with 58",
                  "capture /a: 1 packet earlier than the one before, sent without a gap "
                  "(reordercap IN OUT sorts a capture)",
                  "capture /a: 1 packet captured too short to show the TOS, sent with TOS and "
                  "priority 0 (tcpdump -s 64)"));
}

TEST_F(CaptureReader, SaysNoMoreThanWhatItIsWhenAllIsWell) {
  const PcapFile capture = read(capture_of({{kDay, frame(0), 60}}));
  ASSERT_NE(capture.trace, nullptr) << capture.error;
  EXPECT_THAT(describe("/a", capture), ElementsAre("capture /a: 1 packet in 0 us, Ethernet"));
}

TEST_F(CaptureReader, SeesWhereAClockWasSet) {
  const PcapFile capture =
      read(capture_of({{0, frame(0), 60}, {1'000, frame(0), 60}, {kDay, frame(0), 60}}));
  ASSERT_NE(capture.trace, nullptr) << capture.error;
  EXPECT_EQ(capture.beyond, 3U);
  EXPECT_EQ(capture.trace->duration(), Trace::kLongest);
}

TEST_F(CaptureReader, ReadsTheOtherLinkTypes) {
  for (const auto& [link, words] : {std::pair{101U, "Raw IP"},
                                    {113U, "Linux cooked v1"},
                                    {276U, "Linux cooked v2"},
                                    {0U, "BSD loopback"}}) {
    const PcapFile capture = read(
        capture_of({{kDay, test::ipv4(0x10) + Bytes(56, 0), 60}}, {false, false, false, link}));
    ASSERT_NE(capture.trace, nullptr) << capture.error;
    EXPECT_EQ(capture.link, words);
  }
}

TEST_F(CaptureReader, NamesALinkTypeThatItDoesNotKnow) {
  EXPECT_EQ(
      error_of(capture_of(three_packets(), {false, false, false, 105})),
      "has packets of the link type IEEE802_11 (802.11), which is not supported; capture with "
      "Ethernet, Linux cooked (SLL, SLL2), raw IP or loopback headers");
}

TEST_F(CaptureReader, SaysThatThereIsNoSuchFile) {
  const std::string missing = path("b.pcap");
  EXPECT_EQ(
      read_pcap(missing).error,
      missing + ": does not exist; a relative path counts from the folder of the configuration");
  const std::string inside = write("c", {1}) + "/b.pcap";
  EXPECT_EQ(
      read_pcap(inside).error,
      inside + ": does not exist; a relative path counts from the folder of the configuration");
}

TEST_F(CaptureReader, SaysThatAFileMayNotBeRead) {
  const std::string closed = write("a.pcap", capture_of(three_packets()));
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  if (access(closed.c_str(), R_OK) == 0) GTEST_SKIP() << "root reads everything";
  EXPECT_EQ(read_pcap(closed).error, closed + ": cannot be read: Permission denied");
}

TEST_F(CaptureReader, RefusesWhatIsNoFileWithoutWaitingForIt) {
  EXPECT_EQ(read_pcap(folder_).error,
            folder_.string() + ": is a directory; name a capture file in it");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_pcap(path("pipe")).error,
            path("pipe") + ": is not a regular file; save the capture as one");
}

TEST_F(CaptureReader, RefusesWhatIsNoCapture) {
  EXPECT_EQ(error_of({}), "is empty, of 0 bytes; capture again");
  EXPECT_EQ(error_of(Bytes(100, 'a')),
            "is not a capture (unknown file format); pcap and pcapng are read, others can be "
            "converted: editcap -F pcapng IN OUT");
  EXPECT_EQ(error_of({0x1f, 0x8b, 8, 0, 0}), "is compressed; unpack it: gunzip");
  EXPECT_EQ(error_of({0x28, 0xb5, 0x2f, 0xfd}), "is compressed; unpack it: unzstd");
  EXPECT_EQ(error_of({0xfd, '7', 'z', 'X', 'Z', 0}), "is compressed; unpack it: unxz");
}

TEST_F(CaptureReader, RefusesACaptureWithoutAPacket) {
  for (const bool pcapng : {false, true}) {
    EXPECT_EQ(error_of(capture_of({}, {pcapng, false, false, 1})),
              "has no packets; capture again, or remove the key");
  }
}

TEST_F(CaptureReader, SaysBehindWhichPacketAFileEnds) {
  for (const bool pcapng : {false, true}) {
    SCOPED_TRACE(pcapng);
    const CaptureFormat format{pcapng, false, false, 1};
    const std::size_t header = capture_of({}, format).size();
    const Bytes whole = capture_of(three_packets(), format);
    const std::size_t packet = (whole.size() - header) / 3;
    for (std::size_t size = 1; size < whole.size(); ++size) {
      const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      const std::size_t packets = size < header ? 0 : (size - header) / packet;
      if (size >= header && (size - header) % packet == 0) continue;  // ends between two
      const std::string error = error_of(part);
      if (size < header) {
        EXPECT_TRUE(error == "ends in the middle of its file header; capture again" ||
                    error.starts_with("is not a capture ("))
            << size << ": " << error;
      } else if (packets == 0) {
        EXPECT_EQ(error, "ends in the middle of a packet, the first one; capture again") << size;
      } else {
        const std::string n = std::to_string(packets);
        EXPECT_EQ(error, "ends in the middle of a packet, behind packet " + n +
                             "; to keep what is whole: editcap -r IN OUT 1-" + n)
            << size;
      }
    }
  }
}

TEST_F(CaptureReader, SaysBehindWhichPacketAFileIsDamaged) {
  Bytes bytes = capture_of(three_packets());
  bytes[24 + 16 + 64 + 8 + 3] = 0x7f;  // the captured length of the second packet
  const std::string error = error_of(bytes);
  EXPECT_TRUE(error.starts_with("is damaged (invalid packet capture length ")) << error;
  EXPECT_TRUE(error.ends_with(", behind packet 1; to keep what is whole: editcap -r IN OUT 1-1"))
      << error;
}

TEST_F(CaptureReader, GivesUpWhereThereAreTooManyPackets) {
  EXPECT_NE(read(capture_of(three_packets()), 3).trace, nullptr);
  // What comes behind the bound is not even looked at.
  EXPECT_EQ(
      error_of(capture_of(three_packets()) + Bytes(5, 0), 2),
      "has more than 2 packets; take a part: editcap -r IN OUT 1-2, or split it: editcap -c 2 "
      "IN OUT");
}

TEST_F(CaptureReader, TellsHowFarItIs) {
  test::CaptureWriter writer{{}};
  for (int i = 0; i < 140'000; ++i) writer.add({kDay, {}, 60});
  std::vector<std::uint64_t> told;
  const PcapFile capture = read_pcap(write("a.pcap", writer.file()), Trace::kMostPackets,
                                     [&](std::uint64_t done, std::uint64_t all) {
                                       EXPECT_EQ(all, writer.file().size());
                                       told.push_back(done);
                                     });
  ASSERT_NE(capture.trace, nullptr) << capture.error;
  ASSERT_EQ(told.size(), 2U);
  EXPECT_LT(told[0], told[1]);
  EXPECT_LE(told[1], writer.file().size());
}

// Whatever stands in a file, the answer is a trace or a sentence.
TEST_F(CaptureReader, SurvivesFilesWithAnyBytesChanged) {
  for (const std::uint64_t seed : test::seeds(400)) {
    SCOPED_TRACE(test::repeat_with(seed));
    Prng prng{seed};
    const std::uint32_t links[] = {1, 101, 113, 276, 0, 228};
    const CaptureFormat format{prng.below(2) == 1, prng.below(2) == 1, prng.below(2) == 1,
                               links[prng.below(6)]};
    std::vector<WrittenPacket> packets;
    for (std::uint32_t i = prng.below(12); i > 0; --i) {
      Bytes bytes(prng.below(80));
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(prng.below(256));
      packets.push_back({prng.next() >> prng.below(64), bytes, prng.below(70'000)});
    }
    Bytes file = capture_of(packets, format);
    for (std::uint32_t i = prng.below(8); i > 0 && !file.empty(); --i) {
      const std::uint32_t at = prng.below(static_cast<std::uint32_t>(file.size()));
      switch (prng.below(4)) {
        case 0:
          file.resize(at);
          break;
        case 1:
          file.insert(file.begin() + at, prng.between(1, 9), 0xff);
          break;
        default:
          file[at] = static_cast<std::uint8_t>(prng.below(256));
      }
    }
    const PcapFile capture = read(file);
    ASSERT_EQ(capture.trace == nullptr, !capture.error.empty()) << capture.error;
    EXPECT_EQ(capture.error.find('\n'), std::string::npos) << capture.error;
    if (capture.trace == nullptr) continue;
    EXPECT_FALSE(describe("/a", capture).empty());
    Nanoseconds before = 0;
    for (std::size_t i = 0; i < capture.trace->size(); ++i) {
      const TracePacket& packet = (*capture.trace)[i];
      ASSERT_GE(packet.size(), Trace::kLeastSize);
      ASSERT_LE(packet.size(), Trace::kMostSize);
      ASSERT_GE(packet.time(), before);
      before = packet.time();
    }
    ASSERT_LE(before, Trace::kLongest);
  }
}

}  // namespace
}  // namespace qdiscsim
