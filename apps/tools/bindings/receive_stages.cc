// SPDX-License-Identifier: GPL-3.0-or-later
// Reception on arrays by the receivers' own parts: preamble search, channel estimate, equalizer with its trackers,
// whole uplink bursts, and what a receiver saw of a signal. Clauses 8.3.3.6, 8.3.5 and 8.3.9.
#include "phy/acquire/synchronizer.h"
#include "phy/channel/subchannel_estimator.h"
#include "phy/receive/burst_receiver.h"
#include "tools/bindings/stage_arrays.h"
#include "tools/iq/decode.h"

#include <gnuradio/wimax/phy/frame/uplink_receiver.h>

#include <algorithm>

namespace wimax::bindings {
namespace {

using phy::Complex;
constexpr size_t kSpan = kCarrierSpanOfArrays;

// ---- synchronization ----

std::optional<phy::CyclicPrefix> prefix_of(int denominator) {
    return denominator == 0 ? std::nullopt : std::optional(static_cast<phy::CyclicPrefix>(denominator));
}

/// (start_sample, prefix denominator, cycles per sample) of each long preamble.
py::list find_preambles(const ComplexArray& samples, int64_t bandwidth_hz, int cp_denominator) {
    const auto in = samples_of("samples", samples);
    const auto numerology = numerology_of(bandwidth_hz, cp_denominator == 0 ? 8 : cp_denominator);
    std::vector<phy::Acquisition> found;
    {
        const py::gil_scoped_release others;
        // Silence moves the last samples through the search.
        std::vector<Complex> all(in.begin(), in.end());
        all.resize(all.size() + 2 * phy::PreambleSearch::kKeepSamples);
        const phy::SampleView view{all.data(), 0, static_cast<int64_t>(all.size())};
        phy::PreambleSearch search(prefix_of(cp_denominator), numerology);
        search.restart(0);
        while (const auto plateau = search.scan(view)) {
            if (!view.covers(*plateau, *plateau + phy::PreambleSearch::kAcquireSamples)) break;
            if (const auto seen = search.acquire(view, *plateau)) found.push_back(*seen);
        }
    }
    py::list rows;
    for (const auto& f : found)
        rows.append(py::make_tuple(f.start_sample, static_cast<int>(f.cp), f.cycles_per_sample));
    return rows;
}

py::object find_burst(const ComplexArray& samples, const FormatNumbers& numbers, int64_t bandwidth_hz,
                      int cp_denominator) {
    const auto in = samples_of("samples", samples);
    const auto format = format_of(numbers);
    phy::UplinkReceiver receiver(numerology_of(bandwidth_hz, cp_denominator));
    std::optional<int64_t> start;
    {
        const py::gil_scoped_release others;
        start = receiver.search(in, 0, format);
    }
    return start ? py::object(py::int_(*start)) : py::none();
}

// ---- channel estimate ----

enum class PreambleKind : uint8_t { long_, short_, subchannels, stc_first, stc_second };

/// Preambles as observed, for the equalizer. Python sees a handle.
struct Preambles {
    struct One {
        phy::PreambleObservation observation;
        phy::Carriers first, second;  ///< `second` only of a long preamble
    };
    PreambleKind kind = PreambleKind::short_;
    int cp_samples = 0;
    std::vector<One> all;
};

void load(std::span<const Complex> from, phy::Carriers& to) { std::ranges::copy(from, to.data()); }

struct EstimatedRows {
    NewRows<Complex> response;
    NewRows<float> snr;
    NewRows<float> figures;  ///< noise variance, power, first and last path, phase step, window shift
    py::array_t<bool> present;

