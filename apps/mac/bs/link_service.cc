// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/link_service.h"

#include <algorithm>
#include <utility>

namespace wimax::mac {
namespace {

// Received between two ticks, answered in the next frame, in force in the one after that.
constexpr int64_t kFramesToRise = 2;

float power_of_code(uint8_t code) { return static_cast<float>(code) / 2 - 64; }
float cinr_of_code(uint8_t code) { return static_cast<float>(code) - 10; }

}  // namespace

LinkService::LinkService(const LinkAdaptationConfig& config, const StcConfig& stc, const Dependencies& dependencies)
    : config_(config),
      stc_(stc),
      air_(dependencies.air),
      frame_samples_(air_.timing().frame_samples),
      clock_(dependencies.clock),
      stations_(dependencies.stations),
      descriptors_(dependencies.air.descriptors()) {}

void LinkService::begin_frame() {
    for (Subscriber* station : stations_.awake()) {
        station->dl_rate.begin_frame(clock_.now);
        if (station->entry.operational() && clock_.now >= next_report(*station) && station->management.empty())
            ask_for_report(*station);
    }
}

Samples LinkService::next_report(const Subscriber& station) const {
    const bool adapts = station.dl_rate.adapts() || station.uplink.rate.adapts() || station.uplink.width.adapts() ||
                        (stc_.enable && station.link.knows_stc);
    return adapts && config_.report_ms > 0 ? station.link.report_at : INT64_MAX;
}

void LinkService::ask_for_report(Subscriber& station) {
    namespace bit = tlv::report_request;
    station.link.report_at = clock_.now + clock_.from_ms(config_.report_ms);
    const unsigned alpha = averaging_code(config_, frame_samples_, clock_.sample_rate_hz);
    RepReq ask;
    ask.request.emplace().type =
        static_cast<uint8_t>(bit::cinr | bit::rssi | bit::current_power | alpha << bit::kAveragingShift);
    station.management.push(station.basic_cid, ask);
    if (std::exchange(station.link.lowered_unproven, false)) tell(station);
}

/// Sends the profile in use, or the one that follows.
void LinkService::tell(Subscriber& station) {
    DbpcRsp answer;
    answer.diuc = descriptors_.diuc_of(station.dl_rate.announced());
    answer.change_count = descriptors_.dcd_count();
    station.management.push(station.basic_cid, answer);
}

void LinkService::change(Subscriber& station, ProfileId asked, bool may_rise) {
    station.dl_rate.change(asked, may_rise, clock_.now + kFramesToRise * frame_samples_);
}

void LinkService::limit(Subscriber& station, const RateLimits& limits) {
    station.uplink.rate.set_limits(limits.ul_lowest, limits.ul_highest);
    if (station.dl_rate.set_limits(limits.dl_lowest, limits.dl_highest)) return;
    change(station, station.dl_rate.announced(), true);
    tell(station);
}

void LinkService::on_profile_request(Subscriber& station, const DbpcReq& request) {
    const auto asked = descriptors_.profile_of_diuc(request.diuc);
    if (asked && request.change_count == descriptors_.dcd_count()) change(station, *asked, true);
    tell(station);
}

bool LinkService::lower(Subscriber& station, const RngReq& request) {
    const auto& asked = request.requested_profile;
    if (!station.dl_rate.adapts() || !asked || asked->dcd_count_lsb4 != (descriptors_.dcd_count() & 15) ||
        asked->diuc > descriptors_.diuc_of(station.dl_rate.profile()))
        return false;
    if (const auto profile = descriptors_.profile_of_diuc(asked->diuc)) change(station, *profile, false);
    station.link.lowered_unproven = true;
    return true;
}

void LinkService::on_ranging_request(Subscriber& station, const RngReq& request, bool proven) {
    if (!request.requested_profile) return;
    const auto& [count, diuc] = *request.requested_profile;
    if (count != (descriptors_.dcd_count() & 15)) return;
    const auto asked = descriptors_.profile_of_diuc(diuc);
    if (asked) change(station, *asked, proven || !station.established());
    if (!station.established()) station.dl_rate.use_announced();
}

void LinkService::on_capabilities(Subscriber& station, const SbcReq& request) {
    // The power of the densest modulation is the least, and the rate may become that one.
    if (request.maximum_power) station.link.power.maximum(power_of_code(request.maximum_power->back()));
    if (request.current_transmit_power) station.link.power.reported(power_of_code(*request.current_transmit_power));
    station.link.knows_stc = air_.means(request).zones;
    choose_zone(station);
}

/// Decides by the link's fading, or as the station was provisioned.
void LinkService::choose_zone(Subscriber& station) const {
    LinkState& link = station.link;
    bool zone = station.config.dl_stc.value_or(false);
    if (!station.config.dl_stc && stc_.enable && link.variation.known())
        zone = link.variation.ratio() > (link.in_zone ? stc_.leave_variation : stc_.enter_variation);
    zone = zone && link.knows_stc;
    link.zone_changes += zone != link.in_zone ? 1 : 0;
    link.in_zone = zone;
}

void LinkService::on_report(Subscriber& station, const RepRsp& report) {
    if (report.current_transmit_power) station.link.power.reported(power_of_code(*report.current_transmit_power));
    if (!report.report || !report.report->cinr) return;
    const auto [mean, deviation] = *report.report->cinr;
    station.link.dl_cinr_db = cinr_of_code(mean);
    station.link.variation.add(*station.link.dl_cinr_db, static_cast<float>(deviation));
    choose_zone(station);
}

}  // namespace wimax::mac
