// SPDX-License-Identifier: GPL-3.0-or-later
#include "channel/channel_profile.h"
#include "phy/base/decibels.h"

#include <yaml-cpp/yaml.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace wimax::channel {
namespace {

constexpr size_t kMaxTapFileBytes = 64 * 1024;

struct TapRow {
    double delay_us, power_db, k_factor, doppler_hz;
};

// V. Erceg et al., "Channel Models for Fixed Wireless Applications", IEEE 802.16.3c-01/29r4 (2001), the modified SUI
// models: omnidirectional subscriber antenna, K factors of 90 % coverage, the highest Doppler shift of each tap.
// All figures agree with the tables of Y. S. Cho et al., "MIMO-OFDM Wireless Communications with MATLAB" (Wiley 2010).
// (The listing in the document's appendix has older delays of SUI-3: 0, 0.5 and 1 us.)
constexpr std::array<std::array<TapRow, 3>, 6> kSui{{
    {{{0, 0, 4, 0.4}, {0.4, -15, 0, 0.3}, {0.9, -20, 0, 0.5}}},
    {{{0, 0, 2, 0.2}, {0.4, -12, 0, 0.15}, {1.1, -15, 0, 0.25}}},
    {{{0, 0, 1, 0.4}, {0.4, -5, 0, 0.3}, {0.9, -10, 0, 0.5}}},
    {{{0, 0, 0, 0.2}, {1.5, -4, 0, 0.15}, {4.0, -8, 0, 0.25}}},
    {{{0, 0, 0, 2}, {4, -5, 0, 1.5}, {10, -10, 0, 2.5}}},
    {{{0, 0, 0, 0.4}, {14, -10, 0, 0.3}, {20, -14, 0, 0.5}}},
}};

constexpr double kPedestrianHz = doppler_at_3500_mhz(3.0), kVehicularHz = doppler_at_3500_mhz(60.0);

// Recommendation ITU-R M.1225 (1997), annex 2, tapped delay lines of the test environments "outdoor to indoor and
// pedestrian" and "vehicular, high antenna", channels A and B. All figures agree with other publications of it.
const std::vector<TapRow> kPedestrianA{{0, 0, 0, kPedestrianHz},
                                       {0.11, -9.7, 0, kPedestrianHz},
                                       {0.19, -19.2, 0, kPedestrianHz},
                                       {0.41, -22.8, 0, kPedestrianHz}};
const std::vector<TapRow> kPedestrianB{{0, 0, 0, kPedestrianHz},      {0.2, -0.9, 0, kPedestrianHz},
                                       {0.8, -4.9, 0, kPedestrianHz}, {1.2, -8.0, 0, kPedestrianHz},
                                       {2.3, -7.8, 0, kPedestrianHz}, {3.7, -23.9, 0, kPedestrianHz}};
const std::vector<TapRow> kVehicularA{{0, 0, 0, kVehicularHz},        {0.31, -1.0, 0, kVehicularHz},
                                      {0.71, -9.0, 0, kVehicularHz},  {1.09, -10.0, 0, kVehicularHz},
                                      {1.73, -15.0, 0, kVehicularHz}, {2.51, -20.0, 0, kVehicularHz}};
const std::vector<TapRow> kVehicularB{{0, -2.5, 0, kVehicularHz},     {0.3, 0, 0, kVehicularHz},
                                      {8.9, -12.8, 0, kVehicularHz},  {12.9, -10.0, 0, kVehicularHz},
                                      {17.1, -25.2, 0, kVehicularHz}, {20.0, -16.0, 0, kVehicularHz}};

void normalise(ChannelProfile& profile) {
    double sum = 0.0;
    for (const auto& tap : profile.taps) sum += tap.power;
    for (auto& tap : profile.taps) tap.power /= sum;
}

template <class Rows> ChannelProfile from_rows(std::string name, const Rows& rows, DopplerSpectrum spectrum) {
    ChannelProfile profile;
    profile.name = std::move(name);
    profile.taps.clear();
    for (const TapRow& row : rows) {
        profile.taps.push_back(
            {row.delay_us * 1e-6, phy::power_of_db(row.power_db), row.k_factor, row.doppler_hz, spectrum});
    }
    normalise(profile);
    return profile;
}

std::string join_names() {
    std::string all;
    for (const auto& name : profile_names()) all += (all.empty() ? "" : ", ") + name;
    return all;
}

/// One key of a tap: its name, limits, and destination.
struct TapKey {
    const char* name;
    double low, high;
    bool needed;
    void (*put)(Tap&, double);
};
constexpr TapKey kTapKeys[] = {
    {"delay_us", 0.0, kMaxTapDelayS * 1e6, true, [](Tap& tap, double us) { tap.delay_s = us * 1e-6; }},
    {"power_db", -100.0, 100.0, true, [](Tap& tap, double db) { tap.power = phy::power_of_db(db); }},
    {"k_factor", 0.0, 1e6, false, [](Tap& tap, double k) { tap.k_factor = k; }},
    {"doppler_hz", 0.0, kMaxDopplerHz, false, [](Tap& tap, double hz) { tap.doppler_hz = hz; }},
};
constexpr std::pair<const char*, DopplerSpectrum> kSpectra[] = {
    {"rounded", DopplerSpectrum::rounded}, {"jakes", DopplerSpectrum::jakes}, {"constant", DopplerSpectrum::constant}};
constexpr const char* kAllKeys = "delay_us, power_db, k_factor, doppler_hz, spectrum";

phy::Outcome read_number(const YAML::Node& node, const TapKey& key, Tap& tap) {
    const YAML::Node at = node[key.name];
    if (!at && !key.needed) return {};
    double read = NAN;
    try {
        if (at) read = at.as<double>();
    } catch (const YAML::Exception&) {  // not a number: reported as out of range
    }
    if (!(read >= key.low && read <= key.high))
        return tl::unexpected(phy::Fault{key.name, at ? at.as<std::string>("(no number)") : "(missing)",
                                         std::to_string(key.low) + ".." + std::to_string(key.high), "",
                                         at ? at.Mark().line + 1 : 0});
    key.put(tap, read);
    return {};
}

phy::Outcome read_tap(const YAML::Node& node, Tap& tap) {
    if (!node.IsMap()) return tl::unexpected(phy::Fault{"", "(no map)", std::string("a map of ") + kAllKeys});
    for (const auto& item : node) {
        const auto key = item.first.as<std::string>("");
        const auto known = [&](const TapKey& each) { return key == each.name; };
        if (key != "spectrum" && std::ranges::none_of(kTapKeys, known))
            return tl::unexpected(phy::Fault{"key", key, kAllKeys});
    }
    for (const auto& key : kTapKeys)
        if (const auto done = read_number(node, key, tap); !done) return done;
    const auto name = node["spectrum"].as<std::string>("rounded");
    const auto named = std::ranges::find_if(kSpectra, [&](const auto& each) { return name == each.first; });
    if (named == std::end(kSpectra)) return tl::unexpected(phy::Fault{"spectrum", name, "rounded, jakes, constant"});
    tap.spectrum = named->second;
    return {};
}

/// A regular file of limited length: a pipe may never end, nor even open.
std::optional<std::string> read_regular_file(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return std::nullopt;
    struct stat about {};
    std::string text(kMaxTapFileBytes + 1, '\0');
    ssize_t n = -1;
    if (::fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) n = ::read(fd, text.data(), text.size());
    ::close(fd);
    if (n < 0 || static_cast<size_t>(n) > kMaxTapFileBytes) return std::nullopt;
    text.resize(static_cast<size_t>(n));
    return text;
}

tl::expected<ChannelProfile, phy::Fault> read_tap_file(const std::string& path) {
    const auto fault = [&path](std::string key, std::string value, std::string allowed, int line = 0) {
        return tl::unexpected(phy::Fault{std::move(key), std::move(value), std::move(allowed), path, line});
    };
    const auto text = read_regular_file(path);
    if (!text)
        return fault("channel", "'" + path + "'",
                     join_names() + ", or a tap file: a regular file of at most " + std::to_string(kMaxTapFileBytes) +
                         " octets that can be read");
    YAML::Node root;
    try {
        root = YAML::Load(*text);
    } catch (const YAML::Exception& error) {
        return fault("", "", "not YAML: " + error.msg, error.mark.line + 1);
    }
    const YAML::Node taps = root.IsMap() ? root["taps"] : YAML::Node();
    if (!taps || !taps.IsSequence() || taps.size() == 0 || taps.size() > kMaxTaps)
        return fault("taps", "", "a list of 1 to " + std::to_string(kMaxTaps) + " taps with delay_us and power_db");
    ChannelProfile profile;
    profile.name = path;
    profile.taps.clear();
    for (const auto& node : taps) {
        Tap tap;
        if (auto read = read_tap(node, tap); !read) {
            const auto& [key, value, allowed, file, line] = read.error();
            const std::string of_tap = "taps[" + std::to_string(profile.taps.size()) + "]";
            return fault(key.empty() ? of_tap : of_tap + "." + key, value, allowed, line);
        }
        profile.taps.push_back(tap);
    }
    normalise(profile);
    return profile;
}

}  // namespace

