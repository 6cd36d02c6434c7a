// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/iq/spec.h"

#include "common/safe_files.h"

#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include <gnuradio/wimax/phy/stc/stc.h>

#include <iostream>
#include <iterator>
#include <sstream>

namespace wimax::iq {
namespace {

using nlohmann::json;

constexpr int64_t kMinBandwidthHz = phy::kMinBandwidthHz, kMaxBandwidthHz = phy::kMaxBandwidthHz;
constexpr int64_t kMaxSilenceSamples = 100'000'000;
constexpr uint64_t kMaxTextBytes = 256 << 20;  // of a spec
constexpr int64_t kLastBurstDiuc = 12;
constexpr size_t kMaxBursts = 255, kMaxFrames = 10'000;
constexpr int64_t kMostOpportunities = 8;  // that the three bits of a Focused Contention IE count
constexpr size_t kMostCodes = 1000;

const std::set<std::string> kSpecKeys{"direction",
                                      "bandwidth_hz",
                                      "cp",
                                      "bsid",
                                      "frame_number",
                                      "change_count",
                                      "bursts",
                                      "frames",
                                      "payload",
                                      "lead_in_samples",
                                      "tail_samples",
                                      "frame_duration_s",
                                      "uiuc",
                                      "rate_id",
                                      "data_symbols",
                                      "midamble_interval",
                                      "subchannel_index",
                                      "ranging",
                                      "diuc_rates",
                                      "start_sample",
                                      "window_samples",
                                      "target_papr_db",
                                      "antenna",
                                      "stc_bursts",
                                      "contention",
                                      "opportunities",
                                      "phy"};
const std::set<std::string> kContentionKeys{"opportunity", "channel", "code", "boost_db"};
const std::set<std::string> kFrameKeys{"frame_number", "change_count", "bursts", "stc_bursts"};
const std::set<std::string> kStcBurstKeys{"rate_id", "diuc", "data_symbols", "payload"};
const std::set<std::string> kBurstKeys{"rate_id", "diuc", "preamble", "data_symbols", "payload"};

class Parser {
public:
    Parser(const json& root, std::string file, Purpose purpose)
        : root_(root), file_(std::move(file)), purpose_(purpose), top_(root_, file_, "", faults_) {}

    tl::expected<Spec, Faults> run() {
        top_.refuse_others(kSpecKeys);
        if (top_.has("phy")) top_.choice("phy", {"ofdm256"});  // generate reads "ofdma1024" elsewhere
        const std::string direction = top_.choice("direction", {"downlink", "uplink"});
        if (direction.empty()) return tl::unexpected(faults_);  // it decides which other keys there are
        read_channel(direction);
        if (spec_.direction == phy::Direction::downlink) {
            read_downlink();
        } else if (top_.has("contention")) {
            read_contention();
        } else {
            read_uplink();
        }
        if (faults_.empty() && generating()) check_length();
        if (!faults_.empty()) return tl::unexpected(faults_);
        return spec_;
    }

private:
    bool generating() const { return purpose_ == Purpose::generate; }
    void read_channel(const std::string& direction) {
        const bool uplink = direction == "uplink";
        spec_.direction = uplink ? phy::Direction::uplink : phy::Direction::downlink;
        spec_.bandwidth_hz = top_.integer("bandwidth_hz", kMinBandwidthHz, kMaxBandwidthHz);
        if (generating() || top_.has("cp")) {
            spec_.cp = phy::parse_cyclic_prefix(top_.choice("cp", {"1/4", "1/8", "1/16", "1/32"}));
        }
        // The low four bits seed the randomizer; the receiver of a downlink finds them in the frame prefix.
        const bool seeds = (generating() || uplink) && !(uplink && top_.has("contention"));  // codes have none
        for (const uint8_t octet : top_.hex("bsid", 6, seeds)) spec_.bsid = spec_.bsid << 8 | octet;
        spec_.lead_in_samples = top_.integer("lead_in_samples", 0, kMaxSilenceSamples, 0);
        spec_.tail_samples = top_.integer("tail_samples", 0, kMaxSilenceSamples, 0);
        if (generating()) read_shape();
        if (generating() && top_.has("antenna"))
            spec_.antenna = top_.integer("antenna", 0, 1) == 0 ? Antenna::first : Antenna::second;
        if (top_.has("start_sample")) spec_.start_sample = top_.integer("start_sample", 0, int64_t{1} << 50);
        read_diuc_rates();
    }

