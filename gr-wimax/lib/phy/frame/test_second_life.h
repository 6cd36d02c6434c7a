// SPDX-License-Identifier: GPL-3.0-or-later
// For tests of a second use: reports as transcripts that are compared bit by bit, and signals that may leave a state.
#pragma once

#include "phy/base/test_members.h"
#include "phy/base/test_noise.h"
#include "phy/frame/test_receiver_support.h"

#include <gnuradio/wimax/phy/frame/uplink_receiver.h>
#include <gnuradio/wimax/phy/stc/stc.h>
#include <gnuradio/wimax/phy/subchannel/focused_contention.h>

#include <gtest/gtest.h>

#include <cstring>

namespace gr::wimax::phy::test {

inline constexpr double kSampleRate = 5.76e6;
inline Numerology a_numerology() { return *Numerology::make(5'000'000, CyclicPrefix::g1_8); }

// --- reports --------------------------------------------------------------------------------------------------------

/// A structure that gains a member needs its line below.
static_assert(members<BurstFormat>() == 10 && members<FrontEndLevels>() == 5 && members<BurstMeasurement>() == 5);
static_assert(members<ReceivedBurst>() == 11 && members<FrameSync>() == 10 && members<StcZoneSync>() == 5 &&
              members<FramePrefixEntry>() == 3);

class Transcript {
public:
    struct Line {
        std::string what;
        uint64_t bits;
        double value;
        bool whole;  ///< an integer
    };
    const std::vector<Line>& lines() const { return lines_; }
    template <typename T>
    requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void add(const char* what, T value) {
        uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        lines_.push_back({what, bits, static_cast<double>(value), !std::is_floating_point_v<T>});
    }
    void add(const char* what, std::span<const uint8_t> octets) {
        for (const uint8_t octet : octets) hash(&octet, 1);
        end(what, octets.size());
    }
    void add(const char* what, std::span<const Complex> values) {
        hash(values.data(), values.size_bytes());
        end(what, values.size());
        for (auto& sum = lines_.back().value; const Complex v : values) sum = -0.9 * sum + v.real() + 2 * std::norm(v);
        lines_.back().whole = false;
    }
    void add(const BurstFormat& f) {
        add("rate", f.rate_id), add("iuc", f.iuc), add("bsid", f.bsid_lsb), add("frame_lsb", f.frame_lsb);
        add("preamble", f.preamble), add("data_symbols", f.data_symbols), add("midambles", f.midamble_interval);
        add("subchannel", f.subchannel_index), add("stc", f.stc), add("below", f.attenuation_db);
    }
    void add(const FramePrefix& p) {
        add("prefix bsid", p.bsid_lsb), add("prefix lsb", p.frame_lsb), add("prefix count", p.change_count_lsb);
        add("entries", p.entry_count);
        for (const auto& e : p.entries)
            add("code", e.rate_id_or_diuc), add("present", e.preamble_present), add("length", e.length);
    }
    void add(const FrontEndLevels& f) {
        add("dc", f.dc_dbfs), add("image", f.image_dbc), add("sender image", f.sender_dbc), add("tone", f.tone_dbfs);
        add("tone_hz", f.tone_hz);
    }
    void add(const ReceivedBurst& b) {
        add(b.format);
        add("start_sample", b.start_sample), add("start_symbol", b.start_symbol), add("index", b.index);
        add("detected", b.detected), add("fec_ok", b.fec_ok), add("failed_blocks", b.failed_blocks);
        add("corrected_bytes", b.corrected_bytes), add("payload", b.payload);
        add("tried", b.retried.tried), add("saved", b.retried.saved), add("refused", b.retried.refused);
        const auto& m = b.measured;
        add("rssi", m.rssi_dbfs), add("cinr", m.cinr_db), add("evm", m.evm_db), add("timing", m.timing_offset_samples);
        add("burst offset", m.frequency_offset_hz);
    }
    void add(const FrameSync& s) {
        add("frame start", s.start_sample), add("fraction", s.start_fraction), add("cp", s.cp);
        add("offset", s.frequency_offset_hz), add("ppm", s.clock_offset_ppm), add("snr", s.snr_db);
        add("frame rssi", s.rssi_dbfs), add("fch_ok", s.fch_ok), add(s.prefix), add("samples", s.frame_samples);
    }
    void add(const StcZoneSync& z) {
        add("zone start", z.start_symbol), add("zone index", z.index), add("prefix_ok", z.prefix_ok), add(z.prefix);
        add("antenna 0", z.rssi_dbfs[0]), add("antenna 1", z.rssi_dbfs[1]);
    }
    void add(const SymbolObservation& o) {
        add("direction", o.direction), add(o.format), add("of burst", o.burst_index), add("symbol", o.symbol);
        add("points", o.points), add("pilots", o.pilots), add("response", o.response);
        add("second response", o.second_response), add("window", o.response_window);
        add("cycles", o.cycles_per_sample), add("noise", o.noise_variance), add("phase", o.phase_rad);
        add("delay", o.delay_samples);
    }
    size_t size() const { return lines_.size(); }
    /// The first line that differs; empty: none.
    std::string difference(const Transcript& other) const {
        for (size_t i = 0; i < std::min(size(), other.size()); ++i) {
            const auto &a = lines_[i], &b = other.lines_[i];
            if (a.what == b.what && a.bits == b.bits) continue;
            return "line " + std::to_string(i) + ": " + a.what + " " + std::to_string(a.value) + ", fresh: " + b.what +
                   " " + std::to_string(b.value);
        }
        if (size() == other.size()) return "";
        return std::to_string(size()) + " lines, fresh: " + std::to_string(other.size());
    }

private:
    void hash(const void* data, size_t octets) {
        const auto* from = static_cast<const uint8_t*>(data);
        for (size_t i = 0; i < octets; ++i) hash_ = (hash_ ^ from[i]) * 0x100000001b3;
    }
    void end(const char* what, size_t count) {
        lines_.push_back({what, hash_ ^ count, static_cast<double>(count), true});
        hash_ = 0xcbf29ce484222325;
    }
    std::vector<Line> lines_;
    uint64_t hash_ = 0xcbf29ce484222325;
};

struct TranscribingObserver : SymbolObserver {
    explicit TranscribingObserver(Transcript& to) : transcript(to) {}
    void on_symbol(const SymbolObservation& seen) override { transcript.add(seen); }
    Transcript& transcript;
};

template <typename Receiver> void expect_no_front_end(const Receiver& receiver) {
    Transcript now, none;
    now.add(receiver.front_end()), none.add(FrontEndLevels());
    EXPECT_EQ(now.difference(none), "");
}

// --- signals that may leave a state ----------------------------------------------------------------------------------

/// State that a first use may leave in a receiver.
struct Disturbance {
    double dc = 0, image = 0, tone = 0, noise = 0;  ///< amplitudes
    double tone_carrier = 33.4;                     ///< place of the tone
    double fading_hz = 0;                           ///< two paths whose phases turn against each other by this much
    double sender_image = 0;                        ///< of uplink bursts, over the signal
};

inline void disturb(Samples& samples, const Disturbance& d, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> gauss(0, 1);
    const Samples clean = samples;
    for (size_t n = 0; n < samples.size(); ++n) {
        const auto t = static_cast<double>(n);
        std::complex<double> x = clean[n];
        if (d.fading_hz != 0 && n >= 7)
            x = 0.8 * x + std::polar(0.6, 2 * std::numbers::pi * d.fading_hz * t / kSampleRate) *
                              std::complex<double>(clean[n - 7]);
        x += d.image * std::conj(x) + d.dc * std::complex<double>(0.8, 0.6);
        x += d.tone * std::polar(1.0, 2 * std::numbers::pi * d.tone_carrier * t / kFftSize);
        samples[n] = Complex(x + d.noise * complex_of(gauss, random));
    }
}

/// A front end, a carrier within the band, a channel that moves, noise that destroys blocks.
inline const std::vector<Disturbance>& disturbances() {
    static const std::vector<Disturbance> all{
        {},
        {.dc = 0.2, .image = 0.1},
        {.tone = 0.1},
        {.fading_hz = 600},
        {.noise = 0.12},
        {.noise = 1},
        {.sender_image = 0.05},
        {.dc = 0.1, .image = 0.05, .tone = 0.05, .noise = 0.05, .fading_hz = 300}};
    return all;
}

// --- frames and bursts -----------------------------------------------------------------------------------------------

inline Samples modulated(Modulator& modulator, const BurstFormat& format, uint64_t seed) {
    const auto payload = random_bytes(static_cast<size_t>(burst_payload_bytes(format)), seed);
    Samples out(static_cast<size_t>(format.total_symbols() * modulator.numerology().symbol_samples()) +
                modulator.tail_samples());
    EXPECT_EQ(modulator.uplink({format, payload}, out), out.size());
    return out;
}

/// Frames of 2.5 ms; some are silent, some have a prefix that cannot be read.
struct Frames {
    enum class Kind : uint8_t { good, silent, bad_prefix, zone };
    Samples samples;
    size_t frame_samples = static_cast<size_t>(a_numerology().frame_samples(0));
    FramePlan plan{{{1, 2, false, 1}, {4, 6, false, 5}, {6, 5, true, 7}}, 0, 3};
    Modulator modulator{a_numerology()};
    StcModulator stc{a_numerology()};

