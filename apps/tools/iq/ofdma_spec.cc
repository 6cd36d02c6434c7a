// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/iq/ofdma_spec.h"

#include "tools/iq/ofdma_map.h"

#include <gnuradio/wimax/phy/base/frame_number.h>
#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_preamble.h>

#include <algorithm>

namespace wimax::iq {
namespace {

using nlohmann::json;
namespace phy = gr::wimax::phy;

constexpr int64_t kMaxSilence = 100'000'000;  // samples
constexpr int64_t kLastDiuc = 12, kLastPermBase = 69;
constexpr size_t kMostBursts = 255, kMostRegions = 64, kMostRangingCodes = 1000;
constexpr double kMostGainDb = 40;

const std::set<std::string> kCommonKeys{"phy", "direction", "bandwidth_hz", "cp", "lead_in_samples", "tail_samples"};
const std::set<std::string> kDownlinkKeys{"preamble_index", "frame_number", "symbols", "fch", "map",
                                          "bursts",         "dcd_count",    "bsid"};
const std::set<std::string> kUplinkKeys{"id_cell",  "ul_perm_base", "frame_number", "symbols",
                                        "rotation", "regions",      "bursts",       "ranging"};
const std::set<std::string> kFchKeys{"subchannel_groups", "map_repetition", "map_code"};
const std::set<std::string> kDlBurstKeys{"symbol", "subchannel", "symbols",     "subchannels", "code",
                                         "cid",    "repetition", "boosting_db", "payload"};
const std::set<std::string> kRegionKeys{"uiuc", "symbol", "subchannel", "symbols", "subchannels"};
const std::set<std::string> kUlBurstKeys{"first_slot", "slots",         "code",   "repetition",
                                         "payload",    "delay_samples", "cfo_hz", "gain_db"};
const std::set<std::string> kRangingKeys{"kind", "code", "symbol", "subchannel", "delay_samples", "cfo_hz", "gain_db"};

std::set<std::string> united(std::set<std::string> a, const std::set<std::string>& b) {
    a.insert(b.begin(), b.end());
    return a;
}

std::vector<std::string> code_names() {
    std::vector<std::string> names;
    for (const auto& code : ofdma::kFecCodes) names.emplace_back(code.name);
    return names;
}

/// Reads the objects of an array; each gets a reader with its path.
template <class Read>
void read_array(const json& root, const char* key, size_t most, const std::string& file, Faults& faults, Read read) {
    if (!root.contains(key)) return;
    SpecReader top(root, file, "", faults);
    const json* array = top.array(key, 0, most);
    for (size_t i = 0; array != nullptr && i < array->size(); ++i) {
        SpecReader reader((*array)[i], file, std::string(key) + "[" + std::to_string(i) + "].", faults);
        read(reader);
    }
}

int read_repetition(SpecReader& reader, const char* key) {
    const auto repetition = static_cast<int>(reader.integer(key, 1, ofdma::kRepetitions.back(), 1));
    if (std::ranges::find(ofdma::kRepetitions, repetition) != ofdma::kRepetitions.end()) return repetition;
    reader.fault(key, std::to_string(repetition), "1, 2, 4, 6");
    return 1;
}

/// Code, repetition and payload of a burst of `slots`; the payload has to fit.
template <class Burst> void read_content(SpecReader& reader, int slots, Burst& burst) {
    const std::string name = reader.choice("code", code_names());
    burst.code = ofdma::find_fec_code(name.empty() ? ofdma::kFecCodes[0].name : std::string_view(name));
    burst.repetition = read_repetition(reader, "repetition");
    if (burst.repetition > 1 && burst.code->bits_per_carrier != 2)
        reader.fault("repetition", std::to_string(burst.repetition), "1 with codes other than QPSK");
    else if (slots % burst.repetition != 0)
        reader.fault("repetition", std::to_string(burst.repetition),
                     "divisors of the burst's " + std::to_string(slots) + " slots");
    burst.payload = reader.hex("payload", -1, true);
    const auto capacity = static_cast<size_t>(ofdma::burst_octets(*burst.code, slots, burst.repetition));
    if (burst.payload.size() > capacity)
        reader.fault("payload", std::to_string(burst.payload.size()) +
                                    " bytes; allowed: up to the burst's capacity of " + std::to_string(capacity));
}

class DownlinkParser {
public:
    DownlinkParser(const json& root, const std::string& file, Faults& faults, int most_symbols)
        : root_(root), file_(file), faults_(faults), top_(root, file, "", faults), most_symbols_(most_symbols) {}

