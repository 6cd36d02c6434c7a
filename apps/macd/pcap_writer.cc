// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/pcap_writer.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace wimax::macd {
namespace {

constexpr size_t kRecordHeaderOctets = 16, kCapturedLengthAt = 8;  // of pcap
constexpr size_t kMostBatchOctets = 1 << 16;
constexpr int kReaderPollMs = 100;  // of wall time: interval of looking for a reader, or for one that reads again

}  // namespace

tl::expected<std::unique_ptr<PcapWriter>, Fault> PcapWriter::open(const std::string& path, const EthernetAddress& own,
                                                                  const RotationLimits& limits, size_t ring_octets) {
    struct stat there {};
    const bool fifo = ::lstat(path.c_str(), &there) == 0 && S_ISFIFO(there.st_mode);
    RotatingFile file;
    OutputFile pipe;
    if (fifo) {
        auto opened = OutputFile::open(path, OutputFile::Existing::append, OutputFile::kGroupReads, true);
        if (!opened) return failure("pcap.file", opened.error().str());
        pipe = std::move(*opened);
    } else {
        const auto header = pcap_header();
        auto opened = RotatingFile::open(path, limits, RotatingFile::Start::fresh, {header.begin(), header.end()});
        if (!opened) return failure("pcap.file", opened.error().str());
        file = std::move(*opened);
    }
    return std::unique_ptr<PcapWriter>(new PcapWriter(path, std::move(pipe), std::move(file), own, ring_octets));
}

PcapWriter::PcapWriter(std::string path, OutputFile fifo, RotatingFile file, const EthernetAddress& own,
                       size_t ring_octets)
    : path_(std::move(path)),
      pipe_(std::move(fifo)),
      fifo_(pipe_.is_pipe()),
      file_(std::move(file)),
      batch_(fifo_ ? 0 : kMostBatchOctets + kRecordOctets),
      encoder_(own),
      ring_(ring_octets),
      thread_([this] { run(); }) {}

PcapWriter::~PcapWriter() {
    stop_ = true;
    ++news_;
    news_.notify_one();
    thread_.join();
}

void PcapWriter::on_pdu(const mac::TappedBurst& burst, size_t offset, mac::Octets octets, mac::TappedOctets what) {
    const auto record = encoder_.encode(burst, offset, octets, what);
    const uint64_t in = in_.load(std::memory_order_relaxed);
    if (ring_.size() - (in - out_.load(std::memory_order_acquire)) < record.size()) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    const size_t at = in & (ring_.size() - 1), first = std::min(record.size(), ring_.size() - at);
    std::memcpy(ring_.data() + at, record.data(), first);
    std::memcpy(ring_.data(), record.data() + first, record.size() - first);
    in_.store(in + record.size(), std::memory_order_release);
    records_.fetch_add(1, std::memory_order_relaxed);
    ++news_;
    news_.notify_one();
}

PcapFigures PcapWriter::figures() const { return {path_, records_, dropped_, bytes_, unread_bytes_, write_errors_}; }

/// The writer's thread. Blocks signals, SIGPIPE included: a FIFO without a reader must not end the process.
void PcapWriter::run() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    while (true) {
        const uint32_t seen = news_;
        const bool stop = stop_;
        if (!fifo_) drain_to_file();
        else if (fd_ >= 0 || find_reader()) drain_to_fifo();
        else discard();
        if (stop) return;
        if (fd_ < 0 && fifo_) std::this_thread::sleep_for(std::chrono::milliseconds(kReaderPollMs));
        else news_.wait(seen);
    }
}

bool PcapWriter::find_reader() {
    if (!pipe_.open_again() || pipe_.fd() < 0) return false;
    fd_ = pipe_.fd();
    discard();  // begins with a record, which the header has to precede
    if (write_all(pcap_header())) return true;
    lose_reader();
    return false;
}

size_t PcapWriter::record_octets(uint64_t begin) const {
    uint32_t captured = 0;
    for (unsigned i = 0; i < 4; ++i) captured |= uint32_t{ring_at(begin + kCapturedLengthAt + i)} << (8 * i);
    return kRecordHeaderOctets + captured;
}

/// Whole records that the present file takes; at least one.
size_t PcapWriter::batch_octets(uint64_t begin, uint64_t end) const {
    const uint64_t most = std::min<uint64_t>(kMostBatchOctets, file_.room());
    size_t octets = record_octets(begin);
    while (begin + octets < end) {
        const size_t next = record_octets(begin + octets);
        if (octets + next > most) break;
        octets += next;
    }
    return octets;
}

/// Records that the disk refuses are lost, and counted.
void PcapWriter::drain_to_file() {
    uint64_t out = out_.load(std::memory_order_relaxed);
    const uint64_t in = in_.load(std::memory_order_acquire);
    while (out != in) {
        const size_t octets = batch_octets(out, in);
        const size_t at = out & (ring_.size() - 1), first = std::min(octets, ring_.size() - at);
        std::memcpy(batch_.data(), ring_.data() + at, first);
        std::memcpy(batch_.data() + first, ring_.data(), octets - first);
        if (file_.write(mac::Octets(batch_).first(octets))) {
            bytes_.fetch_add(octets, std::memory_order_relaxed);
        } else {
            write_errors_.fetch_add(1, std::memory_order_relaxed);
            unread_bytes_.fetch_add(octets, std::memory_order_relaxed);
        }
        out += octets;
        out_.store(out, std::memory_order_release);
    }
}

void PcapWriter::drain_to_fifo() {
    uint64_t out = out_.load(std::memory_order_relaxed);
    const uint64_t in = in_.load(std::memory_order_acquire);
    while (out != in) {
        const size_t at = out & (ring_.size() - 1);
        const size_t count = std::min<uint64_t>(in - out, ring_.size() - at);
        if (!write_all(mac::Octets(ring_).subspan(at, count))) return lose_reader();
        bytes_.fetch_add(count, std::memory_order_relaxed);
        out += count;
        out_.store(out, std::memory_order_release);
    }
}

bool PcapWriter::write_all(mac::Octets octets) {
    while (!octets.empty()) {
        const ssize_t n = ::write(fd_, octets.data(), octets.size());
        if (n > 0) {
            octets = octets.subspan(static_cast<size_t>(n));
        } else if (n < 0 && errno == EAGAIN) {
            if (stop_) return false;
            pollfd ready{fd_, POLLOUT, 0};
            ::poll(&ready, 1, kReaderPollMs);
        } else if (n == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

void PcapWriter::lose_reader() {
    pipe_.close();
    fd_ = -1;
    discard();
}

/// Whole records, as only those are put in.
void PcapWriter::discard() {
    const uint64_t in = in_.load(std::memory_order_acquire), out = out_.load(std::memory_order_relaxed);
    unread_bytes_.fetch_add(in - out, std::memory_order_relaxed);
    out_.store(in, std::memory_order_release);
}

}  // namespace wimax::macd
