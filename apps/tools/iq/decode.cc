/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tools/iq/decode.h"
#include <gnuradio/wimax/phy/carriers/pilots.h>
#include <gnuradio/wimax/phy/carriers/subchannels.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/frame/uplink_receiver.h>
#include <gnuradio/wimax/phy/stc/stc.h>
#include "mac/pdu/pdu.h"

#include <algorithm>
#include <cmath>

namespace wimax::iq {
namespace {

using nlohmann::ordered_json;
using Expected = phy::DownlinkReceiver::Expected;

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

SeenSymbol keep(const phy::SymbolObservation& seen) {
    SeenSymbol kept{seen.burst_index, seen.symbol, seen.response_window, seen.phase_rad, seen.delay_samples};
    const auto place = [](int offset) { return static_cast<size_t>(offset + phy::kEdgeCarrier); };
    const auto& set = phy::carrier_set(seen.format.subchannel_index);
    for (size_t i = 0; i < seen.points.size(); ++i) kept.points[place(set.data()[i])] = seen.points[i];
    for (size_t i = 0; i < seen.pilots.size(); ++i)
        kept.points[place(phy::kPilotOffsets[set.pilot_indices()[i]])] = seen.pilots[i];
    std::copy(seen.response.begin(), seen.response.end(), kept.response.begin());
    std::copy(seen.second_response.begin(), seen.second_response.end(), kept.second_response.begin());
    return kept;
}

struct SymbolKeeper : phy::SymbolObserver {
    void on_symbol(const phy::SymbolObservation& seen) override { symbols.push_back(keep(seen)); }
    std::vector<SeenSymbol> symbols;
};

class Collector : public phy::DownlinkListener, public phy::SymbolObserver {
public:
    Collector(const Spec& spec, size_t observed_frames) : spec_(spec), observed_frames_(observed_frames) {}

    phy::SampleFlow on_frame(const phy::FrameSync& sync) override {
        frames.push_back({sync, {}, {}, std::move(prefix_symbols_), {}});
        prefix_symbols_.clear();
        return phy::SampleFlow::go_on;
    }
    // The symbol of the frame prefix comes before the frame that it announces.
    void on_symbol(const phy::SymbolObservation& seen) override {
        const bool prefix = seen.burst_index == 0;
        if (frames.size() + (prefix ? 1 : 0) > observed_frames_) return;
        if (prefix) {
            prefix_symbols_.assign(1, keep(seen));
        } else {
            frames.back().symbols.push_back(keep(seen));
        }
    }