    OfdmaDownlink run() {
        top_.refuse_others(united(kCommonKeys, kDownlinkKeys));
        dl_.preamble_index = static_cast<int>(top_.integer("preamble_index", 0, ofdma::kPreambles - 1));
        dl_.frame_number = static_cast<uint32_t>(top_.integer("frame_number", 0, phy::FrameNumber::kLast));
        dl_.symbols = static_cast<int>(top_.integer("symbols", 3, most_symbols_));
        if (dl_.symbols % 2 == 0)
            top_.fault("symbols", std::to_string(dl_.symbols), "odd: preamble and pairs of symbols");
        read_fch();
        read_array(root_, "bursts", kMostBursts, file_, faults_, [this](SpecReader& reader) { read_burst(reader); });
        if (faults_.empty()) read_map();
        if (faults_.empty()) check_overlap();
        return std::move(dl_);
    }

private:
    int subchannels() const {
        return static_cast<int>(
            ofdma::first_zone_subchannels(ofdma::preamble_segment(dl_.preamble_index), dl_.prefix.groups).size());
    }

    void read_fch() {
        static const json kNone = json::object();
        const bool given = top_.has("fch") && top_.at("fch").is_object();
        if (top_.has("fch") && !given) top_.fault("fch", "is not an object; allowed: {subchannel_groups, ...}");
        SpecReader fch(given ? top_.at("fch") : kNone, file_, "fch.", faults_);
        fch.refuse_others(kFchKeys);
        dl_.prefix.groups =
            static_cast<uint8_t>(fch.integer("subchannel_groups", 1, ofdma::kAllDlGroups, ofdma::kAllDlGroups));
        const int first = ofdma::first_group(ofdma::preamble_segment(dl_.preamble_index));
        if ((dl_.prefix.groups >> first & 1) == 0)
            fch.fault("subchannel_groups", std::to_string(dl_.prefix.groups),
                      "sums with " + std::to_string(1 << first) + ", the first group of the preamble's segment");
        const int repetition = read_repetition(fch, "map_repetition");
        dl_.prefix.repetition_code =
            static_cast<uint8_t>(std::ranges::find(ofdma::kRepetitions, repetition) - ofdma::kRepetitions.begin());
        const bool ctc = fch.has("map_code") && fch.choice("map_code", {"cc", "ctc"}) == "ctc";
        dl_.prefix.coding = ctc ? ofdma::MapCoding::ctc : ofdma::MapCoding::cc;
    }

    void read_burst(SpecReader& reader) {
        reader.refuse_others(kDlBurstKeys);
        OfdmaDlBurst burst;
        const int across = subchannels();
        burst.region.symbol = static_cast<int>(reader.integer("symbol", 1, dl_.symbols - 2));
        burst.region.symbols = static_cast<int>(reader.integer("symbols", 2, dl_.symbols - 1));
        burst.region.subchannel = static_cast<int>(reader.integer("subchannel", 0, across - 1));
        burst.region.subchannels = static_cast<int>(reader.integer("subchannels", 1, across));
        if (burst.region.symbol % 2 == 0) reader.fault("symbol", std::to_string(burst.region.symbol), "odd numbers");
        if (burst.region.symbols % 2 != 0)
            reader.fault("symbols", std::to_string(burst.region.symbols), "even numbers");
        if (burst.region.symbol + burst.region.symbols > dl_.symbols)
            reader.fault("symbols", std::to_string(burst.region.symbols),
                         "up to " + std::to_string(dl_.symbols - burst.region.symbol) + " from this symbol on");
        if (burst.region.subchannel + burst.region.subchannels > across)
            reader.fault("subchannels", std::to_string(burst.region.subchannels),
                         "up to " + std::to_string(across - burst.region.subchannel) + " from this subchannel on");
        burst.boosting_db =
            reader.number("boosting_db", kBoostingDb.back(), *std::ranges::max_element(kBoostingDb)).value_or(0);
        if (!boosting_code(burst.boosting_db))
            reader.fault("boosting_db", json(burst.boosting_db).dump(), "0, 3, 6, 9, -3, -6, -9, -12");
        if (reader.has("cid")) burst.cid = static_cast<uint16_t>(reader.integer("cid", 0, 0xFFFF));
        read_content(reader, burst.region.slots(), burst);
        dl_.bursts.push_back(std::move(burst));
    }