    void add(int count, Kind kind = Kind::good) {
        for (int i = 0; i < count; ++i) {
            const size_t begin = samples.size();
            samples.resize(begin + frame_samples);
            auto frame = kind == Kind::silent ? Samples() : kind == Kind::zone ? with_zone() : plan.modulate(modulator);
            if (kind == Kind::bad_prefix)
                std::fill_n(frame.begin() + 2 * a_numerology().symbol_samples(), a_numerology().symbol_samples(),
                            Complex{});
            std::copy(frame.begin(), frame.end(), samples.begin() + static_cast<ptrdiff_t>(begin));
            plan.frame_lsb = (plan.frame_lsb + 1) & 15;
        }
    }
    /// Both antennas' signals, each through its channel.
    Samples with_zone() {
        const size_t symbol = static_cast<size_t>(a_numerology().symbol_samples());
        FramePrefix prefix;
        prefix.bsid_lsb = 5;
        prefix.frame_lsb = plan.frame_lsb;
        prefix.entries[0] = {1, false, 3};
        prefix.entries[1] = stc_zone_entry(8);
        prefix.entry_count = 2;
        const auto payload = random_bytes(60, plan.frame_lsb);
        DownlinkBurst plain{{1, 0, 5, plan.frame_lsb, Preamble::none, 3}, 3, true, payload};
        BurstFormat format{3, 0, 5, plan.frame_lsb, Preamble::none, 4};
        format.stc = true;
        const DownlinkBurst coded{format, 11, true, payload};
        FramePrefix own = prefix;
        own.entries[0] = {3, false, 4};
        own.entry_count = 1;
        Samples first(15 * symbol), second(15 * symbol);
        EXPECT_TRUE(modulator.downlink(prefix, {&plain, 1}, first));
        EXPECT_TRUE(stc.zone({8, own, {&coded, 1}}, std::span(first).subspan(8 * symbol),
                             std::span(second).subspan(8 * symbol)));
        for (size_t n = 0; n < first.size(); ++n) first[n] += Complex(0.3F, 0.8F) * second[n];
        return first;
    }
    Samples received(const Disturbance& disturbance, const Channel& channel, uint64_t seed) const {
        auto out = pass(samples, channel, kSampleRate, samples.size() + 400, seed);
        disturb(out, disturbance, seed);
        return out;
    }
};

struct TranscribingListener : DownlinkListener, SymbolObserver {
    explicit TranscribingListener(DownlinkReceiver& r) : receiver(r) { receiver.set_observer(this); }
    ~TranscribingListener() override { receiver.set_observer(nullptr); }
    SampleFlow on_frame(const FrameSync& sync) override {
        transcript.add(sync), transcript.add(receiver.front_end());
        return SampleFlow::go_on;
    }
    SampleFlow on_burst(const FrameSync& sync, ReceivedBurst& burst) override {
        transcript.add(sync), transcript.add(burst), transcript.add(receiver.front_end());
        if (burst.index == 3) {  // requested late: from the state after the frame prefix
            DownlinkReceiver::Expected again{{4, 5, 5, sync.prefix.frame_lsb, Preamble::none, 6}, 5, 9};
            receiver.expect({&again, 1});
        }
        return SampleFlow::go_on;
    }
    SampleFlow on_stc_zone(const FrameSync& sync, const StcZoneSync& zone) override {
        transcript.add(sync), transcript.add(zone);
        return SampleFlow::go_on;
    }
    void on_sync_lost(int64_t sample) override {
        transcript.add("lost", sample);
        if (at_loss) at_loss(sample);
    }
    void on_symbol(const SymbolObservation& seen) override { transcript.add(seen); }

    DownlinkReceiver& receiver;
    Transcript transcript;
    std::function<void(int64_t)> at_loss;
};

}  // namespace gr::wimax::phy::test
