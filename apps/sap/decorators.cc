// SPDX-License-Identifier: GPL-3.0-or-later
#include "sap/decorators.h"
#include "sap/codec.h"

#include "common/log.h"
#include "common/safe_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <random>

namespace wimax::sap {
namespace {

using std::chrono::milliseconds;

constexpr char kMagic[9] = {'W', 'I', 'M', 'A', 'X', 'S', 'A', 'P', 1};
constexpr char kMagicOfPart[9] = {'W', 'I', 'M', 'A', 'X', 'S', 'A', 'P', 2};
constexpr size_t kWriteOctets = 4096;  // of records that are written at once

constexpr uint64_t kMostRecordingBytes = uint64_t{4} << 30;  // per file: all of it is read before the first message

/// Passes everything through.
class Wrapper : public Port {
public:
    explicit Wrapper(std::unique_ptr<Port> inner) : inner_(std::move(inner)) {}
    using Port::send;
    bool send(const MessageRef& message) override { return inner_->send(message); }
    std::optional<Message> poll(milliseconds timeout, std::span<const int> also) override {
        return inner_->poll(timeout, also);
    }
    bool peer_alive() override { return inner_->peer_alive(); }
    uint64_t mac_session() const override { return inner_->mac_session(); }
    uint64_t phy_session() const override { return inner_->phy_session(); }
    const PortCounters& counters() const override { return inner_->counters(); }

protected:
    std::unique_ptr<Port> inner_;
};

class LogPort final : public Wrapper {
public:
    using Wrapper::Wrapper;
    bool send(const MessageRef& message) override {
        const bool sent = inner_->send(message);
        if (log_.enabled(log::Level::debug))
            log_.debug(frame(message), "> {}{}", summary(message), sent ? "" : " (not sent)");
        return sent;
    }
    std::optional<Message> poll(milliseconds timeout, std::span<const int> also) override {
        auto message = inner_->poll(timeout, also);
        if (message && log_.enabled(log::Level::debug))
            log_.debug(frame(as_ref(*message)), "< {}", summary(as_ref(*message)));
        return message;
    }

private:
    static int64_t frame(const MessageRef& message) {
        return std::visit(
            [](const auto* m) -> int64_t {
                if constexpr (requires { m->frame_number; }) return m->frame_number.value();
                return log::kNoFrame;
            },
            message);
    }
    log::Layer& log_ = log::layer("sap");
};

struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

void put_u32(std::string& out, uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(value >> shift);
}

/// File header of the given part of a recording; all but the first contain their number.
std::string head_of_part(uint64_t part) {
    std::string head(part == 0 ? kMagic : kMagicOfPart, sizeof kMagic);
    if (part > 0) put_u32(head, static_cast<uint32_t>(part));
    return head;
}

class RecordPort final : public Wrapper {
public:
    RecordPort(std::unique_ptr<Port> inner, RotatingFile file) : Wrapper(std::move(inner)), file_(std::move(file)) {
        file_.set_header(head_of_part(1));
        waiting_.reserve(16 * kWriteOctets);
    }
    RecordPort(const RecordPort&) = delete;
    RecordPort& operator=(const RecordPort&) = delete;
    ~RecordPort() override { flush(); }
    bool send(const MessageRef& message) override {
        record('>', message);
        return inner_->send(message);
    }
    std::optional<Message> poll(milliseconds timeout, std::span<const int> also) override {
        auto message = inner_->poll(timeout, also);
        if (message) record('<', as_ref(*message));
        return message;
    }

private:
    void record(char direction, const MessageRef& message) {
        codec_.encode(message, sequence_++, inner_->mac_session(), inner_->phy_session());
        waiting_ += direction;
        put_u32(waiting_, static_cast<uint32_t>(1 + codec_.payloads().size()));
        add(codec_.header());
        for (const Part part : codec_.payloads()) add(part);
        if (waiting_.size() >= kWriteOctets) flush();
    }
    void add(Part part) {
        put_u32(waiting_, static_cast<uint32_t>(part.size()));
        waiting_.append(reinterpret_cast<const char*>(part.data()), part.size());
    }
    /// Writes whole records. Records that the disk refuses are missing, and the playback differs.
    void flush() {
        if (!file_.write(waiting_)) log::layer("sap").warn(log::kNoFrame, "recording: {}", std::strerror(errno));
        waiting_.clear();
        file_.set_header(head_of_part(file_.rotations() + 1));
    }

