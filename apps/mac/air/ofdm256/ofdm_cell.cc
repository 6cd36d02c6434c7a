// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/air/ofdm256/ofdm_cell.h"

#include "mac/air/air_factory.h"
#include "mac/air/ofdm256/burst_tap.h"
#include "mac/air/ofdm256/contention_scale.h"
#include "mac/air/ofdm256/downlink_view.h"
#include "mac/air/ofdm256/midamble_choice.h"
#include "mac/air/ofdm256/opportunities.h"
#include "mac/air/ofdm256/symbol_grid.h"
#include "mac/capabilities.h"
#include "mac/config_check.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace wimax::mac {
namespace {

/// UL-MAP with request and ranging region, one grant and the end.
constexpr size_t kSmallUlMapOctets = 17 + 6 * 4;
/// Symbols of each subframe for management messages and the grants that they request.
constexpr double kManagementSymbols = 2;
/// Least symbols of a grant without a reservation while others wait; limits the number of map elements.
constexpr double kSymbolsOfOtherGrants = 9;
constexpr size_t kRegions = 3;  // map elements other than grants: request, ranging, end
constexpr double kRoundingSymbols = 1e-6;

/// A cell whose descriptors never fit would transmit, but no station could enter.
void check_broadcast(Check& check, const BaseStationConfig& config, const FrameLayout& layout) {
    if (!kSymbolGrid.profiles().has(config.profile.broadcast_profile())) return;
    const size_t room = kSymbolGrid.octets_in({config.profile.broadcast_profile()}, layout.max_broadcast_symbols);
    const size_t needed = kSmallUlMapOctets + Broadcasts(config, layout).most_octets();
    if (needed > room)
        check.add("profile.broadcast_rate_id", std::to_string(config.profile.broadcast_rate_id),
                  "a higher one, a longer frame or another profile: burst #1 holds " + std::to_string(room) +
                      " octets, maps and descriptors of a frame need " + std::to_string(needed));
}

/// Both regions must fit in a frame that has both; a frame without a ranging region must have room for a burst.
void check_regions(Check& check, const BaseStationConfig& config, const FrameLayout& layout) {
    constexpr uint32_t kShortestBurst = 3;
    const uint32_t requests = config.profile.request_symbols;
    const uint32_t regions = requests + std::max(config.profile.ranging_symbols, kShortestBurst);
    if (regions > layout.uplink.symbols)
        check.add("profile.request_symbols", std::to_string(config.profile.request_symbols),
                  "fewer: request and ranging regions have " + std::to_string(regions) + " symbols, the uplink " +
                      std::to_string(layout.uplink.symbols));
    const uint32_t codes = kFocusedOpportunitySymbols * config.profile.focused_opportunities;
    const auto fewest = static_cast<uint8_t>(config.subchannelization.fewest);
    if (config.profile.focused_subchannel_codes == 0 || !is_width(fewest)) return;
    if (const uint32_t needed = codes + request_symbols(fewest); needed > layout.uplink.symbols)
        check.add("profile.focused_subchannel_codes", std::to_string(config.profile.focused_subchannel_codes),
                  "0, or more subchannelization.fewest: opportunities and a response have " + std::to_string(needed) +
                      " symbols, the uplink " + std::to_string(layout.uplink.symbols));
}

Faults check_cell(const BaseStationConfig& config) {
    const auto layout = FrameLayout::make(config);
    if (!layout) return layout.error();
    Faults faults;
    Check check(faults);
    check_broadcast(check, config, *layout);
    check_regions(check, config, *layout);
    return faults;
}

std::unique_ptr<BaseStationAir> make_cell(const BaseStationConfig& config) {
    return std::make_unique<OfdmCell>(config);
}
std::unique_ptr<SubscriberAir> make_subscriber(std::optional<uint64_t> bsid, Edition edition, const FrameClock& clock) {
    return std::make_unique<DownlinkView>(bsid, edition, clock);
}

FrameLayout layout_of(const BaseStationConfig& config) {
    const auto layout = FrameLayout::make(config);
    assert(layout && "validate() first");
    return layout.value_or(FrameLayout{});
}

}  // namespace