    void read_shape() {
        const int half_prefix = spec_.numerology().cp_samples() / 2;
        spec_.shape.window_samples = static_cast<int>(top_.integer("window_samples", 0, half_prefix, 0));
        spec_.shape.target_papr_db = top_.number("target_papr_db", phy::kMinTargetPaprDb, phy::kMaxTargetPaprDb);
    }

    void read_diuc_rates() {
        if (!top_.has("diuc_rates")) return;
        const json& rates = top_.at("diuc_rates");
        spec_.diuc_rates.fill(-1);
        bool good = rates.is_object();
        if (good) {
            for (const auto& item : rates.items()) {
                const std::string& key = item.key();
                const bool number = !key.empty() && key.size() <= 2 && key.find_first_not_of("0123456789") == key.npos;
                const int diuc = number ? std::stoi(key) : 0;
                const json& rate = item.value();
                good = good && diuc >= 1 && diuc <= 15 && rate.is_number_integer() && rate >= 0 && rate <= 6;
                if (good) spec_.diuc_rates[static_cast<size_t>(diuc)] = rate.get<int8_t>();
            }
        }
        if (!good) top_.fault("diuc_rates", "is not an object of DIUC \"1\" to \"15\" -> rate_id 0 to 6");
    }

    void read_downlink() {
        const bool bursts_needed = generating();
        if (top_.has("frames")) {
            spec_.several_frames = true;
            if (top_.has("bursts")) spec_.warnings.push_back(file_ + ": bursts: ignored, because frames is given");
            if (bursts_needed || top_.has("frame_duration_s")) read_frame_duration();
            const json* frames = top_.array("frames", 1, kMaxFrames);
            for (size_t i = 0; frames != nullptr && i < frames->size(); ++i) {
                const std::string where = "frames[" + std::to_string(i) + "].";
                SpecReader reader((*frames)[i], file_, where, faults_);
                reader.refuse_others(kFrameKeys);
                read_frame(reader, where);
            }
        } else if (bursts_needed || top_.has("bursts")) {
            read_frame(top_, "");
        }
    }

    void read_frame_duration() {
        const std::string allowed = "0.0025, 0.004, 0.005, 0.008, 0.01, 0.0125, 0.02 (seconds)";
        std::optional<uint8_t> code;
        if (top_.has("frame_duration_s") && top_.at("frame_duration_s").is_number()) {
            code = phy::frame_duration_code(top_.at("frame_duration_s").get<double>());
        }
        if (!code) top_.fault("frame_duration_s", "needed with frames; allowed: " + allowed);
        spec_.frame_duration_code = code.value_or(0);
    }

    void read_frame(SpecReader& reader, const std::string& where) {
        FrameSpec frame;
        const auto inherited = [this, &reader](const char* key, int64_t high) {
            SpecReader& source = !reader.has(key) && top_.has(key) ? top_ : reader;
            return source.integer(key, 0, high, generating() ? std::nullopt : std::optional<int64_t>(0));
        };
        frame.frame_number = phy::FrameNumber(inherited("frame_number", phy::FrameNumber::kLast));
        frame.change_count = static_cast<uint8_t>(inherited("change_count", 255));
        const json* bursts = reader.array("bursts", 1, kMaxBursts);
        for (size_t i = 0; bursts != nullptr && i < bursts->size(); ++i) {
            SpecReader burst((*bursts)[i], file_, where + "bursts[" + std::to_string(i) + "].", faults_);
            burst.refuse_others(kBurstKeys);
            frame.bursts.push_back(read_burst(burst, i, frame.frame_number));
        }
        if (generating() && reader.has("stc_bursts")) read_stc_zone(reader, where, frame);
        const int symbols = frame_symbols(frame);
        if (symbols > phy::kMaxFrameSymbols) {
            reader.fault("bursts", "the frame has " + std::to_string(symbols) + " symbols; allowed: up to " +
                                       std::to_string(phy::kMaxFrameSymbols));
        }
        spec_.frames.push_back(std::move(frame));
    }

    void read_stc_zone(SpecReader& reader, const std::string& where, FrameSpec& frame) {
        if (frame.bursts.size() >= phy::kPrefixEntries)
            reader.fault("stc_bursts", "the frame prefix has no entry left for the zone; allowed: up to 3 bursts");
        if (spec_.shape.window_samples != 0 || spec_.shape.target_papr_db)
            reader.fault("stc_bursts", "allowed only without window_samples and target_papr_db");
        const json* bursts = reader.array("stc_bursts", 1, phy::kPrefixEntries);
        for (size_t i = 0; bursts != nullptr && i < bursts->size(); ++i) {
            SpecReader burst((*bursts)[i], file_, where + "stc_bursts[" + std::to_string(i) + "].", faults_);
            burst.refuse_others(kStcBurstKeys);
            frame.stc_bursts.push_back(read_burst(burst, i, frame.frame_number, true));
        }
    }