    RotatingFile file_;
    Codec codec_;
    uint32_t sequence_ = 0;
    std::string waiting_;
};

class ReplayPort final : public Replayer {
public:
    struct Record {
        bool sent = false;
        std::vector<std::string> parts;
    };
    ReplayPort(std::deque<Record> records, std::function<void()> at_end)
        : records_(std::move(records)), at_end_(std::move(at_end)) {}

    using Port::send;
    bool send(const MessageRef& message) override {
        ++counters_.sent;
        if (records_.empty() || !records_.front().sent) {
            ++differences_;
            return true;
        }
        auto then = decode(records_.front());
        records_.pop_front();
        if (!then || !then->message || !same(message, as_ref(*then->message))) ++differences_;
        return true;
    }
    std::optional<Message> poll(milliseconds, std::span<const int>) override {
        while (!records_.empty() && !records_.front().sent) {
            auto envelope = decode(records_.front());
            records_.pop_front();
            if (!envelope || !envelope->message) {
                ++counters_.malformed;
                continue;
            }
            ++counters_.received;
            mac_session_ = envelope->mac_session;
            phy_session_ = envelope->phy_session;
            return std::move(envelope->message);
        }
        if (at_end_) at_end_();
        return std::nullopt;
    }
    bool peer_alive() override { return !records_.empty(); }
    uint64_t mac_session() const override { return mac_session_; }
    uint64_t phy_session() const override { return phy_session_; }
    const PortCounters& counters() const override { return counters_; }
    bool finished() const override {
        for (const auto& record : records_)
            if (!record.sent) return false;
        return true;
    }
    uint64_t differences() const override { return differences_; }

private:
    tl::expected<Envelope, Faults> decode(const Record& record) {
        std::vector<Part> parts;
        for (const auto& part : record.parts)
            parts.emplace_back(reinterpret_cast<const uint8_t*>(part.data()), part.size());
        return codec_.decode(parts);
    }
    /// Equal on the wire, session numbers apart.
    bool same(const MessageRef& a, const MessageRef& b) {
        const auto wire = [this](const MessageRef& m) {
            codec_.encode(m, 0, 0, 0);
            std::string all(reinterpret_cast<const char*>(codec_.header().data()), codec_.header().size());
            for (const Part part : codec_.payloads()) {
                put_u32(all, static_cast<uint32_t>(part.size()));
                all.append(reinterpret_cast<const char*>(part.data()), part.size());
            }
            return all;
        };
        return wire(a) == wire(b);
    }

    std::deque<Record> records_;
    std::function<void()> at_end_;
    Codec codec_;
    PortCounters counters_;
    uint64_t mac_session_ = 0, phy_session_ = 0, differences_ = 0;
};

bool get_u32(std::FILE* file, uint32_t& value) {
    uint8_t octets[4];
    if (std::fread(octets, 1, 4, file) != 4) return false;
    value = octets[0] | octets[1] << 8 | octets[2] << 16 | static_cast<uint32_t>(octets[3]) << 24;
    return true;
}

/// False: the file ends, or what follows is no record.
bool read_record(std::FILE* file, ReplayPort::Record& record) {
    const int direction = std::fgetc(file);
    uint32_t parts = 0;
    if ((direction != '>' && direction != '<') || !get_u32(file, parts) || parts == 0 || parts > kMaxBursts + 1)
        return false;
    record.sent = direction == '>';
    record.parts.clear();
    for (uint32_t i = 0; i < parts; ++i) {
        uint32_t length = 0;
        if (!get_u32(file, length) || length > kMaxPartBytes) return false;
        record.parts.emplace_back(length, '\0');
        if (std::fread(record.parts.back().data(), 1, length, file) != length) return false;
    }
    return true;
}

class FaultPort final : public Wrapper {
public:
    FaultPort(std::unique_ptr<Port> inner, const FaultPlan& plan)
        : Wrapper(std::move(inner)), plan_(plan), random_(plan.seed) {}

