// SPDX-License-Identifier: GPL-3.0-or-later
// Captures of the air into a file or, for watching live, a FIFO. The MAC's thread puts records into a ring and never
// waits; the writer's thread writes them. If the ring is full, records are dropped and counted. Without a reader of the
// FIFO, records are discarded; each new reader gets a file header and the records that follow.
#pragma once

#include "macd/capture_record.h"

#include "common/faults.h"
#include "common/rotating_file.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace wimax::macd {

struct PcapFigures {
    std::string file;
    uint64_t records = 0;       ///< taken
    uint64_t dropped = 0;       ///< the ring was full
    uint64_t bytes = 0;         ///< written
    uint64_t unread_bytes = 0;  ///< discarded: no reader of the FIFO, or the disk was full
    uint64_t write_errors = 0;  ///< failed writes to the disk; the file still ends with a whole record
};

template <class V> void visit(V& v, const PcapFigures& f) {
    v("file", f.file);
    v("records", f.records);
    v("dropped", f.dropped);
    v("bytes", f.bytes);
    v("unread_bytes", f.unread_bytes);
    v("write_errors", f.write_errors);
}

class PcapWriter final : public mac::PduTap {
public:
    static constexpr size_t kRingOctets = 1 << 22;

    static constexpr RotationLimits kLimits{100'000'000, 2};

    /// Truncates a file, and each one after a rotation; a FIFO has to exist. `ring_octets`: a power of two.
    static tl::expected<std::unique_ptr<PcapWriter>, Fault> open(const std::string& path, const EthernetAddress& own,
                                                                 const RotationLimits& limits = kLimits,
                                                                 size_t ring_octets = kRingOctets);
    /// Writes the rest of the ring to a file, and to a FIFO as far as its reader accepts it without waiting.
    ~PcapWriter() override;

    void set_sample_rate(int64_t hz) { encoder_.set_sample_rate(hz); }
    void set_basic_cids(uint16_t basic_cids) { encoder_.set_basic_cids(basic_cids); }
    void on_pdu(const mac::TappedBurst& burst, size_t offset, mac::Octets octets, mac::TappedOctets what) override;
    PcapFigures figures() const;

private:
    PcapWriter(std::string path, OutputFile fifo, RotatingFile file, const EthernetAddress& own, size_t ring_octets);
    void run();
    bool find_reader();
    void drain_to_file();
    void drain_to_fifo();
    uint8_t ring_at(uint64_t octet) const { return ring_[octet & (ring_.size() - 1)]; }
    size_t record_octets(uint64_t begin) const;
    size_t batch_octets(uint64_t begin, uint64_t end) const;
    bool write_all(mac::Octets octets);
    void lose_reader();
    void discard();

    const std::string path_;
    OutputFile pipe_;
    const bool fifo_;
    RotatingFile file_;
    int fd_ = -1;  ///< of the FIFO
    std::vector<uint8_t> batch_;
    RecordEncoder encoder_;
    std::vector<uint8_t> ring_;
    // Octets put in and taken out since the start. Only one thread writes each.
    std::atomic<uint64_t> in_{0}, out_{0};
    std::atomic<uint32_t> news_{0};  ///< the writer waits on it
    std::atomic<bool> stop_{false};
    std::atomic<uint64_t> records_{0}, dropped_{0}, bytes_{0}, unread_bytes_{0}, write_errors_{0};
    std::thread thread_;
};

}  // namespace wimax::macd
