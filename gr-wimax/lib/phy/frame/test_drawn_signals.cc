// SPDX-License-Identifier: GPL-3.0-or-later
// What receivers report of random signals, for tests/recorded. Prints JSON: for each signal and kind of report a weighted
// sum of its values.
#include "phy/frame/test_second_life.h"
#include "phy/receive/front_end_estimate.h"

#include <nlohmann/json.hpp>

#include <iostream>
#include <map>

using namespace gr::wimax::phy;
using namespace gr::wimax::phy::test;
using nlohmann::json;

namespace {

std::mt19937_64 engine(1);
int below(int limit) { return static_cast<int>(engine() % static_cast<uint64_t>(limit)); }
double within(double low, double high) { return low + (high - low) * below(10'001) / 10'000; }

Channel channel(double delay, double most_hz, float gain = 1) {
    Channel c{within(22, 36), within(-most_hz, most_hz), within(-12, 12), delay + within(-6, 6), {{0, gain}}};
    for (int i = below(3); i > 0; --i) c.paths.push_back({within(0, 22), gain * std::polar(0.4F, 1.0F + 2 * i)});
    return c;
}

json sums(const Transcript& transcript) {
    std::map<std::string, double> all, counts;
    json out;
    for (const auto& [what, bits, value, whole] : transcript.lines()) {
        const double sum = all[what] += value * (1 + std::fmod(++counts[what], 3));
        out[what] = whole ? json(static_cast<int64_t>(sum)) : json(static_cast<float>(sum));
    }
    return out;
}

struct Observer : SymbolObserver {
    void on_symbol(const SymbolObservation& seen) override { transcript.add(seen), meter.on_symbol(seen); }
    Transcript transcript;
    FrontEndMeter meter{a_numerology()};
};

/// Bursts of all formats; in some allocations, that are searched, a second one.
json uplink(const Disturbance& disturbance) {
    UplinkReceiver receiver(a_numerology());
    Observer observer;
    Transcript& t = observer.transcript;
    receiver.set_observer(&observer);
    Modulator modulator(a_numerology(), kMaxFrameSymbols, below(2) ? TransmitShape{8, 6.0} : TransmitShape{});
    for (int i = 0; i < 9; ++i) {
        const bool two = i % 3 == 2;
        const UplinkAllocation where{
            {static_cast<uint8_t>(below(7)), 7, 1, 9, i % 6 == 2 ? Preamble::long_ : Preamble::short_,
             3 + below(two ? 3 : 24), static_cast<uint8_t>(below(4)), static_cast<uint8_t>(i % 2 ? 1 + below(31) : 16)},
            300, two ? 2600 : 0, i};
        const auto sent = modulated(modulator, where.format, static_cast<uint64_t>(i));
        auto samples = pass(sent, channel(300, 900), kSampleRate, 2 * sent.size() + 3400, 5);
        const auto second =
            pass(sent, channel(450.0 + static_cast<double>(sent.size()), 900, 0.4F), kSampleRate, samples.size(), 5);
        for (size_t n = 0; n < second.size() && two; ++n) samples[n] += second[n];
        disturb(samples, disturbance, 3);
        ReceivedBurst result;
        observer.meter.listen_to(samples, 0);
        receiver.receive(samples, 0, where, result);
        t.add(result), t.add(receiver.front_end());
        t.add("second", receiver.receive_second(samples, 0, where, result));
        if (result.detected) t.add(result);
    }
    const auto e = observer.meter.estimate();
    for (const float level : {e.dc_dbc, e.image_dbc, e.carrier_leak_dbc, e.sender_image_dbc, e.evm_db,
                              e.corrected_evm_db, e.phase_error_deg, e.signal_dbfs, float(e.symbols)})
        t.add("estimate", level);
    return sums(t);
}

json downlink(const Disturbance& disturbance) {
    using enum Frames::Kind;
    Frames frames;
    for (const auto kind : {good, zone, silent, good, bad_prefix, zone, good}) frames.add(1, kind);
    const auto samples = frames.received(disturbance, channel(500, 20e3), 7);
    DownlinkReceiver receiver({});
    TranscribingListener listener(receiver);
    for (size_t at = 0; at < samples.size(); at += 1440)
        receiver.process(std::span(samples).subspan(at).first(std::min<size_t>(1440, samples.size() - at)),
                         static_cast<int64_t>(at), listener);
    return sums(listener.transcript);
}

}  // namespace

int main() {
    json all;
    for (const auto& d : disturbances()) all[std::to_string(all.size())] = {uplink(d), downlink(d)};
    std::cout << all;
}