    bool send(const MessageRef& message) override {
        if (chance(plan_.drop)) return true;
        if (!held_out_ && chance(plan_.swap)) {
            held_out_ = copy(message);
            return true;
        }
        bool sent = inner_->send(message);
        if (chance(plan_.duplicate)) sent = inner_->send(message) && sent;
        if (held_out_) inner_->send(as_ref(*std::exchange(held_out_, std::nullopt)));
        return sent;
    }
    std::optional<Message> poll(milliseconds timeout, std::span<const int> also) override {
        if (!waiting_.empty()) return next();
        auto message = inner_->poll(timeout, also);
        if (!message || chance(plan_.drop)) return std::nullopt;
        if (!held_in_ && chance(plan_.swap)) {
            held_in_ = std::move(message);
            return std::nullopt;
        }
        if (chance(plan_.duplicate)) waiting_.push_back(*message);
        if (held_in_) waiting_.push_back(*std::exchange(held_in_, std::nullopt));
        return message;
    }

private:
    bool chance(double probability) {
        return probability > 0 && static_cast<double>(random_() >> 11) * 0x1p-53 < probability;
    }
    static Message copy(const MessageRef& message) {
        return std::visit([](const auto* m) { return Message(*m); }, message);
    }
    Message next() {
        Message message = std::move(waiting_.front());
        waiting_.pop_front();
        return message;
    }

    FaultPlan plan_;
    std::mt19937_64 random_;
    std::optional<Message> held_out_, held_in_;
    std::deque<Message> waiting_;
};

}  // namespace

std::unique_ptr<Port> with_log(std::unique_ptr<Port> inner) { return std::make_unique<LogPort>(std::move(inner)); }

tl::expected<std::unique_ptr<Port>, Fault> with_recorder(std::unique_ptr<Port> inner, const std::string& path,
                                                         const RotationLimits& limits) {
    auto file = RotatingFile::open(path, limits, RotatingFile::Start::fresh, head_of_part(0));
    if (!file) return tl::unexpected(file.error());
    return std::make_unique<RecordPort>(std::move(inner), std::move(*file));
}

namespace {

/// Number of this file in its recording. Leaves the stream before the first record.
tl::expected<uint32_t, Fault> read_head(std::FILE* file, const std::string& path) {
    char magic[sizeof kMagic];
    uint32_t part = 0;
    const bool read = std::fread(magic, 1, sizeof magic, file) == sizeof magic;
    if (read && std::memcmp(magic, kMagic, sizeof magic) == 0) return part;
    if (read && std::memcmp(magic, kMagicOfPart, sizeof magic) == 0 && get_u32(file, part) && part > 0) return part;
    return failure(path, "not a recording of this version");
}

/// The recording's files, the one with its beginning first.
tl::expected<std::vector<File>, Fault> parts_of(const std::string& path) {
    std::vector<File> parts;
    for (uint32_t wanted = 0;; --wanted) {
        const std::string name = parts.empty() ? path : path + "." + std::to_string(parts.size());
        auto opened = open_regular(name, kMostRecordingBytes);
        if (!opened && parts.empty()) return tl::unexpected(opened.error());
        File file(opened ? ::fdopen(opened->get(), "rb") : nullptr);
        if (file) opened->release();  // the stream closes it
        const auto part = file ? read_head(file.get(), name) : tl::expected<uint32_t, Fault>(UINT32_MAX);
        if (!part) return tl::unexpected(part.error());
        if (parts.empty()) wanted = *part;
        if (*part != wanted)
            return failure(path, "the beginning of the recording was rotated away; raise sap.record_max_bytes");
        parts.push_back(std::move(file));
        if (wanted == 0) break;
    }
    std::ranges::reverse(parts);
    return parts;
}

}  // namespace

tl::expected<std::unique_ptr<Replayer>, Fault> open_replayer(const std::string& path, std::function<void()> at_end) {
    const auto parts = parts_of(path);
    if (!parts) return tl::unexpected(parts.error());
    std::deque<ReplayPort::Record> records;
    for (const auto& part : *parts)
        for (ReplayPort::Record record; read_record(part.get(), record);) records.push_back(std::move(record));
    return std::make_unique<ReplayPort>(std::move(records), std::move(at_end));
}

std::unique_ptr<Port> with_faults(std::unique_ptr<Port> inner, const FaultPlan& plan) {
    return std::make_unique<FaultPort>(std::move(inner), plan);
}

}  // namespace wimax::sap