    BurstSpec read_burst(SpecReader& reader, size_t index, phy::FrameNumber frame_number, bool stc = false) {
        BurstSpec burst;
        faults_before_ = faults_.count();
        phy::BurstFormat format;
        format.rate_id = static_cast<uint8_t>(reader.integer("rate_id", 0, phy::kRates - 1));
        if (index > 0) format.iuc = static_cast<uint8_t>(reader.integer("diuc", 1, kLastBurstDiuc));
        format.stc = stc;
        if (!stc && reader.boolean("preamble", false)) format.preamble = phy::Preamble::short_;
        if (index == 0 && format.preamble != phy::Preamble::none) {
            reader.fault("preamble", "burst #1 follows the FCH without preamble; allowed: 0");
        }
        format.data_symbols = static_cast<int>(reader.integer("data_symbols", 1, phy::kMaxFrameSymbols));
        if (stc && format.data_symbols % 2 != 0)
            reader.fault("data_symbols", "is odd; allowed in an STC zone: even numbers");
        burst.format = format;
        finish(reader, burst, frame_number);
        return burst;
    }

    void read_uplink() {
        FrameSpec frame;
        BurstSpec burst;
        faults_before_ = faults_.count();
        phy::BurstFormat format;
        frame.frame_number = phy::FrameNumber(top_.integer("frame_number", 0, phy::FrameNumber::kLast));
        format.iuc = static_cast<uint8_t>(top_.integer("uiuc", 0, 15));
        format.rate_id = static_cast<uint8_t>(top_.integer("rate_id", 0, phy::kRates - 1));
        format.data_symbols = static_cast<int>(top_.integer("data_symbols", 1, phy::kMaxUplinkAllocationSymbols));
        format.midamble_interval = static_cast<uint8_t>(top_.integer("midamble_interval", 0, 4, 0));
        format.subchannel_index = static_cast<uint8_t>(top_.integer("subchannel_index", 1, 31, phy::kFullSubchannel));
        format.preamble = top_.boolean("ranging", false) ? phy::Preamble::long_ : phy::Preamble::short_;
        if (format.total_symbols() > phy::kMaxUplinkAllocationSymbols) {
            top_.fault("data_symbols", "the burst has " + std::to_string(format.total_symbols()) +
                                           " symbols with preamble and midambles; allowed: up to " +
                                           std::to_string(phy::kMaxUplinkAllocationSymbols));
        }
        burst.format = format;
        finish(top_, burst, frame.frame_number);
        frame.bursts.push_back(std::move(burst));
        spec_.frames.push_back(std::move(frame));
    }

    void read_contention() {
        ContentionSpec region;
        region.opportunities = static_cast<int>(top_.integer("opportunities", 1, kMostOpportunities, 1));
        if (generating() && (spec_.shape.window_samples != 0 || spec_.shape.target_papr_db))
            top_.fault("contention", "allowed only without window_samples and target_papr_db");
        if (!generating() && !spec_.cp) top_.fault("cp", "needed with contention; allowed: 1/4, 1/8, 1/16, 1/32");
        if (!generating() && !spec_.start_sample)
            top_.fault("start_sample",
                       "needed with contention, because the start cannot be searched; allowed: 0 and above");
        const json* codes = top_.array("contention", generating() ? 1 : 0, kMostCodes);
        for (size_t i = 0; codes != nullptr && i < codes->size(); ++i) {
            SpecReader code((*codes)[i], file_, "contention[" + std::to_string(i) + "].", faults_);
            code.refuse_others(kContentionKeys);
            ContentionSpec::Sent sent;
            sent.opportunity = static_cast<int>(code.integer("opportunity", 0, region.opportunities - 1, 0));
            sent.what.channel = static_cast<uint8_t>(code.integer("channel", 0, phy::kContentionChannels - 1));
            sent.what.code = static_cast<uint8_t>(code.integer("code", 0, phy::kContentionCodes.size() - 1));
            sent.boost_db = static_cast<float>(code.number("boost_db", 0, phy::kMaxContentionBoostDb).value_or(0));
            region.codes.push_back(sent);
        }
        spec_.contention = std::move(region);
    }

