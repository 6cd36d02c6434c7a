// SPDX-License-Identifier: GPL-3.0-or-later
// Facts of the PHY core for the package: rates, numerology, puncturing, limits of transmitters, keys of radios' fronts.
#include "channel/channel_profile.h"
#include "channel/radio_front_fields.h"
#include "tools/bindings/stage_arrays.h"

#include <gnuradio/wimax/phy/carriers/constellation.h>
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/stc/stc.h>
#include <gnuradio/wimax/phy/subchannel/focused_contention.h>
#include <gnuradio/wimax/phy/transmit/transmit_shape.h>

namespace wimax::bindings {

phy::BurstFormat format_of(const FormatNumbers& numbers) {
    phy::BurstFormat format;
    format.rate_id = static_cast<uint8_t>(numbers[0]);
    format.data_symbols = numbers[1];
    format.subchannel_index = static_cast<uint8_t>(numbers[2]);
    format.iuc = static_cast<uint8_t>(numbers[3]);
    format.seed(static_cast<uint8_t>(numbers[4]), static_cast<uint8_t>(numbers[5]));
    format.preamble = static_cast<phy::Preamble>(numbers[6]);
    format.midamble_interval = static_cast<uint8_t>(numbers[7]);
    if (!phy::valid_burst_format(format)) refuse({"format: rate, symbols and subchannels carry no octet"});
    return format;
}

phy::Numerology numerology_of(int64_t bandwidth_hz, int cp_denominator) {
    const auto made = phy::Numerology::make(bandwidth_hz, static_cast<phy::CyclicPrefix>(cp_denominator));
    if (!made) refuse({"bandwidth_hz: " + std::to_string(bandwidth_hz) + " is not the bandwidth of a channel"});
    return *made;
}

namespace {

/// Keyword arguments of the package's Rate, by Rate_ID.
py::list rate_table() {
    py::list rows;
    for (const auto& rate : phy::kRateTable) {
        py::dict row;
        row["rate_id"] = rows.size();
        row["name"] = std::string(rate.name);
        row["bits_per_carrier"] = rate.bits_per_carrier;
        row["uncoded_octets"] = rate.uncoded_bytes;
        row["coded_octets"] = rate.coded_bytes;
        row["rs_n"] = rate.rs_n;
        row["rs_k"] = rate.rs_k;
        row["rs_t"] = rate.rs_t;
        row["inner_rate"] = static_cast<int>(rate.inner_rate);
        row["subchannel_rate"] = static_cast<int>(rate.bypass_rate);
        row["snr_db"] = rate.snr_db;
        row["evm_limit_db"] = phy::kConstellationErrorLimitDb[static_cast<size_t>(rows.size())];
        rows.append(row);
    }
    return rows;
}

py::dict numerology(int64_t bandwidth_hz, int cp_denominator) {
    const auto made = numerology_of(bandwidth_hz, cp_denominator);
    py::dict values;
    values["sample_rate_hz"] = made.sample_rate_hz;
    values["cp_samples"] = made.cp_samples();
    values["symbol_samples"] = made.symbol_samples();
    values["carrier_spacing_hz"] = made.carrier_spacing_hz();
    return values;
}

/// For each code rate the bits X1 Y1 X2 Y2 ... of a period, 1: sent.
py::list puncture_patterns() {
    py::list patterns;
    for (const auto& pattern : phy::kPuncturePatterns)
        patterns.append(std::vector<int>(pattern.sent.begin(), pattern.sent.begin() + 2 * pattern.input_bits));
    return patterns;
}

py::dict limits() {
    py::dict values;
    py::list mask, flatness;
    for (const auto& point : phy::kTransmitMask) mask.append(py::make_tuple(point.bandwidths, point.level_db));
    for (const auto& limit : phy::kFlatnessLimits)
        flatness.append(py::make_tuple(limit.last_offset, limit.low_db, limit.high_db));
    values["mask"] = mask;
    values["flatness"] = flatness;
    values["bandwidth_hz"] = py::make_tuple(phy::kMinBandwidthHz, phy::kMaxBandwidthHz);
    values["frame_symbols"] = phy::kMaxFrameSymbols;
    values["contention_channels"] = phy::kContentionChannels;
    values["stc_amplitude"] = phy::kStcAntennaAmplitude;
    values["contention_boost_db"] = phy::kMaxContentionBoostDb;
    values["soft_bit_scale"] = phy::kSoftBitScale;
    return values;
}

struct FrontKeys {
    py::list all{};

    template <class T>
    void operator()(const char* key, const T&, double low, double high, const char* unit, const char* help) {
        all.append(py::make_tuple(key, low, high, unit, help));
    }
    void operator()(const char* key, const channel::PhaseMask&, const char* help) {
        all.append(py::make_tuple(key, py::none(), py::none(), "", help));
    }
};

/// (key, lowest, highest, unit, help) of each key; the mask's range is None.
py::list front_keys() {
    FrontKeys keys;
    const channel::FrontConfig front;
    channel::visit_front(keys, front);
    return keys.all;
}

int payload_octets(const FormatNumbers& numbers) { return phy::burst_payload_bytes(format_of(numbers)); }

}  // namespace

void add_stage_tables(py::module_& m) {
    m.attr("rate_table") = rate_table();
    m.attr("puncture_patterns") = puncture_patterns();
    m.attr("midamble_intervals") = std::vector<int>(phy::kMidambleInterval.begin(), phy::kMidambleInterval.end());
    m.attr("limits") = limits();
    m.attr("front_keys") = front_keys();
    m.attr("channel_names") = channel::profile_names();
    m.def("numerology", &numerology);
    m.def("payload_octets", &payload_octets);
}

}  // namespace wimax::bindings
