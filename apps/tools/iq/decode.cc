// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/iq/decode.h"
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include "mac/pdu/pdu.h"
#include "tools/iq/observed.h"

#include <algorithm>
#include <deque>

namespace wimax::iq {
namespace {

using Expected = phy::DownlinkReceiver::Expected;

/// A receiver copies what it is given: parts of this size stay in the processor's cache.
constexpr size_t kPartSamples = 1 << 13;

// Bursts beyond the frame prefix as the spec lists them.
Announced announced_by_spec(const Spec& spec, const phy::FramePrefix& prefix) {
    const FrameSpec* frame = nullptr;
    for (const auto& candidate : spec.frames) {
        if (!spec.several_frames || candidate.frame_number.lsb() == prefix.frame_lsb) {
            frame = &candidate;
            break;
        }
    }
    Announced announced;
    if (frame == nullptr) return announced;
    int start = phy::read_prefix(prefix, spec.diuc_rates).end_symbol;
    for (size_t i = static_cast<size_t>(prefix.entry_count); i < frame->bursts.size(); ++i) {
        Expected burst;
        burst.format = frame->bursts[i].format;
        burst.format.bsid_lsb = prefix.bsid_lsb;
        burst.format.frame_lsb = prefix.frame_lsb;
        burst.start_symbol = start;
        burst.index = static_cast<int>(i) + 1;
        start += burst.format.total_symbols();
        announced.bursts.push_back(burst);
    }
    return announced;
}

class Collector : public phy::DownlinkListener, public phy::SymbolObserver {
public:
    Collector(const Spec& spec, const FrameSink& sink, size_t observed_frames)
        : spec_(spec), sink_(sink), observed_frames_(observed_frames) {}

    phy::SampleFlow on_frame(const phy::FrameSync& sync) override {
        begin_frame(sync).symbols = std::move(prefix_symbols_);
        prefix_symbols_.clear();
        return phy::SampleFlow::go_on;
    }
    // The symbol of the frame prefix arrives before the frame that it announces.
    void on_symbol(const phy::SymbolObservation& seen) override {
        const bool prefix = seen.burst_index == 0;
        if (begun_ + (prefix ? 1 : 0) > observed_frames_) return;
        if (prefix) {
            prefix_symbols_.assign(1, keep(seen));
        } else {
            frames_.back().symbols.push_back(keep(seen));
        }
    }

    phy::SampleFlow on_burst(const phy::FrameSync& sync, phy::ReceivedBurst& burst) override {
        auto& frame = frame_of(sync);
        frame.bursts.push_back(burst);
        frame.sync.clock_offset_ppm = sync.clock_offset_ppm;
        if (burst.index != 1) return phy::SampleFlow::go_on;
        auto by_map = announced_by_map(sync.prefix, spec_.diuc_rates, burst.payload);
        expected = by_map ? std::move(*by_map) : announced_by_spec(spec_, sync.prefix);
        return expected.empty() ? phy::SampleFlow::go_on : phy::SampleFlow::pause;
    }

    phy::SampleFlow on_stc_zone(const phy::FrameSync& sync, const phy::StcZoneSync& zone) override {
        frame_of(sync).zones.push_back(zone);
        return phy::SampleFlow::go_on;
    }

    void on_sync_lost(int64_t) override {}

    void finish() {
        while (!frames_.empty()) hand_over();
    }

    Announced expected;

private:
    /// Frames are complete when the next one begins; the very first waits for one more, whose clock it shares.
    DecodedFrame& begin_frame(const phy::FrameSync& sync) {
        if (frames_.size() == 2) hand_over();
        ++begun_;
        return frames_.emplace_back(DecodedFrame{sync, {}, {}, {}, {}});
    }
    DecodedFrame& frame_of(const phy::FrameSync& sync) {
        if (frames_.empty() || frames_.back().sync.start_sample != sync.start_sample) begin_frame(sync);
        return frames_.back();
    }
    void hand_over() {
        auto& frame = frames_.front();
        // Between frames the clock shows best: the first one has but its own symbols.
        if (!any_given_ && frames_.size() > 1 && frame.sync.frame_samples == 0)
            frame.sync.clock_offset_ppm = frames_[1].sync.clock_offset_ppm;
        // Bursts come in order of their end; list them in order of their number.
        std::stable_sort(frame.bursts.begin(), frame.bursts.end(),
                         [](const auto& a, const auto& b) { return a.index < b.index; });
        any_given_ = true;
        sink_(std::move(frame));
        frames_.pop_front();
    }