    // Shared by uplink and downlink bursts: seeds, payload and its capacity.
    void finish(SpecReader& reader, BurstSpec& burst, phy::FrameNumber frame_number) {
        burst.format.seed(static_cast<uint8_t>(spec_.bsid & 15), frame_number.lsb());
        // A value out of range has its own fault already and was replaced.
        if (faults_.count() != faults_before_) return;
        if (!phy::valid_burst_format(burst.format)) {
            reader.fault("data_symbols",
                         "rate and subchannels leave no room for one payload byte; allowed: more symbols");
            return;
        }
        if (!generating()) return;
        burst.payload = reader.hex("payload", -1, true);
        const auto capacity = static_cast<size_t>(phy::burst_payload_bytes(burst.format));
        if (burst.payload.size() > capacity) {
            reader.fault("payload", std::to_string(burst.payload.size()) +
                                        " bytes; allowed: up to the burst's capacity of " + std::to_string(capacity));
        }
    }

    void check_length() {
        const phy::Numerology numerology = spec_.numerology();
        int64_t total = spec_.lead_in_samples + spec_.tail_samples;
        for (size_t i = 0; spec_.several_frames && i < spec_.frames.size(); ++i) {
            const int64_t frame_samples = numerology.frame_samples(spec_.frame_duration_code);
            const auto fit = (frame_samples - spec_.shape.window_samples) / numerology.symbol_samples();
            const int have = frame_symbols(spec_.frames[i]);
            total += frame_samples;
            if (have > fit) {
                top_.fault("frames[" + std::to_string(i) + "].bursts",
                           "the subframe has " + std::to_string(have) +
                               " symbols; allowed in one frame duration: up to " + std::to_string(fit));
            }
        }
        if (total > kMaxSignalSamples) {
            top_.fault(spec_.several_frames ? "frames" : "lead_in_samples", "the signal has " + std::to_string(total) +
                                                                                " samples; allowed: up to " +
                                                                                std::to_string(kMaxSignalSamples));
        }
    }

    const json& root_;
    std::string file_;
    Purpose purpose_;
    Faults faults_;
    size_t faults_before_ = 0;  ///< this burst
    SpecReader top_;
    Spec spec_;
};

}  // namespace

phy::FrameComposer compose(const FrameSpec& frame, uint64_t bsid) {
    phy::FrameComposer composed;
    composed.begin(
        {static_cast<uint8_t>(bsid & 15), frame.frame_number.lsb(), static_cast<uint8_t>(frame.change_count & 15)});
    for (const auto& burst : frame.bursts) composed.append(burst.format, burst.payload);
    for (const auto& burst : frame.stc_bursts) composed.append(burst.format, burst.payload);
    return composed;
}

int frame_symbols(const FrameSpec& frame) { return compose(frame, 0).end_symbol(); }

std::optional<std::string> read_text(const std::string& path) {
    std::ostringstream text;
    if (path == "-") {
        text << std::cin.rdbuf();
        return text.str();
    }
    auto whole = read_regular(path, kMaxTextBytes);
    return whole ? std::optional(std::move(*whole)) : std::nullopt;
}

tl::expected<json, Faults> parse_document(const std::string& text, const std::string& file) {
    const auto refused = [&file](const std::string& value) {
        return tl::unexpected(Faults(Fault{"", value, "a JSON object, {\"direction\": ...}", file}));
    };
    json root;
    try {
        root = json::parse(text);
    } catch (const json::exception& error) {
        const auto* where = dynamic_cast<const json::parse_error*>(&error);
        return refused("not JSON at byte " + std::to_string(where == nullptr ? 0 : where->byte));
    }
    if (!root.is_object()) return refused("no object");
    return root;
}

std::string document_name(const std::string& path) { return path == "-" ? "standard input" : path; }

tl::expected<json, Faults> load_document(const std::string& path) {
    if (path == "-") return parse_document(*read_text(path), document_name(path));
    const auto text = read_regular(path, kMaxTextBytes);
    if (!text) return tl::unexpected(Faults(Fault{"--spec", "", text.error().allowed, path}));
    return parse_document(*text, path);
}

tl::expected<Spec, Faults> read_spec(const json& root, const std::string& file, Purpose purpose) {
    return Parser(root, file, purpose).run();
}

tl::expected<Spec, Faults> parse_spec(const std::string& text, const std::string& file, Purpose purpose) {
    return parse_document(text, file).and_then([&](const json& root) { return read_spec(root, file, purpose); });
}

tl::expected<Spec, Faults> load_spec(const std::string& path, Purpose purpose) {
    return load_document(path).and_then(
        [&](const json& root) { return read_spec(root, document_name(path), purpose); });
}

}  // namespace wimax::iq