    phy::SampleFlow on_burst(const phy::FrameSync& sync, const phy::ReceivedBurst& burst) override {
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

    std::vector<DecodedFrame> frames;
    Announced expected;

private:
    DecodedFrame& frame_of(const phy::FrameSync& sync) {
        if (frames.empty() || frames.back().sync.start_sample != sync.start_sample)
            frames.push_back({sync, {}, {}, {}, {}});
        return frames.back();
    }

    const Spec& spec_;
    size_t observed_frames_;
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

std::vector<DecodedFrame> decode_downlink(const Spec& spec, std::span<const Complex> samples, size_t observed_frames) {
    phy::DownlinkReceiverConfig config;
    config.bandwidth_hz = spec.bandwidth_hz;
    config.cp = spec.cp;
    config.diuc_rates = spec.diuc_rates;
    phy::DownlinkReceiver receiver(config);
    Collector collector(spec, observed_frames);
    if (observed_frames > 0) receiver.set_observer(&collector);
    push(receiver, samples, 0, collector);
    // The recording may end with the last symbol; silence moves it through the receiver.
    const std::vector<Complex> silence(static_cast<size_t>(spec.numerology().frame_samples(0)));
    push(receiver, silence, static_cast<int64_t>(samples.size()), collector);
    // Bursts come in order of their end; list them in order of their number.
    for (auto& frame : collector.frames) {
        std::stable_sort(frame.bursts.begin(), frame.bursts.end(),
                         [](const auto& a, const auto& b) { return a.index < b.index; });
    }
    // Between frames the clock shows best: the first one, which has but its own symbols, shares that of the second.
    if (auto& frames = collector.frames; frames.size() > 1 && frames[0].sync.frame_samples == 0)
        frames[0].sync.clock_offset_ppm = frames[1].sync.clock_offset_ppm;
    return std::move(collector.frames);
}

// The burst that begins near `start`, if there is one.
std::optional<DecodedFrame> receive_at(phy::UplinkReceiver& receiver, const phy::Numerology& numerology,
                                       const phy::BurstFormat& format, int64_t start, std::span<const Complex> samples,
                                       bool observed) {
    phy::UplinkAllocation allocation;
    allocation.format = format;
    allocation.index = 1;
    allocation.start_sample = start;
    // Only what the burst can reach: the receiver need not look at the rest.
    const int64_t guard = receiver.guard_samples();
    const auto size = static_cast<int64_t>(samples.size());
    const int64_t length = int64_t{format.total_symbols()} * numerology.symbol_samples();
    const int64_t from = std::clamp<int64_t>(start - guard, 0, size);
    const int64_t to = std::clamp<int64_t>(start + length + guard, from, size);
    DecodedFrame frame;
    frame.bursts.resize(1);
    auto& burst = frame.bursts[0];
    SymbolKeeper keeper;
    receiver.set_observer(observed ? &keeper : nullptr);
    receiver.receive(samples.subspan(static_cast<size_t>(from), static_cast<size_t>(to - from)), from, allocation,
                     burst);
    receiver.set_observer(nullptr);
    frame.symbols = std::move(keeper.symbols);
    if (!burst.detected) return std::nullopt;
    frame.sync.start_sample = burst.start_sample;
    frame.sync.cp = numerology.cp;
    frame.sync.frequency_offset_hz = burst.measured.frequency_offset_hz;
    frame.sync.snr_db = burst.measured.cinr_db;
    frame.sync.rssi_dbfs = burst.measured.rssi_dbfs;
    return frame;
}

std::vector<int64_t> possible_starts(phy::UplinkReceiver& receiver, const Spec& spec, const phy::BurstFormat& format,
                                     std::span<const Complex> samples) {
    if (spec.start_sample) return {*spec.start_sample};
    const auto found = receiver.search(samples, 0, format);
    return found ? std::vector<int64_t>{*found} : std::vector<int64_t>{};
}

// A wrong prefix or start may show a preamble, but the symbols behind it are worse.
bool better(const DecodedFrame& a, const DecodedFrame& b) {
    const auto& x = a.bursts[0];
    const auto& y = b.bursts[0];
    return x.fec_ok != y.fec_ok ? x.fec_ok : x.measured.cinr_db > y.measured.cinr_db;
}

std::vector<DecodedFrame> decode_uplink(const Spec& spec, std::span<const Complex> samples, bool observed) {
    std::vector<DecodedFrame> best;
    if (spec.frames.empty()) return best;
    const phy::BurstFormat& format = spec.frames[0].bursts[0].format;
    for (const auto cp : phy::kCyclicPrefixes) {
        if (spec.cp && *spec.cp != cp) continue;
        const auto numerology = phy::Numerology::make(spec.bandwidth_hz, cp);
        if (!numerology) continue;
        phy::UplinkReceiver receiver(*numerology);
        for (const int64_t start : possible_starts(receiver, spec, format, samples)) {
            auto frame = receive_at(receiver, *numerology, format, start, samples, observed);
            if (frame && (best.empty() || better(*frame, best[0]))) best.assign(1, std::move(*frame));
        }
    }
    return best;
}

// One frame with the codes of all opportunities; none if there is no code.
std::vector<DecodedFrame> decode_contention(const Spec& spec, std::span<const Complex> samples) {
    DecodedFrame frame;
    frame.sync.start_sample = *spec.start_sample;
    frame.sync.cp = *spec.cp;
    phy::ContentionDetector detector(spec.numerology());
    const int64_t length = phy::kContentionSymbols * spec.numerology().symbol_samples();
    for (int i = 0; i < spec.contention->opportunities; ++i)
        for (const auto& detection : detector.detect(samples, 0, *spec.start_sample + i * length))
            frame.codes.push_back({i, detection});
    std::vector<DecodedFrame> frames;
    if (!frame.codes.empty()) frames.push_back(std::move(frame));
    return frames;
}

// JSON has no infinities; levels are cut where they mean nothing any more.
double finite(double value) { return std::isfinite(value) ? std::clamp(value, -1e9, 1e9) : 0.0; }
double decibels(double value) {
    if (std::isnan(value)) return -200.0;
    return std::round(std::clamp(value, -200.0, 200.0) * 100.0) / 100.0;
}

ordered_json prefix_json(bool ok, const phy::FramePrefix& received) {
    ordered_json fch{{"hcs_ok", ok}};
    const phy::FramePrefix prefix = ok ? received : phy::FramePrefix{};
    fch["bsid_lsb"] = prefix.bsid_lsb;
    fch["frame_number_lsb"] = prefix.frame_lsb;
    fch["change_count_lsb"] = prefix.change_count_lsb;
    fch["ies"] = ordered_json::array();
    for (int i = 0; i < prefix.entry_count; ++i) {
        const auto& entry = prefix.entries[static_cast<size_t>(i)];
        if (i == 0) {
            fch["ies"].push_back({{"rate_id", entry.rate_id_or_diuc}, {"length", entry.length}});
        } else if (entry.rate_id_or_diuc == 0) {
            fch["ies"].push_back({{"diuc", 0}, {"start_time", entry.length}});
        } else {
            fch["ies"].push_back({{"diuc", entry.rate_id_or_diuc},
                                  {"preamble_present", entry.preamble_present ? 1 : 0},
                                  {"length", entry.length}});
        }
    }
    return fch;
}

ordered_json zone_json(const phy::StcZoneSync& zone) {
    return {{"index", zone.index},
            {"start_symbol", zone.start_symbol},
            {"rssi_dbfs", {decibels(zone.rssi_dbfs[0]), decibels(zone.rssi_dbfs[1])}},
            {"fch", prefix_json(zone.prefix_ok, zone.prefix)}};
}

ordered_json code_json(const FoundCode& found) {
    const auto& d = found.detection;
    return {
        {"opportunity", found.opportunity}, {"channel", d.what.channel},          {"code", d.what.code},
        {"snr_db", decibels(d.snr_db)},     {"rssi_dbfs", decibels(d.rssi_dbfs)}, {"certainty", finite(d.certainty)}};
}

// What nothing in a contention region tells is null.
ordered_json region_json(const DecodedFrame& frame) {
    ordered_json json{{"start_sample", frame.sync.start_sample},
                      {"cp", std::string(phy::to_string(frame.sync.cp))},
                      {"cfo_hz", nullptr},
                      {"sfo_ppm", nullptr},
                      {"snr_db", nullptr},
                      {"rssi_dbfs", nullptr},
                      {"fch", nullptr},
                      {"bursts", ordered_json::array()},
                      {"contention", ordered_json::array()}};
    for (const auto& found : frame.codes) json["contention"].push_back(code_json(found));
    return json;
}

ordered_json burst_json(const phy::ReceivedBurst& burst, bool uplink) {
    const auto& format = burst.format;
    ordered_json json{{"index", burst.index}, {"rate_id", format.rate_id}};
    // Announced by its rate, of the frame or of an STC zone.
    const bool first = burst.index == 1 || (format.stc && burst.index % phy::kStcZoneIndex == 1);
    json["diuc"] = uplink || first ? ordered_json() : ordered_json(format.iuc);
    if (format.stc) json["stc"] = true;
    if (uplink) json["uiuc"] = format.iuc;
    json["start_symbol"] = burst.start_symbol;
    json["data_symbols"] = format.data_symbols;
    json["payload"] = to_hex(burst.payload);
    json["evm_db"] = decibels(burst.measured.evm_db);
    json["cinr_db"] = decibels(burst.measured.cinr_db);
    json["fec_ok"] = burst.fec_ok;
    json["corrected_bytes"] = burst.corrected_bytes;
    return json;
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

std::vector<DecodedFrame> decode(const Spec& spec, std::span<const Complex> samples, size_t observed_frames) {
    if (spec.contention) return decode_contention(spec, samples);
    return spec.direction == phy::Direction::downlink ? decode_downlink(spec, samples, observed_frames)
                                                      : decode_uplink(spec, samples, observed_frames > 0);
}

ordered_json to_json(const Spec& spec, const std::vector<DecodedFrame>& frames) {
    const bool uplink = spec.direction == phy::Direction::uplink;
    ordered_json result{{"frames", ordered_json::array()}};
    for (const auto& frame : frames) {
        if (spec.contention) {
            result["frames"].push_back(region_json(frame));
            continue;
        }
        const auto& sync = frame.sync;
        ordered_json json{{"start_sample", sync.start_sample},
                          {"cp", std::string(phy::to_string(sync.cp))},
                          {"cfo_hz", finite(sync.frequency_offset_hz)}};
        // One burst is too short to tell the clock.
        json["sfo_ppm"] = uplink ? ordered_json() : ordered_json(finite(sync.clock_offset_ppm));
        json["snr_db"] = decibels(sync.snr_db);
        json["rssi_dbfs"] = decibels(sync.rssi_dbfs);
        json["fch"] = uplink ? ordered_json() : prefix_json(sync.fch_ok, sync.prefix);
        for (const auto& zone : frame.zones) json["stc_zones"].push_back(zone_json(zone));
        json["bursts"] = ordered_json::array();
        for (const auto& burst : frame.bursts) json["bursts"].push_back(burst_json(burst, uplink));
        result["frames"].push_back(std::move(json));
    }
    return result;
}

ordered_json to_annotations(const std::vector<DecodedFrame>& frames) {
    ordered_json annotations = ordered_json::array();
    for (const auto& frame : frames) {
        const int symbol_samples = phy::kFftSize + phy::kFftSize / static_cast<int>(frame.sync.cp);
        const auto annotate = [&](int symbol, int symbols, const std::string& label, const std::string& comment) {
            annotations.push_back({{"core:sample_start",
                                    std::max<int64_t>(0, frame.sync.start_sample + int64_t{symbol} * symbol_samples)},
                                   {"core:sample_count", int64_t{symbols} * symbol_samples},
                                   {"core:label", label},
                                   {"core:comment", comment}});
        };
        for (const auto& burst : frame.bursts) {
            const auto& format = burst.format;
            const std::string fec = burst.fec_ok ? "FEC ok" : "FEC failed";
            annotate(burst.start_symbol, format.total_symbols(), "burst " + std::to_string(burst.index),
                     std::string(phy::kRateTable[format.rate_id].name) + ", " + (format.stc ? "STC, " : "") + fec +
                         ", " + std::to_string(burst.payload.size()) + " bytes");
            annotations.back()["wimax:payload"] = to_hex(burst.payload);
        }
        for (const auto& found : frame.codes)
            annotate(found.opportunity * phy::kContentionSymbols, phy::kContentionSymbols,
                     "contention channel " + std::to_string(found.detection.what.channel),
                     "code " + std::to_string(found.detection.what.code));
        for (const auto& zone : frame.zones)
            annotate(zone.start_symbol, phy::kStcFirstBurstSymbol, "STC zone",
                     zone.prefix_ok ? "preamble, prefix ok" : "preamble, prefix failed");
    }
    return annotations;
}

}  // namespace wimax::iq