const AirFactory kOfdm256{kSymbolGrid, check_cell, cell_values, make_cell, make_subscriber};

OfdmFrames::OfdmFrames(const BaseStationConfig& config, const FrameLayout& layout, Broadcasts& broadcasts,
                       const BaseStationAir::Users& users)
    : config_(config),
      layout_(layout),
      clock_(users.clock),
      places_(layout.uplink.symbols, layout.sample_rate_hz(), layout.frame_samples(), layout.regions_from()),
      plan_({config.profile.ranging_symbols, config.edition}, layout, clock_, places_),
      focused_(config, {plan_}),
      planner_(config, layout, {clock_, users.uplink, broadcasts, places_, plan_, focused_, users.schedulers}),
      broadcast_(config, layout, {clock_, broadcasts, plan_, users.downlink, dl_symbols_}),
      frame_(config, layout, {clock_, broadcasts, plan_, dl_symbols_, broadcast_}) {}

void OfdmFrames::expect(sap::RxExpect& expect) const {
    if (const auto* expected = plan_.expected(clock_.frame)) expect.allocations = *expected;
    const auto slots = plan_.contention_slots(clock_.frame);
    expect.contention_slots.assign(slots.begin(), slots.end());
}

void OfdmFrames::report(AirCellFigures& s, uint32_t registered) const {
    s.layout = layout_.figures();
    s.sample_rate_hz = layout_.sample_rate_hz();
    s.downlink = downlink_capacity(config_, layout_, config_.dl_profile(), 1);
    s.uplink = uplink_capacity(config_, layout_, config_.ul_profile(), 1);
    s.uplink_shared = uplink_capacity(config_, layout_, config_.ul_profile(), std::max(1U, registered));
    s.broadcast = broadcast_.counters();
    s.ul_map_full = planner_.maps_full();
    s.ul_maps_failed = plan_.withdrawn();
    s.dl_symbols = dl_symbols_;
    s.ul_symbols = plan_.symbols();
    s.scale = planner_.scale();
    s.focused = focused_.counters();
}

OfdmCell::OfdmCell(const BaseStationConfig& config)
    : config_(config), layout_(layout_of(config)), timing_(layout_.timing()), broadcasts_(config, layout_) {}

const ResourceGrid& OfdmCell::grid() const { return kSymbolGrid; }

void OfdmCell::answer(const SbcReq& request, SbcRsp& response) const {
    response.fft_sizes = capability::common(request.fft_sizes, capability::kFft256);
    response.demodulator = capability::common(request.demodulator, capability::kDemodulator);
    response.modulator = capability::common(request.modulator, capability::kModulator);
}

StationMeans OfdmCell::means(const SbcReq& request) const {
    const uint8_t modulator = request.modulator.value_or(0), demodulator = request.demodulator.value_or(0);
    return {(modulator & capability::kModulatorSubchannels) != 0,
            (modulator & capability::kModulatorFocusedContention) != 0,
            (demodulator & capability::kDemodulatorStc) != 0};
}

std::unique_ptr<GrantTraining> OfdmCell::make_training() const {
    return config_.midambles.enable ? std::make_unique<MidambleChoice>(true) : nullptr;
}