    void read_map() {
        const bool text = top_.has("map") && top_.at("map").is_string();
        const std::string form = text ? top_.at("map").get<std::string>() : "auto";
        if (top_.has("map") && !text)
            return top_.fault("map", "is not a string; allowed: auto, compressed, hex octets");
        if (form == "auto") dl_.map = encode_dl_map(message());
        else if (form == "compressed") dl_.map = encode_compressed_dl_map(message());
        else dl_.map = top_.hex("map", -1, true);
        const ofdma::FecCode& code = *ofdma::map_code(dl_.prefix.coding);
        const size_t octets = static_cast<size_t>(code.slot_octets);
        const size_t slots = (dl_.map.size() + octets - 1) / octets *
                             static_cast<size_t>(ofdma::kRepetitions[dl_.prefix.repetition_code]);
        const size_t most =
            std::min<size_t>(0xFF, static_cast<size_t>(subchannels() * (dl_.symbols / 2) - ofdma::kFchSlots));
        if (slots > most)
            top_.fault("map", std::to_string(slots) + " slots with repetitions", "up to " + std::to_string(most));
        dl_.prefix.map_slots = static_cast<uint8_t>(slots);
    }

    /// DIUC n is the n-th distinct code.
    DlMapMessage message() {
        DlMapMessage map{dl_.frame_number,
                         static_cast<uint8_t>(top_.integer("dcd_count", 0, 0xFF, 0)),
                         0,
                         static_cast<uint8_t>(dl_.symbols - 1),
                         {}};
        for (const uint8_t octet : top_.hex("bsid", 6, false)) map.bsid = map.bsid << 8 | octet;
        std::vector<const ofdma::FecCode*> codes;
        for (const auto& burst : dl_.bursts) {
            auto found = std::ranges::find(codes, burst.code);
            if (found == codes.end()) found = codes.insert(codes.end(), burst.code);
            map.elements.push_back({static_cast<uint8_t>(found - codes.begin() + 1), burst.cid, burst.region,
                                    burst.boosting_db, burst.repetition});
        }
        if (codes.size() > static_cast<size_t>(kLastDiuc))
            top_.fault("bursts", std::to_string(codes.size()) + " codes", "up to 12, or a map in hex");
        return map;
    }

    void check_overlap() {
        const int across = subchannels();
        std::vector<int> owner(static_cast<size_t>(across * (dl_.symbols / 2)), -1);  // bursts from 1, map and FCH 0
        std::fill_n(owner.begin(), ofdma::kFchSlots + dl_.prefix.map_slots, 0);
        for (size_t i = 0; i < dl_.bursts.size(); ++i) {
            const auto& region = dl_.bursts[i].region;
            for (int slot = 0; slot < region.slots(); ++slot) {
                const int row = (region.symbol - 1) / 2 + slot / region.subchannels;
                int& mark = owner[static_cast<size_t>(row * across + region.subchannel + slot % region.subchannels)];
                if (mark >= 0)
                    return top_.fault(
                        "bursts[" + std::to_string(i) + "]",
                        "overlaps " +
                            (mark == 0 ? std::string("FCH and map, which have the first ") +
                                             std::to_string(ofdma::kFchSlots + dl_.prefix.map_slots) + " slots"
                                       : "bursts[" + std::to_string(mark - 1) + "]") +
                            "; allowed: free slots");
                mark = static_cast<int>(i) + 1;
            }
        }
    }

    const json& root_;
    const std::string& file_;
    Faults& faults_;
    SpecReader top_;
    int most_symbols_;
    OfdmaDownlink dl_;
};

class UplinkParser {
public:
    UplinkParser(const json& root, const std::string& file, Faults& faults, const ofdma::OfdmaNumerology& numerology,
                 int most_symbols)
        : root_(root),
          file_(file),
          faults_(faults),
          top_(root, file, "", faults),
          numerology_(numerology),
          most_symbols_(most_symbols) {}

    OfdmaUplink run() {
        top_.refuse_others(united(kCommonKeys, kUplinkKeys));
        ul_.id_cell = static_cast<int>(top_.integer("id_cell", 0, ofdma::kIdCells - 1));
        ul_.ul_perm_base = static_cast<int>(top_.integer("ul_perm_base", 0, kLastPermBase));
        ul_.frame_number = static_cast<uint32_t>(top_.integer("frame_number", 0, phy::FrameNumber::kLast));
        ul_.symbols = static_cast<int>(top_.integer("symbols", ofdma::kUlSlotSymbols, most_symbols_));
        if (ul_.symbols % ofdma::kUlSlotSymbols != 0)
            top_.fault("symbols", std::to_string(ul_.symbols), "multiples of 3");
        ul_.rotation = top_.boolean("rotation", true);
        read_array(root_, "regions", kMostRegions, file_, faults_, [this](SpecReader& reader) { read_region(reader); });
        slots_ = ofdma::UlSlots(ul_.symbols, ul_.rotation, ul_.regions).count();
        read_array(root_, "bursts", kMostBursts, file_, faults_, [this](SpecReader& reader) { read_burst(reader); });
        read_array(root_, "ranging", kMostRangingCodes, file_, faults_,
                   [this](SpecReader& reader) { read_code(reader); });
        return std::move(ul_);
    }

private:
    void read_region(SpecReader& reader) {
        reader.refuse_others(kRegionKeys);
        reader.integer("uiuc", 0, 15);
        ofdma::UlRegion region;
        region.symbol = static_cast<int>(reader.integer("symbol", 0, ul_.symbols - 1));
        region.symbols = static_cast<int>(reader.integer("symbols", 1, ul_.symbols - region.symbol));
        region.subchannel = static_cast<int>(reader.integer("subchannel", 0, ofdma::kUlSubchannels - 1));
        region.subchannels =
            static_cast<int>(reader.integer("subchannels", 1, ofdma::kUlSubchannels - region.subchannel));
        ul_.regions.push_back(region);
    }

