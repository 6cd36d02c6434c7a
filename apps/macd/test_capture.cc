// SPDX-License-Identifier: GPL-3.0-or-later
// Captures: what a tapped station shows, octets of a record, and a writer that never holds up the MAC.
#include "macd/pcap_writer.h"

#include "common/scratch.h"
#include "mac/air/ofdm256/air_codes.h"
#include "mac/air/ofdm256/burst_tap.h"
#include "mac/pdu/pdu.h"
#include "phy/base/test_counting_new.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

namespace wimax::macd {
namespace test_capture {

using mac::Octets;
using mac::TappedBurst;
using mac::TappedOctets;

constexpr EthernetAddress kOwn{2, 0, 0, 0, 0, 9};

std::string hex(Octets octets) {
    std::string text;
    for (const uint8_t octet : octets) text += fmt::format("{:02x}", octet);
    return text;
}

TappedBurst uplink_burst() {
    TappedBurst burst;
    burst.frame = mac::phy::FrameNumber(0xABCDEF);
    burst.start = 5'760'000 + 2'880'000 + 1;
    burst.index = 3;
    burst.profile = mac::profile_of_fec_code(6);
    burst.iuc = 11;
    burst.subchannel = 16;
    burst.cid = 0x21;
    burst.measured = true;
    burst.rssi_dbm = -71.25F;
    burst.cinr_db = 23.46F;
    return burst;
}

struct Seen final : mac::PduTap {
    struct Entry {
        TappedBurst burst;
        size_t offset;
        std::string octets;
        TappedOctets what;
    };
    void on_pdu(const TappedBurst& burst, size_t offset, Octets octets, TappedOctets what) override {
        entries.push_back({burst, offset, hex(octets), what});
    }
    std::vector<Entry> entries;
};

/// A request, a PDU with a wrong CRC, an invalid header.
std::vector<uint8_t> three_things() {
    std::vector<uint8_t> burst;
    mac::PduWriter writer(burst, 1000);
    writer.request({mac::RequestType::aggregate, 100, 0x21});
    writer.begin(0x300);
    writer.payload(std::vector<uint8_t>{1, 2, 3});
    writer.finish();
    burst.back() ^= 1;
    burst.insert(burst.end(), {0x00, 0x00, 0x0A, 0x00, 0x21, 0x00, 0x55});
    return burst;
}

TEST(Tap, ShowsEveryPduAndWhatCannotBeRead) {
    Seen seen;
    sap::RxBurst burst;
    burst.start_slot = sap::Slot(100);
    burst.index = 2;
    burst.cid = 0x21;
    burst.measured.cinr_db = 12;
    burst.fec_ok = true;
    burst.payload = three_things();
    tap_received(seen, {mac::phy::FrameNumber(7), 1000, false}, burst);
    EXPECT_TRUE(seen.entries.empty()) << "nothing was detected";
    burst.detected = true;
    tap_received(seen, {mac::phy::FrameNumber(7), 1000, false}, burst);
    ASSERT_EQ(seen.entries.size(), 3U);
    EXPECT_EQ(seen.entries[0].octets, "8800640021" + seen.entries[0].octets.substr(10));
    EXPECT_EQ(seen.entries[0].what, TappedOctets::pdu);
    EXPECT_EQ(seen.entries[1].offset, 6U);
    EXPECT_EQ(seen.entries[1].what, TappedOctets::bad_crc);
    EXPECT_EQ(seen.entries[2].octets, "00000a00210055");
    EXPECT_EQ(seen.entries[2].what, TappedOctets::unreadable);
    for (const auto& entry : seen.entries) {
        EXPECT_EQ(entry.burst.start, 1400);
        EXPECT_EQ(entry.burst.frame, 7U);
        EXPECT_FALSE(entry.burst.sent);
        EXPECT_EQ(entry.burst.cinr_db, 12);
    }
}

TEST(Tap, CountsBurstsSentFromOneInTheDownlink) {
    std::vector<sap::TxBurst> bursts(2);
    for (auto& burst : bursts) {
        mac::PduWriter writer(burst.payload, 100);
        writer.request({mac::RequestType::incremental, 1, 0x22});
    }
    bursts[1].format.rate_id = 5;
    Seen down, up;
    tap_sent(down, {mac::phy::FrameNumber(1), 0, true}, 0, bursts);
    tap_sent(up, {mac::phy::FrameNumber(1), 0, false}, 0x22, bursts);
    ASSERT_EQ(down.entries.size(), 2U);
    EXPECT_EQ(down.entries[0].burst.index, 1);
    EXPECT_EQ(down.entries[1].burst.profile, mac::profile_of_fec_code(5));
    EXPECT_EQ(up.entries[1].burst.index, 1);
    EXPECT_EQ(up.entries[1].burst.cid, 0x22);
    EXPECT_TRUE(up.entries[1].burst.sent);
    EXPECT_FALSE(up.entries[1].burst.measured);
}

TEST(Tap, KnowsFramesAroundTheClock) {
    mac::FrameClock clock;
    clock.now = 1'000'000;
    clock.frame = mac::phy::FrameNumber(0xFFFFFF);
    EXPECT_EQ(mac::start_of(mac::phy::FrameNumber(0), clock, 50'000), 1'050'000);
    EXPECT_EQ(mac::start_of(mac::phy::FrameNumber(0xFFFFFE), clock, 50'000), 950'000);
}

TEST(Record, NamesTheRangeOfBasicConnections) {
    RecordEncoder encoder(kOwn);
    encoder.set_basic_cids(1000);
    const std::vector<uint8_t> pdu{0x88, 0, 100, 0, 0x21, 0xAA};
    EXPECT_NE(hex(encoder.encode(uplink_burst(), 12, pdu, TappedOctets::pdu)).find("03e8"), std::string::npos);
}

TEST(Record, HasEveryField) {
    RecordEncoder encoder(kOwn);
    encoder.set_sample_rate(5'760'000);
    const std::vector<uint8_t> pdu{0x88, 0, 100, 0, 0x21, 0xAA};
    EXPECT_EQ(hex(encoder.encode(uplink_burst(), 12, pdu, TappedOctets::pdu)),
              "01000000ad65cd1d"  // 1 s and a sample more than half of one: 500 000 173 ns
              "3f0000003f000000"  // lengths
              "02000000000900000000000008f0"  // received here
              "00000007"                      // number, TLVs
              "0101010203abcdef030103040100050101"
              "09820006"
              "8800640021aa"
              "f010"
              "0400060b1000"  // FEC good, data, rate, UIUC, subchannel, air interface
              "0021"          // CID
              "fd3700eb"      // -71.3 dBm, 23.5 dB
              "000c0140");    // offset, basic CIDs
    auto burst = uplink_burst();
    burst.sent = burst.downlink = burst.stc = true;
    burst.phy = sap::AirInterface{1};
    burst.fec_ok = burst.measured = false;
    const std::string second = hex(encoder.encode(burst, 0, pdu, TappedOctets::bad_crc));
    EXPECT_EQ(second.substr(32, 32), "ffffffffffff02000000000908f00001");
    EXPECT_EQ(second.substr(second.size() - 36), "f0104b00060b100100218000800000000140");
}

TEST(Record, CutsTheUnreadableRestOfALongBurst) {
    RecordEncoder encoder(kOwn);
    const std::vector<uint8_t> rest(10'000, 0x55);
    const auto record = encoder.encode(uplink_burst(), 0, rest, TappedOctets::unreadable);
    EXPECT_EQ(record.size(), kRecordOctets);
    EXPECT_EQ(hex(record.first(16)),
              "0000000000000000"
              "38080000"
              "49270000");                        // 2104 of 10 057 octets
    EXPECT_EQ(record[kRecordOctets - 16], 0x34);  // FEC good, unreadable, cut
}

class Writer : public ::testing::Test {
protected:
    std::unique_ptr<PcapWriter> open(const std::string& path, size_t ring = PcapWriter::kRingOctets) {
        auto opened = PcapWriter::open(path, kOwn, PcapWriter::kLimits, ring);
        EXPECT_TRUE(opened) << opened.error().str();
        return opened ? std::move(*opened) : nullptr;
    }
    static std::string read(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    static void write(PcapWriter& writer, int count) {
        for (int i = 0; i < count; ++i) writer.on_pdu(uplink_burst(), 0, kPdu, TappedOctets::pdu);
    }
    static constexpr std::array<uint8_t, 6> kPdu{0x88, 0, 100, 0, 0x21, 0xAA};
    static constexpr size_t kRecord = 16 + 63;
};

TEST_F(Writer, FileHasHeaderAndEveryRecord) {
    const std::string path = Scratch::path("a.pcap");
    {
        auto writer = open(path);
        write(*writer, 1000);
        EXPECT_EQ(writer->figures().records, 1000U);
    }
    const std::string file = read(path);
    EXPECT_EQ(file.size(), kPcapHeaderOctets + 1000 * kRecord);
    EXPECT_EQ(file.substr(0, 4), "\x4D\x3C\xB2\xA1");
    for (size_t i = 0; i < 1000; ++i) {  // sequence numbers
        const size_t at = kPcapHeaderOctets + i * kRecord + 16 + 14;
        ASSERT_EQ(static_cast<uint8_t>(file[at]) << 8 | static_cast<uint8_t>(file[at + 1]), static_cast<int>(i));
    }
}

/// With room in the ring and without.
TEST_F(Writer, TakesNoMemoryForARecord) {
    auto writer = open(Scratch::path("no_memory.pcap"), 1 << 14);
    write(*writer, 1);
    sap::RxBurst burst;
    burst.detected = true;
    burst.payload = three_things();
    EXPECT_EQ(gr::wimax::phy::test::allocations_of([&] {
                  for (int i = 0; i < 10'000; ++i) tap_received(*writer, {}, burst);
              }),
              0U);
    EXPECT_EQ(writer->figures().records + writer->figures().dropped, 30'001U);
}

/// Each file is a whole capture, even if the ring wraps; none exceeds its limit, and no record is lost between files.
TEST_F(Writer, EachRotatedFileIsACapture) {
    const std::string path = Scratch::path("rotated.pcap");
    constexpr uint64_t kMost = kPcapHeaderOctets + 40 * kRecord + 7;
    {
        auto opened = PcapWriter::open(path, kOwn, {kMost, 100}, 1 << 12);
        ASSERT_TRUE(opened);
        for (int i = 0; i < 1000; ++i) {
            write(**opened, 1);
            while ((*opened)->figures().bytes + kRecord < (*opened)->figures().records * kRecord)
                std::this_thread::yield();
        }
        EXPECT_EQ((*opened)->figures().dropped, 0U);
    }
    int next = 999;
    for (int file = 0; next >= 0; ++file) {
        const std::string name = file == 0 ? path : path + "." + std::to_string(file), octets = read(name);
        ASSERT_GT(octets.size(), kPcapHeaderOctets) << name;
        EXPECT_LE(octets.size(), kMost);
        EXPECT_EQ(octets.substr(0, 4), "\x4D\x3C\xB2\xA1") << name;
        ASSERT_EQ((octets.size() - kPcapHeaderOctets) % kRecord, 0U) << name;
        for (size_t at = octets.size(); at > kPcapHeaderOctets; at -= kRecord) {
            const size_t number = at - kRecord + 16 + 14;
            ASSERT_EQ(static_cast<uint8_t>(octets[number]) << 8 | static_cast<uint8_t>(octets[number + 1]), next--);
        }
    }
    EXPECT_EQ(next, -1);
}

/// A disk that is full for a while costs records, which are counted, and leaves a capture that can be read.
TEST_F(Writer, AFullDiskIsOvercome) {
    const std::string path = Scratch::path("full.pcap");
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto old = std::signal(SIGXFSZ, SIG_IGN);
    {
        auto writer = open(path);
        const auto settle = [&](uint64_t records) {
            while ((writer->figures().bytes + writer->figures().unread_bytes) / kRecord < records)
                std::this_thread::yield();
        };
        write(*writer, 10);
        settle(10);
        const rlimit small{kPcapHeaderOctets + 10 * kRecord + 5, before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &small);
        write(*writer, 10);
        settle(20);
        ::setrlimit(RLIMIT_FSIZE, &before);
        write(*writer, 10);
        settle(30);
        EXPECT_GE(writer->figures().write_errors, 1U);
        EXPECT_EQ(writer->figures().unread_bytes, 10 * kRecord);
    }
    std::signal(SIGXFSZ, old);
    EXPECT_EQ(read(path).size(), kPcapHeaderOctets + 20 * kRecord);
}

TEST_F(Writer, RefusesAFileThatCannotBeMade) {
    const auto opened = PcapWriter::open("/nowhere/a.pcap", kOwn);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().key, "pcap.file");
}

TEST_F(Writer, ReaderThatDoesNotReadHoldsNothingUp) {
    const std::string path = Scratch::path("fifo");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    constexpr size_t kRing = 1 << 14;
    {
        auto writer = open(path, kRing);
        char header[kPcapHeaderOctets];
        while (::read(reader, header, sizeof header) <= 0) std::this_thread::yield();
        EXPECT_EQ(std::string(header, 4), "\x4D\x3C\xB2\xA1");
        write(*writer, 10'000);
        const auto figures = writer->figures();
        EXPECT_EQ(figures.records + figures.dropped, 10'000U);
        EXPECT_GT(figures.dropped, 8000U) << "the FIFO holds 64 kB, the ring 16";
        std::string got;
        char buffer[65536];
        while (got.size() < figures.records * kRecord)
            if (const ssize_t n = ::read(reader, buffer, sizeof buffer); n > 0)
                got.append(buffer, static_cast<size_t>(n));
            else std::this_thread::yield();
        EXPECT_EQ(got.size(), figures.records * kRecord);
        for (size_t at = 0; at < got.size(); at += kRecord)  // whole records, even with drops in between
            ASSERT_EQ(hex(Octets(reinterpret_cast<const uint8_t*>(got.data()) + at + 16 + 12, 2)), "08f0");
    }
    ::close(reader);
}

TEST_F(Writer, FifoWithoutReaderIsForgottenAndTheNextReaderBeginsAnew) {
    const std::string path = Scratch::path("unread");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    auto writer = open(path, 1 << 14);
    write(*writer, 50);
    while (writer->figures().unread_bytes < 50 * kRecord) std::this_thread::yield();
    for (int reading = 0; reading < 2; ++reading) {
        const int reader = ::open(path.c_str(), O_RDONLY);  // blocks until the writer has found it
        std::string got(kPcapHeaderOctets, 0);
        ASSERT_EQ(::read(reader, got.data(), got.size()), static_cast<ssize_t>(got.size()));
        EXPECT_EQ(got.substr(0, 4), "\x4D\x3C\xB2\xA1") << reading;
        write(*writer, 1);
        std::string record(kRecord, 0);
        ASSERT_EQ(::read(reader, record.data(), record.size()), static_cast<ssize_t>(kRecord));
        EXPECT_EQ(hex(Octets(reinterpret_cast<const uint8_t*>(record.data()) + 16 + 12, 2)), "08f0");
        ::close(reader);
        const auto before = writer->figures().unread_bytes;
        while (writer->figures().unread_bytes == before) {
            write(*writer, 1);
            std::this_thread::yield();
        }
    }
}

}  // namespace test_capture
}  // namespace wimax::macd
