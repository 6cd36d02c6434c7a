/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macd/pcap_writer.h"

#include <fcntl.h>
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

constexpr int kReaderPollMs = 100;  // of wall time: for a reader to come, or to read on

}  // namespace

tl::expected<std::unique_ptr<PcapWriter>, Fault> PcapWriter::open(const std::string& path, const EthernetAddress& own,
                                                                  size_t ring_octets) {
    struct stat there {};
    const bool fifo = ::stat(path.c_str(), &there) == 0 && S_ISFIFO(there.st_mode);
    int fd = -1;
    if (!fifo) {
        fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (fd < 0) return tl::unexpected(Fault{"pcap.file", path, std::strerror(errno)});
    }
    return std::unique_ptr<PcapWriter>(new PcapWriter(path, fifo, fd, own, ring_octets));
}

PcapWriter::PcapWriter(std::string path, bool fifo, int fd, const EthernetAddress& own, size_t ring_octets)
    : path_(std::move(path)), fifo_(fifo), fd_(fd), encoder_(own), ring_(ring_octets), thread_([this] { run(); }) {}

PcapWriter::~PcapWriter() {
    stop_ = true;
    ++news_;
    news_.notify_one();
    thread_.join();
    if (fd_ >= 0) ::close(fd_);
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

/// The writer's thread. A signal is for the others, and a FIFO whose reader has gone is no reason to die.
void PcapWriter::run() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    if (fd_ >= 0 && !write_all(pcap_header())) lose_reader();
    while (true) {
        const uint32_t seen = news_;
        const bool stop = stop_;
        if (fd_ >= 0 || find_reader())
            drain();
        else
            discard();
        if (stop) return;
        if (fd_ < 0 && fifo_)
            std::this_thread::sleep_for(std::chrono::milliseconds(kReaderPollMs));
        else
            news_.wait(seen);
    }
}

bool PcapWriter::find_reader() {
    if (!fifo_) return false;
    fd_ = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd_ < 0) return false;
    discard();  // begins with a record, which the header has to precede
    if (write_all(pcap_header())) return true;
    lose_reader();
    return false;
}

void PcapWriter::drain() {
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
    if (!fifo_) write_errors_.fetch_add(1, std::memory_order_relaxed);
    ::close(fd_);
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