    explicit EstimatedRows(size_t count)
        : response(count, kSpan), snr(count, kSpan), figures(count, 6), present(new_column<bool>(count)) {}
    void set(size_t row, const phy::ChannelEstimate& from, const phy::PreambleObservation& seen) const {
        std::copy_n(from.response.data(), kSpan, response[row].begin());
        std::copy_n(from.snr.data(), kSpan, snr[row].begin());
        const std::array<float, 6> values{from.noise_variance, from.power,      from.first_path,
                                          from.last_path,      seen.phase_step, static_cast<float>(seen.window_shift)};
        std::ranges::copy(values, figures[row].begin());
    }
};

void observe(PreambleKind kind, Preambles::One& one, int cp_samples, float noise_variance,
             phy::ChannelEstimator& estimator) {
    if (kind == PreambleKind::long_)
        estimator.observe_long(one.first, one.second, cp_samples, phy::kNoPrior, one.observation);
    else if (kind == PreambleKind::short_) estimator.observe_short(one.first, cp_samples, one.observation);
    else
        estimator.observe_stc(one.first, kind == PreambleKind::stc_first ? 0 : 1, cp_samples, noise_variance,
                              one.observation);
}

/// `carriers`: one row per preamble, its symbols one after the other.
py::tuple estimate_channel(int kind_number, const ComplexArray& carriers, int cp_samples, int subchannel_index,
                           float noise_variance) {
    const auto kind = static_cast<PreambleKind>(kind_number);
    const auto in = rows_of("carriers", carriers, (kind == PreambleKind::long_ ? 2 : 1) * kSpan);
    auto preambles = std::make_unique<Preambles>(Preambles{kind, cp_samples, {}});
    EstimatedRows out(in.count);
    bool* const present = out.present.mutable_data();
    preambles->all.resize(in.count);
    phy::ChannelEstimator estimator;
    std::optional<phy::SubchannelEstimator> group;
    if (kind == PreambleKind::subchannels) group.emplace();
    for_each_row(in.count, [&](size_t row) {
        auto& one = preambles->all[row];
        phy::ChannelEstimate estimate;
        load(in[row].first(kSpan), one.first);
        if (kind == PreambleKind::long_) load(in[row].subspan(kSpan), one.second);
        if (group) {
            const auto cp = static_cast<float>(cp_samples);
            present[row] = group->estimate(one.first, subchannel_index, {-cp, cp}, estimate);
        } else {
            observe(kind, one, cp_samples, noise_variance, estimator);
            estimator.estimate(one.observation, estimate);
            present[row] = one.observation.present;
        }
        out.set(row, estimate, one.observation);
    });
    return py::make_tuple(out.response.array(), out.snr.array(), out.figures.array(), out.present,
                          std::move(preambles));
}

// ---- equalizer, and what a receiver sees ----

/// Data symbols of one burst as the receiver saw them.
struct SeenSymbols : phy::SymbolObserver {
    std::vector<Complex> points, response;
    std::vector<int8_t> soft_bits;
    std::vector<float> tracked;  ///< per symbol: noise variance, phase, delay
    std::vector<int> symbols;
    int64_t response_window = 0;
    double cycles_per_sample = 0;