    const Spec& spec_;
    const FrameSink& sink_;
    size_t observed_frames_, begun_ = 0;
    bool any_given_ = false;
    std::deque<DecodedFrame> frames_;  ///< begun and not handed over: up to two
    std::vector<SeenSymbol> prefix_symbols_;
};

void push(phy::DownlinkReceiver& receiver, std::span<const Complex> samples, int64_t first, Collector& collector) {
    while (!samples.empty()) {
        const size_t used = std::min(receiver.process(samples, first, collector), samples.size());
        const bool paused = !collector.expected.empty();
        if (paused) {
            for (const int start : collector.expected.zones) receiver.expect_stc_zone(start);
            receiver.expect(collector.expected.bursts);
            collector.expected = {};
        }
        if (used == 0 && !paused) break;
        samples = samples.subspan(used);
        first += static_cast<int64_t>(used);
    }
}

void decode_downlink(const Spec& spec, const SampleFeed& feed, const FrameSink& sink, size_t observed_frames) {
    phy::DownlinkReceiverConfig config;
    config.bandwidth_hz = spec.bandwidth_hz;
    config.cp = spec.cp;
    config.diuc_rates = spec.diuc_rates;
    phy::DownlinkReceiver receiver(config);
    Collector collector(spec, sink, observed_frames);
    if (observed_frames > 0) receiver.set_observer(&collector);
    int64_t first = 0;
    for (auto part = feed(); !part.empty(); part = feed()) {
        push(receiver, part, first, collector);
        first += static_cast<int64_t>(part.size());
    }
    // The recording may end with the last symbol; silence moves it through the receiver.
    const std::vector<Complex> silence(static_cast<size_t>(spec.numerology().frame_samples(0)));
    push(receiver, silence, first, collector);
    collector.finish();
}

// The first DL-MAP among the PDUs of burst #1.
std::optional<mac::DlMap> map_of(std::span<const uint8_t> broadcast) {
    mac::PduReader reader(mac::Octets(broadcast.data(), broadcast.size()));
    mac::DlMap map;
    while (const auto pdu = reader.next()) {
        const bool is_map = !pdu->is_request && pdu->crc_ok() && !pdu->body.empty() &&
                            pdu->body[0] == static_cast<uint8_t>(mac::DlMap::kType);
        if (is_map && mac::decode(pdu->body, map)) return map;
    }
    return std::nullopt;
}

}  // namespace

SeenSymbol keep(const phy::SymbolObservation& seen) {
    SeenSymbol kept{seen.burst_index,       seen.symbol,
                    seen.response_window,   seen.phase_rad,
                    seen.delay_samples,     seen.noise_variance,
                    seen.cycles_per_sample, {seen.soft_bits.begin(), seen.soft_bits.end()}};
    const auto place = [](int offset) { return static_cast<size_t>(offset + phy::kEdgeCarrier); };
    const auto& set = phy::carrier_set(seen.format.subchannel_index);
    for (size_t i = 0; i < seen.points.size(); ++i) kept.points[place(set.data()[i])] = seen.points[i];
    for (size_t i = 0; i < seen.pilots.size(); ++i)
        kept.points[place(phy::kPilotOffsets[set.pilot_indices()[i]])] = seen.pilots[i];
    std::copy(seen.response.begin(), seen.response.end(), kept.response.begin());
    std::copy(seen.second_response.begin(), seen.second_response.end(), kept.second_response.begin());
    return kept;
}

std::optional<Announced> announced_by_map(const phy::FramePrefix& prefix, const phy::DiucRates& diuc_rates,
                                          std::span<const uint8_t> broadcast) {
    const auto map = map_of(broadcast);
    if (!map) return std::nullopt;
    std::vector<phy::MapElement> elements;
    for (const auto& ie : map->ies) elements.push_back({ie.diuc, ie.preamble, ie.start_symbols});
    Announced announced;
    phy::read_map(elements, prefix, diuc_rates, announced);
    return announced;
}

void decode(const Spec& spec, const SampleFeed& feed, const FrameSink& sink, size_t observed_frames) {
    if (spec.contention) decode_contention(spec, feed, sink);
    else if (spec.direction == phy::Direction::downlink) decode_downlink(spec, feed, sink, observed_frames);
    else decode_burst(spec, feed, sink, observed_frames > 0);
}

std::vector<DecodedFrame> decode(const Spec& spec, std::span<const Complex> samples, size_t observed_frames) {
    std::vector<DecodedFrame> frames;
    const auto feed = [&samples] {
        const auto part = samples.first(std::min(samples.size(), kPartSamples));
        samples = samples.subspan(part.size());
        return part;
    };
    decode(
        spec, feed, [&frames](DecodedFrame&& frame) { frames.push_back(std::move(frame)); }, observed_frames);
    return frames;
}

}  // namespace wimax::iq
