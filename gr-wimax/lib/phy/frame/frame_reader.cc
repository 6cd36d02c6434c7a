// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/frame/frame_reader.h>
#include <gnuradio/wimax/phy/stc/stc.h>

#include <algorithm>

namespace gr::wimax::phy {
namespace {

BurstFormat format_of(const FramePrefix& prefix, int rate, int diuc, bool preamble, int symbols, bool stc) {
    BurstFormat format;
    format.rate_id = static_cast<uint8_t>(rate);
    format.iuc = static_cast<uint8_t>(diuc);
    format.seed(prefix.bsid_lsb, prefix.frame_lsb);
    format.preamble = preamble ? Preamble::short_ : Preamble::none;
    format.data_symbols = symbols - preamble_symbols(format.preamble);
    format.stc = stc;
    return format;
}

/// First symbol after the burst of element `i`: the start of the next element that begins later; -1 if there is none.
int end_of(std::span<const MapElement> map, size_t i) {
    for (const auto& next : map.subspan(i + 1))
        if (next.diuc != kExtendedDiuc && next.start_symbol > map[i].start_symbol) return next.start_symbol;
    return -1;
}

bool announces_zone(const PrefixContent& content, int start_symbol) {
    const auto items = std::span(content.items).first(static_cast<size_t>(content.count));
    return std::any_of(items.begin(), items.end(),
                       [&](const auto& item) { return item.zone && item.burst.start_symbol == start_symbol; });
}

}  // namespace

PrefixContent read_prefix(const FramePrefix& prefix, const DiucRates& rates, int zone, int zone_start) {
    PrefixContent content;
    content.end_symbol = zone > 0 ? zone_start + kStcFirstBurstSymbol : kFirstBurstSymbol;
    bool zone_follows = false;
    for (int i = 0; i < std::clamp(prefix.entry_count, 0, kPrefixEntries); ++i) {
        const auto& entry = prefix.entries[static_cast<size_t>(i)];
        auto& item = content.items[static_cast<size_t>(content.count)];
        if (i > 0 && entry.rate_id_or_diuc == kStcZoneDiuc) {
            zone_follows = true;
            // Later zones only: a zone that announces itself would be endless.
            if (zone > 0 && entry.length <= zone_start) continue;
            item.zone = true;
            item.burst.start_symbol = entry.length;
            ++content.count;
            continue;
        }
        if (zone_follows) break;  // a zone's bursts are described in its prefix
        const int code = entry.rate_id_or_diuc;
        const int rate = i == 0 ? code : rates[static_cast<size_t>(code & 15)];
        if (rate >= 0) {
            item.first = i == 0;
            item.burst.format =
                format_of(prefix, rate, i == 0 ? 0 : code, entry.preamble_present, entry.length, zone > 0);
            item.burst.start_symbol = content.end_symbol;
            item.burst.index = kStcZoneIndex * zone + i + 1;
            ++content.count;
        }
        content.end_symbol += entry.length;
    }
    return content;
}

void read_map(std::span<const MapElement> map, const FramePrefix& prefix, const DiucRates& rates,
              Announced& announced) {
    announced.zones.clear();
    announced.bursts.clear();
    const PrefixContent content = read_prefix(prefix, rates);
    int behind = content.end_symbol;  // bursts before this symbol need no map
    int index = prefix.entry_count, zones = 0;
    int last_start = -1;
    for (size_t i = 0; i + 1 < map.size(); ++i) {
        const auto& element = map[i];
        if (element.diuc == kStcZoneDiuc) {
            if (!announces_zone(content, element.start_symbol)) announced.zones.push_back(element.start_symbol);
            behind = element.start_symbol + kStcFirstBurstSymbol;
            index = ++zones * kStcZoneIndex;
            continue;
        }
        const int end = end_of(map, i);
        // Several elements may share one burst.
        if (element.diuc >= kGapDiuc || element.start_symbol < behind || element.start_symbol == last_start || end < 0)
            continue;
        last_start = element.start_symbol;
        ++index;
        const bool of_zone_prefix = zones > 0 && index % kStcZoneIndex <= kPrefixEntries;
        const int rate = rates[static_cast<size_t>(element.diuc & 15)];
        if (of_zone_prefix || rate < 0) continue;
        const auto format = format_of(prefix, rate, element.diuc, element.preamble && zones == 0,
                                      end - element.start_symbol, zones > 0);
        if (valid_burst_format(format)) announced.bursts.push_back({format, element.start_symbol, index});
    }
}

}  // namespace gr::wimax::phy