FrameRoom OfdmCell::room(const FrameLoad& load) const {
    const auto& profile = config_.profile;
    const ContentionScale scale = contention_scale(config_, layout_, load.registered);
    FrameRoom room;
    const double regions = scale.request_symbols + kFocusedOpportunitySymbols * profile.focused_opportunities;
    const double t27_frames = std::max(1.0, scale.t27_idle_ms * 1e-3 / layout_.frame_seconds());
    const double uplink = layout_.uplink.symbols - regions - kManagementSymbols;
    room.uplink = uplink - profile.ranging_symbols / ranging_period_frames(profile, layout_) -
                  load.registered * kPollSymbols / t27_frames;
    room.uplink_bounded = uplink - profile.ranging_symbols - kEarlySymbols;

    const double others = std::min<double>(load.registered, layout_.uplink.symbols / kSymbolsOfOtherGrants);
    const ProfileId maps = profile.broadcast_profile();
    const auto descriptors = static_cast<double>(broadcasts_.most_octets());
    // A burst of each profile has a last symbol that is not full.
    const double downlink = layout_.downlink.symbols - kFirstBurstSymbol - kManagementSymbols - load.downlink_profiles;
    const auto broadcast = [&](double octets) {
        return std::ceil((octets + 1) / kSymbolGrid.octets_per_unit(maps) - kRoundingSymbols);
    };
    const double elements = load.grants_bounded + kRegions;
    room.map_octets = static_cast<double>(kUlMapOctets) + elements * static_cast<double>(kUlMapElementOctets);
    room.downlink = downlink - broadcast(broadcast_octets(profile, layout_, load.grants + others));
    room.downlink_bounded =
        downlink - broadcast(room.map_octets + others * static_cast<double>(kUlMapElementOctets) + descriptors);
    room.map_room = std::min<double>(
        static_cast<double>(kMaxPduOctets),
        static_cast<double>(kSymbolGrid.octets_in({maps}, layout_.max_broadcast_symbols)) - descriptors);
    return room;
}

/// The earlier group has grants until the regions begin and hears what follows the regions; the later group hears what
/// precedes the regions and has grants after them.
GroupRoom OfdmCell::group_room(const FrameLoad& load, const StationTurn& station) const {
    const auto& profile = config_.profile;
    const ContentionScale scale = contention_scale(config_, layout_, load.registered);
    const double polls =
        load.registered * kPollSymbols / std::max(1.0, scale.t27_idle_ms * 1e-3 / layout_.frame_seconds());
    const uint32_t requests = scale.request_symbols + kFocusedOpportunitySymbols * profile.focused_opportunities;
    const uint32_t regions = requests + profile.ranging_symbols + kEarlySymbols;
    const auto window = layout_.duplex->window(phy::Direction::uplink, station);
    const double symbol = phy::samples_in_slots(layout_.symbol_slots);
    const auto first = static_cast<double>(layout_.uplink.first.samples());
    GroupRoom room;
    const double part = window.to - std::min(window.to, window.from);
    const double longer = layout_.max_broadcast_symbols - layout_.short_broadcast_symbols;
    room.uplink_bounded = part - (station.late ? regions : longer) - kManagementSymbols;
    room.uplink = room.uplink_bounded - polls;
    const double after = std::ceil(
        (first + static_cast<double>(station.deaf_after(layout_.sample_rate_hz()))) / symbol + window.to + regions);
    const double until =
        std::floor((first - static_cast<double>(station.deaf_before(layout_.sample_rate_hz()))) / symbol + window.from);
    const double maps = kFirstBurstSymbol + layout_.max_broadcast_symbols;
    room.downlink =
        (station.late ? until - maps : layout_.downlink.symbols - after) - kManagementSymbols - load.downlink_profiles;
    room.downlink_bounded = room.downlink;
    StationTurn listening = station;
    listening.listens = layout_.uplink.symbols;
    room.for_both = window.to - layout_.duplex->window(phy::Direction::uplink, listening).to;
    return room;
}

void OfdmCell::configure(sap::ConfigRequest& request) const {
    request.phy = sap::AirInterface::ofdm256;
    request.bandwidth_hz = config_.bandwidth_hz;
    request.cp_denominator = config_.cp_denominator;
    request.frame_duration_code = config_.frame_duration_code;
}

std::unique_ptr<AirFrames> OfdmCell::make_frames(const Users& users) {
    return std::make_unique<OfdmFrames>(config_, layout_, broadcasts_, users);
}

void OfdmCell::tap_sent(PduTap& tap, const FrameClock& clock, std::span<const sap::TxBurst> bursts) const {
    mac::tap_sent(tap, {clock.frame, clock.now, true}, 0, bursts);
}

void OfdmCell::tap_received(PduTap& tap, const FrameClock& clock, const sap::RxBurst& burst) const {
    const Samples start = start_of(burst.frame_number, clock, timing_.frame_samples);
    mac::tap_received(tap, {burst.frame_number, start, false}, burst);
}

}  // namespace wimax::mac