    OfdmaPath read_path(SpecReader& reader) {
        OfdmaPath path;
        path.delay_samples = static_cast<int>(reader.integer("delay_samples", 0, numerology_.symbol_samples(), 0));
        const double most_hz = numerology_.carrier_spacing_hz();
        path.cfo_hz = reader.number("cfo_hz", -most_hz, most_hz).value_or(0);
        path.gain_db = reader.number("gain_db", -100, kMostGainDb).value_or(0);
        return path;
    }

    void read_burst(SpecReader& reader) {
        reader.refuse_others(kUlBurstKeys);
        if (slots_ == 0) reader.fault("first_slot", "the regions leave no data slot; allowed: no bursts");
        OfdmaUlBurst burst;
        burst.first_slot = static_cast<int>(reader.integer("first_slot", 0, std::max(slots_ - 1, 0)));
        burst.slots = static_cast<int>(reader.integer("slots", 1, std::max(slots_ - burst.first_slot, 1)));
        read_content(reader, burst.slots, burst);
        burst.path = read_path(reader);
        ul_.bursts.push_back(std::move(burst));
    }

    void read_code(SpecReader& reader) {
        reader.refuse_others(kRangingKeys);
        OfdmaUplink::Code sent;
        const std::string kind = reader.choice("kind", {"initial", "periodic", "bandwidth"});
        if (kind == "periodic") sent.signal.kind = ofdma::RangingKind::periodic;
        if (kind == "bandwidth") sent.signal.kind = ofdma::RangingKind::bandwidth;
        sent.signal.code = static_cast<int>(reader.integer("code", 0, ofdma::kRangingCodes - 1));
        sent.signal.symbol =
            static_cast<int>(reader.integer("symbol", 0, ul_.symbols - ofdma::ranging_symbols(sent.signal.kind)));
        sent.signal.subchannel =
            static_cast<int>(reader.integer("subchannel", 0, ofdma::kUlSubchannels - ofdma::kRangingSubchannels));
        sent.path = read_path(reader);
        ul_.ranging.push_back(sent);
    }

    const json& root_;
    const std::string& file_;
    Faults& faults_;
    SpecReader top_;
    ofdma::OfdmaNumerology numerology_;
    int most_symbols_;
    int slots_ = 0;
    OfdmaUplink ul_;
};

}  // namespace

bool is_ofdma(const json& root) { return root.is_object() && root.contains("phy") && root.at("phy") == kOfdmaPhy; }

tl::expected<OfdmaSpec, Faults> parse_ofdma_spec(const json& root, const std::string& file) {
    Faults faults;
    SpecReader top(root, file, "", faults);
    OfdmaSpec spec;
    const std::string direction = top.choice("direction", {"downlink", "uplink"});
    const int64_t bandwidth_hz = top.integer("bandwidth_hz", phy::kMinBandwidthHz, phy::kMaxBandwidthHz);
    const auto cp = phy::parse_cyclic_prefix(top.choice("cp", {"1/4", "1/8", "1/16", "1/32"}));
    spec.numerology = *ofdma::OfdmaNumerology::make(bandwidth_hz, cp.value_or(phy::CyclicPrefix::g1_8));
    spec.lead_in_samples = top.integer("lead_in_samples", 0, kMaxSilence, 0);
    spec.tail_samples = top.integer("tail_samples", 0, kMaxSilence, 0);
    const auto most_symbols = static_cast<int>(spec.numerology.frame_samples() / spec.numerology.symbol_samples());
    if (direction.empty() || most_symbols < ofdma::kUlSlotSymbols) {
        if (!direction.empty())
            top.fault("bandwidth_hz", std::to_string(bandwidth_hz),
                      "larger ones: a frame of 5 ms has not three symbols");
        return tl::unexpected(faults);
    }
    if (direction == "downlink") spec.signal = DownlinkParser(root, file, faults, most_symbols).run();
    else spec.signal = UplinkParser(root, file, faults, spec.numerology, most_symbols).run();
    if (!faults.empty()) return tl::unexpected(faults);
    return spec;
}

}  // namespace wimax::iq