double ChannelProfile::spread_s() const {
    double latest = 0.0;
    for (const auto& tap : taps) latest = std::max(latest, tap.delay_s);
    return latest;
}

double ChannelProfile::max_doppler_hz() const {
    double largest = 0.0;
    for (const auto& tap : taps) {
        if (tap.spectrum != DopplerSpectrum::constant) largest = std::max(largest, tap.doppler_hz);
    }
    return largest;
}

bool ChannelProfile::constant() const { return taps.size() == 1 && taps[0].spectrum == DopplerSpectrum::constant; }

const std::vector<std::string>& profile_names() {
    static const std::vector<std::string> names{"awgn",         "sui1",        "sui2",       "sui3",
                                                "sui4",         "sui5",        "sui6",       "pedestrian-a",
                                                "pedestrian-b", "vehicular-a", "vehicular-b"};
    return names;
}

std::optional<ChannelProfile> named_profile(std::string_view name) {
    if (name == "awgn") return ChannelProfile{};
    if (name.size() == 4 && name.starts_with("sui") && name[3] >= '1' && name[3] <= '6') {
        return from_rows(std::string(name), kSui[static_cast<size_t>(name[3] - '1')], DopplerSpectrum::rounded);
    }
    if (name == "pedestrian-a") return from_rows(std::string(name), kPedestrianA, DopplerSpectrum::jakes);
    if (name == "pedestrian-b") return from_rows(std::string(name), kPedestrianB, DopplerSpectrum::jakes);
    if (name == "vehicular-a") return from_rows(std::string(name), kVehicularA, DopplerSpectrum::jakes);
    if (name == "vehicular-b") return from_rows(std::string(name), kVehicularB, DopplerSpectrum::jakes);
    return std::nullopt;
}

tl::expected<ChannelProfile, phy::Fault> load_profile(const std::string& name_or_path,
                                                      std::optional<double> doppler_hz) {
    if (doppler_hz && !(*doppler_hz >= 0.0 && *doppler_hz <= kMaxDopplerHz))
        return tl::unexpected(
            phy::out_of_range("doppler_hz", std::to_string(*doppler_hz), "0", std::to_string(kMaxDopplerHz)));
    const auto named = named_profile(name_or_path);
    auto profile = named ? tl::expected<ChannelProfile, phy::Fault>(*named) : read_tap_file(name_or_path);
    if (profile && doppler_hz)
        for (auto& tap : profile->taps) tap.doppler_hz = *doppler_hz;
    return profile;
}

}  // namespace wimax::channel
