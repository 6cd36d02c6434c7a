// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of both stations as JSON: every key, and under each the figure that belongs there, no two alike. Programs
// that people have written read these keys.
#include "common/json_object.h"
#include "mac/bs/base_station_figures.h"
#include "mac/ss/subscriber_figures.h"
#include "mac/test_link.h"

#include <gtest/gtest.h>

namespace wimax::mac::test {
namespace test_figures {

TransmitterStatus a_transmitter() {
    TransmitterStatus s;
    s.counters = {.sdus = 301,
                  .sdu_octets = 302,
                  .pdus = 303,
                  .fragments = 304,
                  .packed = 305,
                  .dropped_no_room = 312,
                  .dropped_contention = 313,
                  .refused_length = 317,
                  .dropped_arq = 316};
    s.queue = {
        .queued = 399, .dropped_full = 309, .dropped_codel = 310, .dropped_pool = 311, .marked = 315, .refused = 314};
    s.backlog_octets = 306;
    s.backlog_packets = 307;
    s.dropped = 308;
    return s;
}
const Json kTransmitter = {{"sdus", 301},
                           {"bytes", 302},
                           {"pdus", 303},
                           {"fragments", 304},
                           {"packed", 305},
                           {"backlog_bytes", 306},
                           {"backlog_packets", 307},
                           {"dropped", 308},
                           {"dropped_full", 309},
                           {"dropped_codel", 310},
                           {"marked", 315},
                           {"dropped_pool", 311},
                           {"dropped_no_room", 312},
                           {"refused_length", 317},
                           {"dropped_contention", 313},
                           {"dropped_arq", 316},
                           {"refused", 314}};
constexpr ReassemblerCounters kReceived{.sdus = 321, .sdu_octets = 322, .dropped = 323, .malformed = 324};

Json with(Json all, const Json& more) {
    all.update(more);
    return all;
}

TEST(Figures, OfAFlow) {
    FlowStatus sent, received;
    sent.sfid = 331;
    sent.cid = 332;
    sent.said = 336;
    sent.name = "voice";
    sent.direction = FlowDirection::uplink;
    sent.scheduling = SchedulingType::ugs;
    sent.state = FlowState::admitted;
    sent.qos = {5, 341, 349, 342, 343, 348};
    sent.classifiers = 344;
    sent.transmitter = a_transmitter();
    sent.recorded_octets = 333;
    EXPECT_EQ(to_json_object(sent), with(kTransmitter, {{"sfid", 331},
                                                        {"cid", 332},
                                                        {"said", 336},
                                                        {"name", "voice"},
                                                        {"direction", "uplink"},
                                                        {"scheduling", "UGS"},
                                                        {"state", "admitted"},
                                                        {"traffic_priority", 5},
                                                        {"max_sustained_rate_bps", 341},
                                                        {"min_reserved_rate_bps", 342},
                                                        {"max_latency_ms", 343},
                                                        {"classifiers", 344},
                                                        {"recorded_bytes", 333}}));
    received.active = true;
    received.held = true;
    received.refusal = "none";
    received.received = kReceived;
    received.requested_octets = 334;
    FlowStatus with_arq;
    with_arq.arq = ArqStatus{ArqSenderCounters{.blocks = 341,
                                               .repeats = 342,
                                               .timeouts = 343,
                                               .discarded_sdus = 344,
                                               .reset_sdus = 345,
                                               .bad_feedback = 346},
                             {},
                             347,
                             348};
    Json keys = to_json_object(with_arq);
    EXPECT_EQ(keys["arq_blocks"], 341);
    EXPECT_EQ(keys["arq_repeats"], 342);
    EXPECT_EQ(keys["arq_timeouts"], 343);
    EXPECT_EQ(keys["arq_discarded"], 344);
    EXPECT_EQ(keys["arq_bad_feedback"], 346);
    EXPECT_EQ(keys["arq_blocks_in_flight"], 347);
    EXPECT_EQ(keys["arq_resets"], 348);
    with_arq.arq = ArqStatus{{}, ArqReceiverCounters{.blocks = 351, .repeated = 352, .outside = 353, .given_up = 354}};
    keys = to_json_object(with_arq);
    EXPECT_EQ(keys["arq_blocks"], 351);
    EXPECT_EQ(keys["arq_repeated"], 352);
    EXPECT_EQ(keys["arq_outside"], 353);
    EXPECT_EQ(keys["arq_given_up"], 354);
    received.dropped_rate = 335;
    EXPECT_EQ(to_json_object(received), (Json{{"sfid", 0},
                                              {"cid", 0},
                                              {"name", ""},
                                              {"direction", "downlink"},
                                              {"scheduling", "BE"},
                                              {"state", "active"},
                                              {"traffic_priority", 0},
                                              {"max_sustained_rate_bps", 0},
                                              {"min_reserved_rate_bps", 0},
                                              {"max_latency_ms", 0},
                                              {"classifiers", 0},
                                              {"active", true},
                                              {"held", true},
                                              {"refusal", "none"},
                                              {"sdus", 321},
                                              {"bytes", 322},
                                              {"dropped", 323},
                                              {"malformed", 324},
                                              {"dropped_rate", 335},
                                              {"requested_bytes", 334}}));
}

TEST(Figures, OfAStationAtTheBaseStation) {
    StationFigures s;
    s.mac = {2, 0, 0, 0, 0xAB, 1};
    s.name = "roof";
    s.basic_cid = 201;
    s.state = EntryState::capable;
    s.restriction = Restriction::silent;
    s.dl_profile = profile_in_row(202);
    s.ul_profile = profile_in_row(203);
    s.measured = {-204.5F, 205.5F, -206.5F, 207.5F, -208.5F};
    s.operational_at = 209;
    s.silent_s = 232.5;
    s.counters = {.dl_bytes = 212,
                  .ul_bytes = 222,
                  .dl_sdus = 211,
                  .ul_sdus = 221,
                  .ul_bursts = 224,
                  .ul_missed = 225,
                  .ul_fec_errors = 226,
                  .ul_stopped = 227,
                  .ul_dropped = 223,
                  .dl_dropped = 213,
                  .dl_units = 215,
                  .ul_units = 230,
                  .grants = 228,
                  .requests = 229,
                  .malformed = 231,
                  .corrections = 210,
                  .ul_wrong_source = 233};
    s.dl_backlog_octets = 214;
    s.dl_falls = 241;
    s.dl_rises = 242;
    s.link.dl_cinr_db = 243.5F;
    s.link.power.maximum(20);
    s.link.power.reported(12.5F);
    s.ul_changes = {.falls = 244, .rises = 245};
    s.ul_margin_db = 246.5F;
    s.ul_subchannels = 4;
    s.ul_width_changes = 247;
    s.ul_midambles = 2;
    s.link.in_zone = true;
    s.link.zone_changes = 248;
    s.flows.resize(2);
    const Json written = to_json_object(s);
    EXPECT_EQ(written["flows"].size(), 2U);
    EXPECT_EQ(written["flows"][1], to_json_object(FlowStatus{}));
    EXPECT_EQ(
        Json::diff(
            written,
            with({{"mac", "02:00:00:00:ab:01"},
                  {"name", "roof"},
                  {"basic_cid", 201},
                  {"state", "capable"},
                  {"restriction", "silent"},
                  {"dl_rate_id", 202},
                  {"ul_rate_id", 203},
                  {"rssi_dbm", -204.5},
                  {"cinr_db", 205.5},
                  {"evm_db", -206.5},
                  {"timing_offset_samples", 207.5},
                  {"frequency_offset_hz", -208.5},
                  {"operational_at_sample", 209},
                  {"silent_s", 232.5},
                  {"corrections", 210},
                  {"malformed", 231},
                  {"flows", written["flows"]}},
                 {{"link",
                   {{"dl_falls", 241},
                    {"dl_rises", 242},
                    {"dl_cinr_db", 243.5},
                    {"power_left_db", 7.5},
                    {"ul_falls", 244},
                    {"ul_rises", 245},
                    {"ul_margin_db", 246.5},
                    {"ul_subchannels", 4},
                    {"ul_width_changes", 247},
                    {"ul_midambles", 2},
                    {"stc", true},
                    {"stc_changes", 248},
                    {"dl_variation", 0.0}}},
                  {"dl", {{"sdus", 211}, {"bytes", 212}, {"dropped", 213}, {"backlog_bytes", 214}, {"symbols", 215}}},
                  {"ul",
                   {{"sdus", 221},
                    {"bytes", 222},
                    {"dropped", 223},
                    {"bursts", 224},
                    {"missed", 225},
                    {"fec_errors", 226},
                    {"stopped", 227},
                    {"wrong_source", 233},
                    {"grants", 228},
                    {"requests", 229},
                    {"symbols", 230}}}})),
        Json::array());
}

TEST(Figures, OfPrivacyAtEitherEnd) {
    PrivacyFigures s;
    s.state = "reject wait";
    s.authorized = true;
    s.suite = "des-cbc";
    s.certificate = "0ABC";
    s.certificate_ends_s = 422;
    s.ak_age_s = 399.5;
    s.tek_age_s = 400.5;
    s.ak_left_s = 401.5;
    s.tek_left_s = 402.5;
    s.authorizations = 403;
    s.auth_rejects = 404;
    s.auth_invalids = 405;
    s.key_replies = 406;
    s.key_rejects = 407;
    s.tek_invalids = 408;
    s.unreadable = 409;
    s.wrong_digests = 410;
    s.downgrades = 419;
    s.associations = 420;
    s.sa_adds = 421;
    s.counters.unsigned_messages = 411;
    s.counters.old_keys = 412;
    s.counters.replayed_messages = 413;
    s.counters.pdus = {
        .opened = 414, .low_numbers = 423, .unknown_key = 415, .forged = 416, .replayed = 417, .unprotected = 418};
    Json expected{
        {"state", "reject wait"},
        {"authorized", true},
        {"suite", "des-cbc"},
        {"certificate", "0ABC"},
        {"certificate_ends_s", 422},
        {"ak_age_s", 399.5},
        {"tek_age_s", 400.5},
        {"ak_left_s", 401.5},
        {"tek_left_s", 402.5},
        {"authorizations", 403},
        {"auth_rejects", 404},
        {"auth_invalids", 405},
        {"key_replies", 406},
        {"key_rejects", 407},
        {"tek_invalids", 408},
        {"unreadable", 409},
        {"wrong_digests", 410},
        {"downgrades", 419},
        {"low_numbers", 423},
        {"associations", 420},
        {"sa_adds", 421},
        {"messages", {{"unsigned", 411}, {"old_key", 412}, {"replayed", 413}}},
        {"pdus", {{"opened", 414}, {"unknown_key", 415}, {"forged", 416}, {"replayed", 417}, {"unprotected", 418}}}};
    EXPECT_EQ(Json::diff(to_json_object(s), expected), Json::array());
    s.ak_sequence = 7;
    s.tek_sequence = 3;
    expected["ak_sequence"] = 7;
    expected["tek_sequence"] = 3;
    StationFigures station;
    SubscriberFigures own;
    station.privacy = own.privacy = s;
    EXPECT_EQ(Json::diff(to_json_object(station)["privacy"], expected), Json::array());
    EXPECT_EQ(Json::diff(to_json_object(own)["privacy"], expected), Json::array());
}

TEST(Figures, OfAMulticastConnection) {
    MulticastFigures s;
    s.flow.cid = 261;
    s.flow.multicast = true;
    s.flow.transmitter = a_transmitter();
    s.members = 262;
    s.listeners = 263;
    s.units = 265;
    s.dropped_unheard = 266;
    const Json unheard = to_json_object(s);
    EXPECT_FALSE(unheard.contains("dl_rate_id"));
    s.dl_profile = profile_in_row(4);
    EXPECT_EQ(
        Json::diff(
            to_json_object(s),
            with(
                to_json_object(s.flow),
                {{"members", 262}, {"listeners", 263}, {"dl_rate_id", 4}, {"symbols", 265}, {"dropped_unheard", 266}})),
        Json::array());
    EXPECT_EQ(unheard["multicast"], true);
    EXPECT_EQ(unheard["cid"], 261);
    EXPECT_EQ(unheard["sdus"], 301);
}

BaseStationFigures a_base_station() {
    BaseStationFigures s;
    s.clock.frame = phy::FrameNumber(101);
    s.clock.now = 102;
    s.sample_rate_hz = 500;
    s.layout = {.symbol_slots = 103,
                .frame_slots = 250,
                .frame_symbols = 104,
                .dl_symbols = 105,
                .ul_symbols = 106,
                .ul_start_slot = 107,
                .frame_s = 2,
                .maps_next_frame = true};
    s.operational = true;
    s.bsid = 108;
    s.profile = "5MHz";
    s.registered = 109;
    s.downlink = {110.5, 111.5, 0, 112.5};
    s.uplink = {113.5, 114.5, 0, 115.5};
    s.uplink_shared = {116.5, 117.5, 0, 118.5};
    s.counters = {119, 120, 121, 122, 123};
    s.built = {.dl_maps = 124, .capacity_bytes = 130, .payload_bytes = 131};
    s.broadcast = {.ul_maps = 125, .dcds = 128, .ucds = 129, .deferred = 1290};
    s.ul_map_full = 126;
    s.ul_maps_failed = 127;
    s.dl_symbols = {140, 141, 142, 143, 144, 145, 146, 147, 148, 149};
    s.ul_symbols = {150, 151, 152, 153, 154, 155, 156, 157, 158, 159};
    s.received = {.ranging_bursts = 160,
                  .ranging_undecoded = 161,
                  .contention_bursts = 162,
                  .contention_undecoded = 163,
                  .unknown_cid = 164,
                  .stale_bursts = 165,
                  .capacity_bytes = 166,
                  .padding_bytes = 167};
    s.sources.wrong = 187;
    s.scale = {180, 181, 182, 183, 184};
    s.admission = {.evicted_stations = 168, .duplicate_addresses = 169, .refused_stations = 170};
    s.focused = {.codes = 171, .answers = 172, .dropped = 173};
    s.router = {.unclassified = 174, .unlearnt = 175, .refused_sdus = 176};
    s.lost_stations = 177;
    s.free_buffers = 178;
    s.reserved = {{179.5, 180.5, 181.5, 182.5}, {183.5, 184.5, 185.5, 186.5}, 187.5, 188.5};
    s.reservations = {189, 190};
    s.flows_without_room = 191;
    s.privacy = {.no_privacy = 192, .certificates = 193, .suites = 194, .others = 195, .ended = 196};
    return s;
}
Json symbols(int first) {
    Json all;
    for (const char* what :
         {"preamble", "fch", "maps", "descriptors", "management", "data", "contention", "ranging", "idle", "gap"})
        all[what] = first++;
    return all;
}

TEST(Figures, OfABaseStation) {
    BaseStationFigures figures = a_base_station();
    const Json expected = {
        {"role", "bs"},
        {"frame", 101},
        {"time_samples", 102},
        {"sample_rate_hz", 500},
        {"state", "transmitting"},
        {"operational", true},
        {"bsid", "00000000006C"},
        {"profile", "5MHz"},
        {"registered", 109},
        {"layout",
         {{"symbol_slots", 103},
          {"frame_slots", 250},
          {"frame_symbols", 104},
          {"dl_symbols", 105},
          {"ul_symbols", 106},
          {"ul_start_slot", 107},
          {"frame_s", 2.0},
          {"maps_next_frame", true}}},
        {"capacity_kbps", {{"downlink", 110.5}, {"uplink", 113.5}}},
        {"capacity",
         {{"downlink", {{"kbps", 110.5}, {"data_symbols", 111.5}, {"ip_symbols", 112.5}}},
          {"uplink", {{"kbps", 113.5}, {"data_symbols", 114.5}, {"ip_symbols", 115.5}}},
          {"uplink_shared", {{"kbps", 116.5}, {"data_symbols", 117.5}, {"ip_symbols", 118.5}}}}},
        {"frames", 119},
        {"silent_frames", 120},
        {"late", 121},
        {"phy_errors", 122},
        {"time_jumps", 123},
        {"dl_maps", 124},
        {"ul_maps", 125},
        {"ul_map_full", 126},
        {"ul_maps_failed", 127},
        {"dcds", 128},
        {"ucds", 129},
        {"broadcast_deferred", 1290},
        {"symbols", {{"dl", symbols(140)}, {"ul", symbols(150)}}},
        {"bytes", {{"dl_capacity", 130}, {"dl_payload", 131}, {"ul_capacity", 166}, {"ul_padding", 167}}},
        {"ranging", {{"bursts", 160}, {"undecoded", 161}, {"refused", 170}, {"duplicates", 169}, {"evicted", 168}}},
        {"contention",
         {{"bursts", 162},
          {"undecoded", 163},
          {"request_symbols", 180},
          {"backoff_start", 181},
          {"backoff_end", 182},
          {"t27_idle_ms", 183}}},
        {"focused_contention", {{"codes", 171}, {"answers", 172}, {"dropped", 173}}},
        {"drops",
         {{"unclassified", 174},
          {"unlearnt", 175},
          {"refused", 176},
          {"unknown_cid", 164},
          {"stale_bursts", 165},
          {"wrong_source", 187}}},
        {"reserved",
         {{"downlink", {{"symbols", 179.5}, {"room", 180.5}, {"bounded_symbols", 181.5}, {"bounded_room", 182.5}}},
          {"uplink", {{"symbols", 183.5}, {"room", 184.5}, {"bounded_symbols", 185.5}, {"bounded_room", 186.5}}},
          {"map_bytes", 187.5},
          {"map_room", 188.5},
          {"refused", 189},
          {"overbooked", 190},
          {"flows_without_room", 191}}},
        {"flow_results", Json::array()},
        {"lost_stations", 177},
        {"privacy", {{"no_privacy", 192}, {"certificates", 193}, {"suites", 194}, {"others", 195}, {"ended", 196}}},
        {"free_buffers", 178},
        {"stations", Json::array()},
        {"multicast", Json::array()}};
    EXPECT_EQ(Json::diff(to_json_object(figures), expected), Json::array());
    figures.silent = true;
    figures.stations.resize(3);
    figures.multicast.resize(2);
    EXPECT_EQ(to_json_object(figures)["multicast"].size(), 2U);
    EXPECT_EQ(to_json_object(figures)["state"], "silent");
    EXPECT_EQ(to_json_object(figures)["stations"].size(), 3U);
}

TEST(Figures, OfLoadedSchedulers) {
    BaseStationFigures figures = a_base_station();
    EXPECT_FALSE(to_json_object(figures).contains("policies")) << "built-in ones";
    figures.policies.by_role[PolicyRole::uplink] = PolicyCounters{.calls = 201,
                                                                  .late = 202,
                                                                  .failed = 203,
                                                                  .nonsense = 204,
                                                                  .busy = 205,
                                                                  .spent_us = 206,
                                                                  .longest_us = 207,
                                                                  .replaced = true};
    const Json expected = {{"ul_scheduler",
                            {{"calls", 201},
                             {"late", 202},
                             {"failed", 203},
                             {"nonsense", 204},
                             {"busy", 205},
                             {"spent_us", 206},
                             {"longest_us", 207},
                             {"replaced", true}}}};
    EXPECT_EQ(to_json_object(figures)["policies"], expected);
}

SubscriberFigures a_subscriber() {
    SubscriberFigures s;
    s.mac = {2, 0, 0, 0, 0, 0x1F};
    s.clock = {.now = 1, .sample_rate_hz = 40, .frame = {}};
    s.network_frame = phy::FrameNumber(2);
    s.state = SsState::registration;
    s.synchronised = true;
    s.frequency_hz = 3'500'000'054;
    s.channel_changes = 55;
    s.basic_cid = 3;
    s.bsid = 4;
    s.heard_at = 5;
    s.operational_at = 15;
    s.levels = {-6.5F, 7.5F, -8.5F, 9.5F, 10.5F, -11.5F, 12, 13.5F, 14.5F, 15.5F};
    s.frames = 16;
    s.late = 17;
    s.phy_errors = 18;
    s.restarts = 19;
    s.down = {.unsynchronised_ticks = 20, .maps = 21, .dl_maps = 22, .dcds = 23, .ucds = 24, .zero_subchannels = 70};
    s.received = {.bursts = 25,
                  .undecoded_bursts = 26,
                  .stopped_bursts = 27,
                  .malformed = 28,
                  .foreign_pdus = 29,
                  .maps_unusable = 30};
    s.missed_for_grants = 3011;
    s.ranging = {.attempts = 31, .invited = 32, .corrections = 33, .fast_power = 34};
    s.dl_profile = profile_in_row(61);
    s.dl_margin_db = 62.5F;
    s.dl_changes = {.falls = 63, .rises = 64};
    s.profile = {.requests = 65, .repetitions = 66, .ranging_requests = 67, .refusals = 68};
    s.contention = {.requests = 34, .lost = 35, .codes = 36, .answered = 37};
    s.up = {.grants = 38,
            .grants_unusable = 39,
            .capacity_bytes = 40,
            .payload_bytes = 41,
            .aggregate_requests = 42,
            .piggyback_requests = 43};
    s.unclassified = 44;
    s.refused = 45;
    s.totals = {46, 47, 48, 49, 50, 51};
    s.ul_backlog_octets = 52;
    s.free_buffers = 53;
    s.networks_without_privacy = 54;
    return s;
}

TEST(Figures, OfASubscriberStation) {
    SubscriberFigures figures = a_subscriber();
    const Json expected = {{"role", "ss"},
                           {"mac", "02:00:00:00:00:1f"},
                           {"frame", 2},
                           {"time_samples", 1},
                           {"sample_rate_hz", 40},
                           {"state", "REG"},
                           {"operational", false},
                           {"synchronised", true},
                           {"frequency_hz", 3'500'000'054},
                           {"channel_changes", 55},
                           {"basic_cid", 3},
                           {"bsid", "000000000004"},
                           {"heard_at_sample", 5},
                           {"operational_at_sample", 15},
                           {"entry_samples", 10},
                           {"entry_time_s", 0.25},
                           {"rssi_dbm", -6.5},
                           {"cinr_db", 7.5},
                           {"rssi_mean_dbm", -8.5},
                           {"cinr_mean_db", 9.5},
                           {"frequency_offset_hz", 10.5},
                           {"clock_offset_ppm", -11.5},
                           {"timing_advance_samples", 12},
                           {"frequency_adjust_hz", 13.5},
                           {"power_dbm", 14.5},
                           {"maximum_power_dbm", 15.5},
                           {"frames", 16},
                           {"unsynchronised_ticks", 20},
                           {"maps", 21},
                           {"missed_for_grants", 3011},
                           {"maps_unusable", 30},
                           {"dl_maps", 22},
                           {"dcds", 23},
                           {"ucds", 24},
                           {"zero_subchannels", 70},
                           {"bursts", 25},
                           {"undecoded_bursts", 26},
                           {"stopped_bursts", 27},
                           {"late", 17},
                           {"phy_errors", 18},
                           {"restarts", 19},
                           {"corrections", 33},
                           {"ranging", {{"attempts", 31}, {"invited", 32}, {"fast_power", 34}}},
                           {"downlink_profile",
                            {{"rate_id", 61},
                             {"margin_db", 62.5},
                             {"falls", 63},
                             {"rises", 64},
                             {"requests", 65},
                             {"repetitions", 66},
                             {"ranging_requests", 67},
                             {"refusals", 68}}},
                           {"requests",
                            {{"contention", 34},
                             {"contention_lost", 35},
                             {"codes", 36},
                             {"codes_answered", 37},
                             {"aggregate", 42},
                             {"piggyback", 43}}},
                           {"grants", {{"count", 38}, {"unusable", 39}, {"capacity_bytes", 40}, {"payload_bytes", 41}}},
                           {"drops", {{"unclassified", 44}, {"refused", 45}, {"malformed", 28}, {"foreign_pdus", 29}}},
                           {"dl", {{"sdus", 46}, {"bytes", 47}, {"dropped", 48}}},
                           {"ul", {{"sdus", 49}, {"bytes", 50}, {"dropped", 51}, {"backlog_bytes", 52}}},
                           {"free_buffers", 53},
                           {"networks_without_privacy", 54},
                           {"flows", Json::array()},
                           {"flow_results", Json::array()}};
    EXPECT_EQ(Json::diff(to_json_object(figures), expected), Json::array());
    for (Samples SubscriberFigures::*never : {&SubscriberFigures::operational_at, &SubscriberFigures::heard_at}) {
        SubscriberFigures not_entered = figures;
        not_entered.*never = -1;
        EXPECT_EQ(to_json_object(not_entered)["entry_samples"], -1);
        EXPECT_EQ(to_json_object(not_entered)["entry_time_s"], -1.0);
    }
}

/// In a running cell no figure keeps its initial value, and common figures agree at both ends.
TEST(Figures, OfARunningCell) {
    Cell cell;
    ASSERT_TRUE(cell.entered);
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(cell.pings());
    const Json bs = cell.bs_status(), ss = cell.station.status(), seen = bs["stations"].at(0);
    for (const char* same : {"mac", "basic_cid"}) EXPECT_EQ(seen[same], ss[same]) << same;
    EXPECT_EQ(bs["bsid"], ss["bsid"]);
    EXPECT_EQ(bs["sample_rate_hz"], ss["sample_rate_hz"]);
    EXPECT_EQ(bs["profile"], "Lab");
    EXPECT_EQ(bs["registered"], 1);
    EXPECT_EQ(seen["state"], "operational");
    EXPECT_EQ(ss["state"], "operational");
    EXPECT_EQ(seen["dl"]["sdus"], ss["dl"]["sdus"]);
    EXPECT_EQ(seen["dl"]["bytes"], ss["dl"]["bytes"]);
    EXPECT_EQ(seen["ul"]["sdus"], ss["ul"]["sdus"]);
    EXPECT_EQ(ss["dl"]["sdus"], 5);
    EXPECT_EQ(ss["dl"]["bytes"], 500);
    for (const auto& flow : bs["stations"][0]["flows"]) {
        EXPECT_TRUE(flow["active"].get<bool>());
        EXPECT_EQ(flow["sdus"], 5) << flow;
        EXPECT_EQ(flow.contains("requested_bytes"), flow["direction"] == "uplink");
        EXPECT_EQ(flow.contains("dropped_rate"), flow["direction"] == "uplink");
    }
    for (const auto& flow : ss["flows"]) EXPECT_EQ(flow.contains("recorded_bytes"), flow["direction"] == "uplink");
    EXPECT_GE(bs["frames"].get<int>(), bs["dl_maps"].get<int>());
    EXPECT_GT(bs["symbols"]["dl"]["preamble"].get<int>(), 0);
    EXPECT_GT(bs["symbols"]["ul"]["preamble"].get<int>(), 0);
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(cell.bs->push_sdu(ip_packet(kServer, station_address(0), 1400)));
        EXPECT_TRUE(cell.station.mac->push_sdu(ip_packet(station_address(0), kServer, 1400)));
    }
    EXPECT_EQ(cell.entry()["dl"]["backlog_bytes"], 14'000);
    EXPECT_EQ(cell.station.status()["ul"]["backlog_bytes"], 14'000);
}

}  // namespace test_figures
}  // namespace wimax::mac::test