    void on_symbol(const phy::SymbolObservation& seen) override {
        const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
        add(points, seen.points), add(response, seen.response), add(soft_bits, seen.soft_bits);
        add(tracked, std::array{seen.noise_variance, seen.phase_rad, seen.delay_samples});
        symbols.push_back(seen.symbol);
        response_window = seen.response_window;
        cycles_per_sample = seen.cycles_per_sample;
    }
};

template <class T> py::array_t<T> copy_of(const std::vector<T>& from, size_t rows) {
    const NewRows<T> out(rows, rows == 0 ? 0 : from.size() / rows);
    for (size_t row = 0; row < rows; ++row)
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(row * out[row].size()), out[row].size(),
                    out[row].begin());
    return out.array();
}

py::dict to_dict(const SeenSymbols& seen) {
    const size_t rows = seen.symbols.size();
    py::dict values;
    values["points"] = copy_of(seen.points, rows);
    values["soft_bits"] = copy_of(seen.soft_bits, rows);
    values["response"] = copy_of(seen.response, rows);
    values["tracked"] = copy_of(seen.tracked, rows);
    values["symbols"] = seen.symbols;
    values["response_window"] = seen.response_window;
    values["cycles_per_sample"] = seen.cycles_per_sample;
    return values;
}

void add_measurement(const phy::BurstMeasurement& measured, py::dict& values) {
    values["rssi_dbfs"] = measured.rssi_dbfs;
    values["cinr_db"] = measured.cinr_db;
    values["evm_db"] = measured.evm_db;
}

/// Equalizes the bursts of one format that follow these preambles. `carriers`: one row per burst, its symbols one after
/// the other; `clock_error`: standard deviation of the sender's clock as a ratio.
py::list equalize(const Preambles& preambles, const ComplexArray& carriers, const FormatNumbers& numbers, bool uplink,
                  int first_symbol, int64_t sample_rate_hz, const ArrayOf<double>& cycles, double clock_error) {
    const auto format = format_of(numbers);
    if (preambles.kind != PreambleKind::long_ && preambles.kind != PreambleKind::short_)
        refuse({"channel: the estimate of a long or short preamble over the whole band is wanted"});
    const auto direction = uplink ? phy::Direction::uplink : phy::Direction::downlink;
    const bool own_preamble = !uplink && format.preamble == phy::Preamble::short_;
    const int symbols = format.total_symbols() - (own_preamble ? 0 : phy::preamble_symbols(format.preamble));
    const auto in = rows_of("carriers", carriers, static_cast<size_t>(symbols) * kSpan);
    const auto corrected = column_of("cycles_per_sample", cycles, in.count);
    if (preambles.all.size() != in.count) refuse({"carriers: one burst for each preamble is wanted"});
    std::vector<SeenSymbols> seen(in.count);
    std::vector<phy::ReceivedBurst> results(in.count);
    phy::BurstReceiver receiver(symbols, direction);
    for_each_row(in.count, [&](size_t row) {
        auto one = preambles.all[row];
        phy::LinkEstimate link;
        link.begin(direction, preambles.cp_samples, sample_rate_hz);
        link.place(0, corrected[row]);
        receiver.reset_front_end();
        const phy::ClockDrift clock{0, std::pow(clock_error * link.symbol_samples, 2)};
        const bool both = preambles.kind == PreambleKind::long_;
        receiver.begin_link({.observation = one.observation,
                             .even = both ? one.second : one.first,
                             .fourth = both ? &one.first : nullptr,
                             .as_received = true},
                            clock, link);
        receiver.set_observer(&seen[row]);
        receiver.start(link, format, {.first_symbol = first_symbol, .own_preamble = own_preamble},
                       phy::burst_randomizer(format));
        phy::Carriers symbol;
        for (int i = 0; i < symbols && receiver.wants_symbol(); ++i) {
            load(in[row].subspan(static_cast<size_t>(i) * kSpan, kSpan), symbol);
            receiver.take(symbol, 0);
        }
        receiver.finish(results[row]);
        receiver.set_observer(nullptr);
    });
    py::list rows;
    for (size_t row = 0; row < in.count; ++row) {
        auto values = to_dict(seen[row]);
        add_measurement(results[row].measured, values);
        rows.append(values);
    }
    return rows;
}

/// Whole uplink bursts, one in each row of samples, by the base station's receiver.
py::list receive_bursts(const ComplexArray& samples, const std::vector<FormatNumbers>& numbers, int64_t bandwidth_hz,
                        int cp_denominator, int64_t start_sample, int search_samples) {
    const auto in = rows_of("samples", samples);
    const auto numerology = numerology_of(bandwidth_hz, cp_denominator);
    if (numbers.size() != in.count) refuse({"formats: one for each row of samples is wanted"});
    std::vector<phy::UplinkAllocation> allocations;
    for (const auto& one : numbers) allocations.push_back({format_of(one), start_sample, search_samples, 1});
    std::vector<SeenSymbols> seen(in.count);
    std::vector<phy::ReceivedBurst> results(in.count);
    phy::UplinkReceiver receiver(numerology, phy::kMaxFrameSymbols);
    for_each_row(in.count, [&](size_t row) {
        receiver.forget_front_end();
        receiver.set_observer(&seen[row]);
        receiver.receive(in[row], 0, allocations[row], results[row]);
        receiver.set_observer(nullptr);
    });
    py::list rows;
    for (size_t row = 0; row < in.count; ++row) {
        const auto& burst = results[row];
        auto values = to_dict(seen[row]);
        add_measurement(burst.measured, values);
        values["detected"] = burst.detected;
        values["start_sample"] = burst.start_sample;
        values["timing_samples"] = burst.measured.timing_offset_samples;
        values["cfo_hz"] = burst.measured.frequency_offset_hz;
        values["payload"] = py::bytes(reinterpret_cast<const char*>(burst.payload.data()), burst.payload.size());
        values["fec_ok"] = burst.fec_ok;
        values["corrected_octets"] = burst.corrected_bytes;
        rows.append(values);
    }
    return rows;
}

py::dict symbol_dict(const iq::SeenSymbol& seen) {
    py::dict values;
    values["burst"] = seen.burst_index;
    values["symbol"] = seen.symbol;
    values["points"] = array_of(seen.points);
    values["soft_bits"] = copy_of(seen.soft_bits, 1);
    values["response"] = array_of(seen.response);
    values["second_response"] = array_of(seen.second_response);
    values["response_window"] = seen.response_window;
    values["cycles_per_sample"] = seen.cycles_per_sample;
    values["noise_variance"] = seen.noise_variance;
    values["phase_rad"] = seen.phase_rad;
    values["delay_samples"] = seen.delay_samples;
    return values;
}

/// Result of decode() as JSON, and the data symbols of each of the first `frames` frames.
py::tuple observe_signal(const ComplexArray& samples, const std::string& text, size_t frames) {
    const auto spec = iq::parse_spec(text, "spec", iq::Purpose::decode);
    if (!spec) refuse(spec.error().lines());
    const auto in = samples_of("samples", samples);
    std::vector<iq::DecodedFrame> decoded;
    std::string json;
    {
        const py::gil_scoped_release others;
        decoded = iq::decode(*spec, in, frames);
        json = iq::to_json(*spec, decoded).dump();
    }
    py::list of_frames;
    for (const auto& frame : decoded) {
        py::list symbols;
        for (const auto& symbol : frame.symbols) symbols.append(symbol_dict(symbol));
        of_frames.append(symbols);
    }
    return py::make_tuple(json, of_frames);
}

}  // namespace

void add_receive_stages(py::module_& m) {
    py::class_<Preambles>(m, "Preambles");
    m.def("find_preambles", &find_preambles);
    m.def("find_burst", &find_burst);
    m.def("estimate_channel", &estimate_channel);
    m.def("equalize", &equalize);
    m.def("receive_bursts", &receive_bursts);
    m.def("observe_signal", &observe_signal);
}

}  // namespace wimax::bindings
