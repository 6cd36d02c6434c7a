// SPDX-License-Identifier: GPL-3.0-or-later
// Configuration of a base station and a subscriber station: plain structures with defaults and units; the ranges are in
// config_fields.h. Names follow the provisioning of clause 11.13 and the objects of the 802.16f MIB. validate() reports
// every fault at once.
#pragma once

#include "common/faults.h"
#include "mac/air_config.h"
#include "mac/arq_config.h"
#include "mac/burst_profiles.h"
#include "mac/ip_address.h"
#include "mac/managed_config.h"
#include "mac/policy_role.h"
#include "mac/privacy_config.h"
#include "mac/rate_thresholds.h"
#include "mac/station.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wimax::mac {

using MacAddress = std::array<uint8_t, 6>;

enum class FlowDirection : uint8_t { downlink, uplink };

/// Values of service flow TLV 11.
enum class SchedulingType : uint8_t {
    best_effort = 2,
    nrtps = 3,
    rtps = 4,
    ertps = 5,  ///< not of 802.16-2004: 802.16e's extended rtPS, UGS without grants for a silent flow
    ugs = 6
};
/// Serving order: UGS, then ertPS, rtPS, nrtPS, best effort; within a type by traffic priority. Lower is sooner.
constexpr int service_order(SchedulingType type, uint8_t traffic_priority) {
    return (6 - static_cast<int>(type)) * 8 + (7 - (traffic_priority & 7));
}

/// Policy by which stations share the units that are not guaranteed.
enum class SchedulerPolicy : uint8_t {
    fair,               ///< symbols, max-min over time
    priority_drr,       ///< strict order of services and priorities, deficit round robin inside
    proportional_fair,  ///< highest possible rate relative to the recent average
    weighted,           ///< octets by weight over time: allocation / weight equal, whatever the channel
    weighted_channel,   ///< octets by weight and rate, each frame for itself: allocation / rate equal
};

/// Type of a flow's SDUs: values of the CS specification, service flow TLV 28.
enum class ConvergenceSublayer : uint8_t {
    ipv4 = 1,
    ipv6 = 2,
    ethernet = 3,  ///< 802.3, with tag or without
    vlan = 4,      ///< 802.1Q: only tagged frames
};
/// Packets that a station exchanges with its user: a station serves flows of one kind.
enum class UserLink : uint8_t { ip, ethernet };
constexpr UserLink link_of(ConvergenceSublayer cs) {
    return cs == ConvergenceSublayer::ipv4 || cs == ConvergenceSublayer::ipv6 ? UserLink::ip : UserLink::ethernet;
}

/// Security association of a unicast flow of a station that has privacy (7.1.3).
enum class FlowAssociation : uint8_t {
    primary,  ///< the station's
    own,      ///< one with separate keys
    none,     ///< the flow is not encrypted
};

struct PortInterval {
    uint16_t low = 0, high = 65535;  ///< inclusive
    bool operator==(const PortInterval&) const = default;
};

struct TosRange {
    uint8_t low = 0, high = 255, mask = 255;  ///< low <= (ToS & mask) <= high
    bool operator==(const TosRange&) const = default;
};

/// Header suppression rule (clause 11.13.19.3.7): which octets of a packet's head are not transmitted.
struct HeaderRule {
    uint8_t phsi = 0;                  ///< 1..255, unique in its flow
    std::vector<uint8_t> field, mask;  ///< as many octets as it spans, 1..255; a bit for each, the first one's highest
    bool verify = true;                ///< the sender checks that they match the rule
    bool ipv4_udp = false;             ///< field and mask follow from the classification rule
    bool operator==(const HeaderRule&) const = default;
};

struct PriorityRange {
    uint8_t low = 0, high = 7;  ///< inclusive
    bool operator==(const PriorityRange&) const = default;
};

/// Packet classification rule for IPv4, IPv6 and Ethernet (clause 11.13.19.3.4). Everything present must match; an
/// empty list matches all.
struct ClassifierConfig {
    uint8_t priority = 0;  ///< 0..255, the highest is tried first
    std::optional<TosRange> tos;
    std::vector<uint8_t> protocols;                             ///< IP protocol numbers
    std::vector<AddressMask> source, destination;               ///< any of the list
    std::vector<PortInterval> source_ports, destination_ports;  ///< TCP and UDP only
    // Only for Ethernet's sublayers, whose addresses are MAC addresses; they ignore IP fields.
    std::optional<uint16_t> ethertype;           ///< after a tag, if there is one
    std::optional<PriorityRange> user_priority;  ///< of tagged frames
    std::optional<uint16_t> vlan_id;             ///< 0..4095, of tagged frames
    uint8_t phsi = 0;                            ///< header suppression rule of the flow for its packets; 0: none
    bool operator==(const ClassifierConfig&) const = default;
};

inline constexpr float kLeastTargetLoss = 1e-6F, kMostTargetLoss = 0.5F;  ///< share of packets

/// One unidirectional service flow. Rates are at the CS interface: IP octets.
struct ServiceFlowConfig {
    std::string name;  ///< service class name, 1..127 characters; empty: not sent
    FlowDirection direction = FlowDirection::downlink;
    SchedulingType scheduling = SchedulingType::best_effort;
    ConvergenceSublayer cs = ConvergenceSublayer::ipv4;  ///< takes only packets of this kind
    uint8_t traffic_priority = 0;                        ///< higher is served first
    uint32_t max_sustained_rate_bps = 0;                 ///< 0: no limit. UGS: the rate granted (required)
    uint32_t max_burst_bytes = 0;                        ///< bucket depth, at least 2040; 0: 40 ms of the rate and 2040
    uint32_t min_reserved_rate_bps = 0;
    uint32_t max_latency_ms = 0;  ///< 0: not sent. Kept for UGS, rtPS and ertPS within their rates
    uint32_t tolerated_jitter_ms = 0;
    /// Allowed share of lost packets (1500 octets) without ARQ, above 0; absent: LinkAdaptationConfig::target_loss.
    std::optional<float> target_loss;
    uint32_t grant_interval_us =
        0;  ///< UGS: between grants; rtPS, nrtPS: between polls. 0: every frame (nrtPS: 500 ms)
    bool fragmentation = true, packing = true, crc = true, piggyback = true, contention_requests = true;
    /// Downlink: stations with the flow of this name share one connection, on which each packet is sent once.
    bool multicast = false;
    uint32_t queue_limit_bytes = 400'000, queue_limit_packets = 0;  ///< packets: 0: no limit
    /// Needs fragmentation and CRC.
    ArqConfig arq;
    std::vector<HeaderRule> phs;    ///< not empty: the flow has header suppression
    uint32_t fixed_sdu_octets = 0;  ///< length of all SDUs, packed without subheaders; 0: any length
    FlowAssociation security_association = FlowAssociation::primary;
    uint32_t sealing_octets = 0;  ///< that encryption adds to each PDU; set by the base station for its scheduling
    /// Empty: the default flow of its direction, which takes packets that match no rule.
    std::vector<ClassifierConfig> classifiers;

    // Dynamic activation (base station)
    bool active_at_start = true;   ///< else its first packet brings it up
    uint32_t idle_timeout_ms = 0;  ///< without a packet for this time it is deactivated until the next packet; 0: never
    bool idle_releases = false;    ///< while it is not active it is provisioned only, and not admitted

    bool operator==(const ServiceFlowConfig&) const = default;
};

/// A subscriber station as provisioned at the base station.
struct StationConfig {
    MacAddress mac{};
    std::string name;
    std::optional<uint8_t> dl_rate_id, ul_rate_id;                ///< absent: BaseStationConfig's
    std::optional<uint8_t> dl_lowest_rate_id, ul_lowest_rate_id;  ///< absent: BaseStationConfig's
    uint32_t weight = 1;                                          ///< share of best effort capacity (symbols)
    uint32_t dynamic_flows = 0;                                   ///< that the station may add itself; 0: none
    /// Addresses and subnets behind the station: it gets downlink packets with such a destination, and DSA contains
    /// rules for them both ways. Without any of a kind (IPv4, IPv6, MAC) the station takes packets to addresses that no
    /// station claims. Of several such stations the one that owns the address gets them (SourceAddresses). Until one
    /// does, a packet is sent to all of them, at most eight copies per frame.
    std::vector<AddressMask> ip_addresses;
    /// Empty: one best effort flow each way without rule.
    std::vector<ServiceFlowConfig> flows;
    /// Subchannels of its grants, 1, 2, 4, 8 or 16; absent: BaseStationConfig::subchannelization applies.
    std::optional<uint8_t> ul_subchannels;
    /// Its downlink bursts lie in the STC zone, if the PHY has two antennas and it can; absent: BaseStationConfig::stc
    /// applies.
    std::optional<bool> dl_stc;
};

/// Limits of a station's rates; equal: fixed.
struct RateLimits {
    ProfileId dl_lowest{}, dl_highest{}, ul_lowest{}, ul_highest{};
};

/// Overhead periods, contention and burst profiles: the base station profile of the provisioning. Defaults: "Lab".
struct BaseStationProfile {
    std::string name = "Lab";
    uint8_t broadcast_rate_id = 1;                          ///< of maps and descriptors
    uint32_t dcd_interval_ms = 250, ucd_interval_ms = 250;  ///< 0: every frame
    uint32_t dl_map_interval_ms = 100;                      ///< 0: every frame
    uint32_t ranging_interval_ms = 50;                      ///< 0: every frame
    uint32_t ranging_symbols = 6;                           ///< one opportunity: long preamble, 2 data symbols, guard
    uint32_t request_symbols = 2;                           ///< per frame; two per opportunity
    /// Opportunities of focused contention per frame, 0..8, two symbols each. They replace the request region if at
    /// least `focused_stations` are registered and all support codes.
    uint32_t focused_opportunities = 0, focused_stations = 0;
    /// Number of codes, 0..8, that ask for a place on SubchannelizationConfig::fewest subchannels.
    uint32_t focused_subchannel_codes = 0;
    bool spare_ranging = true;  ///< more ranging regions while the uplink idles and a station may be entering
    uint8_t ranging_backoff_start = 0, ranging_backoff_end = 4;  ///< exponents of 2
    uint8_t request_backoff_start = 0, request_backoff_end = 6;
    /// Request region, its windows and T27 grow with the number of registered stations (contention_scale.h).
    bool scale = true;
    /// Largest multicast polling group; the groups of registered stations share the request region. 0: no groups.
    uint32_t polling_group_stations = 0;
    uint8_t reservation_timeout = 20;  ///< UL-MAPs to wait for a grant before a request counts as lost
    /// Unsolicited grant for each registered station in each frame, data symbols; 0: grants only on request.
    uint32_t unasked_symbols = 12;
    /// Spare uplink symbols are granted to the stations with recent traffic.
    bool grant_spare = true;
    /// In every fourth frame the request region is at the end of the subframe, every other ranging region, too:
    /// interference at one place of each frame does not hit all of them.
    bool turn_regions = true;
    /// CINR limits of burst profiles, dB, by rate: leave at or below `exit`, enter from `entry` on. The DCD announces
    /// them with BaseStationConfig::adaptation.margin_db on top.
    std::array<float, kRateCount> exit_db = entry_thresholds_db(-kHysteresisDb);
    std::array<float, kRateCount> entry_db = entry_thresholds_db(0);

    /// "Lab" (the defaults above), or one of the field network's: "Default" has DCD, UCD and a ranging region in every
    /// frame and two request opportunities, "Speedy" descriptors in every other frame, a ranging region in every fifth,
    /// one opportunity; neither has unsolicited grants nor turns its regions. Nullopt: no such profile.
    ProfileId broadcast_profile() const { return profile_in_row(broadcast_rate_id); }

    static std::optional<BaseStationProfile> named(const std::string& name, uint32_t frame_us);
};

enum class RatePolicyKind : uint8_t {
    outcome,     ///< rate_adaptation.h
    thresholds,  ///< threshold_policy.h
};

/// Adaptation of rates to the CINR if they are not fixed (rate_policy.h).
struct LinkAdaptationConfig {
    RatePolicyKind policy = RatePolicyKind::outcome;
    /// Time constant of the running mean that decides about higher rates, rounded to a 32nd of a frame's weight. The
    /// base station's holds for both directions.
    uint32_t averaging_ms = 100;
    float margin_db = 0;         ///< protection, added to the profile's thresholds; base station only
    float target_loss = 0.001F;  ///< allowed share of lost packets (1500 octets) without ARQ; 0: no margin
    float most_margin_db = 12;   ///< largest margin that losses add
    uint32_t report_ms = 1000;   ///< between REP-REQs to stations whose rates are not fixed; 0: none
};

/// UL-MAP relevance: does the map describe the uplink of the same frame or of the next?
enum class MapRelevance : uint8_t {
    automatic,  ///< same frame if T_proc (1 ms) fits between the map's end and the uplink
    same_frame,
    next_frame,
};

/// Policies that replace the built-in ones (policy/policies.h).
struct Policies;
/// File of a policy of the user's; both empty: the built-in one.
struct PolicyFile {
    std::string python;   ///< "FILE:CLASS"
    std::string library;  ///< shared library
    bool given() const { return !python.empty() || !library.empty(); }
};
using PolicyFiles = ByRole<PolicyFile>;

struct BaseStationConfig : AirConfig, OptionalMeans {
    // Air interface
    uint8_t cp_denominator = 8;           ///< 4, 8, 16, 32
    uint8_t frame_duration_code = 4;      ///< 0..6: 2.5, 4, 5, 8, 10, 12.5, 20 ms; at most 2047 symbols per frame
    uint64_t bsid = 0x20'E9'FA'00'00'01;  ///< 48 bits
    uint32_t first_frame_number = 0;
    double dl_share = 0.5;              ///< downlink with TTG as a part of the frame's symbols
    uint32_t dl_symbols = 0;            ///< the same in symbols; 0: by dl_share
    uint32_t ttg_us = 0, rtg_us = 0;    ///< 0: one symbol, at least 15 us; at most 255 physical slots
    uint32_t uplink_start_us = 0;       ///< FDD: allocation start time after the frame's start; 0: chosen
    bool half_duplex_stations = false;  ///< FDD: serve them; maps then describe the uplink of the next frame
    bool serves_half_duplex() const { return half_duplex_stations && !carriers.shared(); }
    MapRelevance map_relevance = MapRelevance::automatic;
    uint32_t start_silence_ms = 700;  ///< silence after each PHY start, so that stations re-enter

    // Rates 0..6: BPSK 1/2, QPSK 1/2, QPSK 3/4, 16-QAM 1/2, 16-QAM 3/4, 64-QAM 2/3, 64-QAM 3/4
    uint8_t dl_rate_id = 6, ul_rate_id = 6;  ///< stations without their own
    ProfileId dl_profile() const { return profile_in_row(dl_rate_id); }
    ProfileId ul_profile() const { return profile_in_row(ul_rate_id); }
    /// Lowest rate to which a station's rate may fall with its CINR; absent: the rate is fixed.
    std::optional<uint8_t> dl_lowest_rate_id, ul_lowest_rate_id;
    LinkAdaptationConfig adaptation;

    // Power and ranging
    std::optional<float> eirp_dbm;   ///< announced in DCD, whole dBm; absent: the PHY's transmit reference
    float target_rssi_dbm = -60.0F;  ///< wanted at the antenna, per data symbol; also EIRxP,IR,max in the DCD
    bool power_control = true;
    float power_tolerance_db = 1.0F;
    uint32_t fast_power_stations = 0;    ///< power commands in a frame from which FPC is used; 0: never
    float frequency_tolerance = 0.02F;   ///< of the carrier spacing
    float timing_tolerance_cp = 0.125F;  ///< of the cyclic prefix

    BaseStationProfile profile;
    std::vector<StationConfig> stations;             ///< by MAC address
    std::vector<ServiceFlowConfig> service_classes;  ///< by name: flows that a station requests by name only
    /// Configuration of MAC addresses that are not in `stations`; absent: they are refused (RNG-RSP abort).
    std::optional<StationConfig> unknown_station = StationConfig{};
    uint32_t max_stations = 250;
    uint32_t least_awake_stations = 32;
    uint32_t basic_cids = 320;      ///< m: basic CIDs are 1..m, primary management CIDs m+1..2m
    bool admission_control = true;  ///< flows are refused if their reservation does not fit
    SchedulerPolicy dl_scheduler = SchedulerPolicy::fair, ul_scheduler = SchedulerPolicy::fair;
    PolicyFiles policy_files;                  ///< for the program, which loads them into `policies`
    uint32_t policy_limit_us = 1000;           ///< wall-clock time of a call of a loaded policy; longer: late
    std::shared_ptr<const Policies> policies;  ///< null: built-in ones

    // Queues
    /// Addresses of the base station's own interface, and broadcast addresses of its subnet: no station sends from
    /// them.
    std::vector<IpAddress> own_addresses;
    bool check_source_addresses = true;
    uint32_t source_address_silence_s = 60;
    UserLink link = UserLink::ip;      ///< of all flows of all stations
    uint32_t sdu_buffers = 4096;       ///< shared by all queues, in addition to 16 for each; 2 kB
    float codel_target_frames = 2.0F;  ///< sojourn time that CoDel tolerates, in frames; 0: no CoDel
    uint32_t codel_interval_ms = 100;
    bool ecn = true;               ///< CoDel marks packets whose ends support it
    uint32_t sdu_hold_frames = 0;  ///< frames that an SDU waits before transmission, like older equipment
    FeedbackTypes arq_feedback = FeedbackTypes::all;

    // Timers, ms
    uint32_t t27_idle_ms = 1000, t27_active_ms = 100;  ///< between unicast grants to a silent station
    uint32_t station_lost_ms = 1500;  ///< a station is deleted after this time (and 8 grants) without a response
    uint32_t t7_ms = 1000, t8_ms = 300, t9_ms = 5000, t10_ms = 3000, t17_ms = 10'000;

    BaseStationPrivacy privacy;
    ManagedNetwork managed;
};

struct SubscriberConfig : AirConfig {
    bool half_duplex = false;              ///< in FDD: it does not receive while it transmits
    uint8_t ssttg_us = 50, ssrtg_us = 50;  ///< half-duplex: time from transmission to reception, and back
    /// Other channels that it searches, in this order, when one does not let it in; T20 and T21 limit the time on each.
    std::vector<uint64_t> scan_frequencies_hz;
    MacAddress mac{0x02, 0, 0, 0, 0, 1};
    std::optional<uint64_t> bsid;        ///< enter only this base station's network
    std::optional<float> max_power_dbm;  ///< mean power of a data symbol; absent: the PHY's transmit reference
    float min_power_dbm = -60.0F;
    float first_power_backoff_db = 1.0F;  ///< first ranging attempt below the computed maximum
    float ranging_power_step_db = 1.0F;   ///< per unanswered attempt
    LinkAdaptationConfig adaptation;      ///< of the downlink
    UserLink link = UserLink::ip;
    uint32_t sdu_buffers = 2048;
    uint32_t queue_limit_bytes = 400'000, queue_limit_packets = 0;  ///< per uplink flow
    float codel_target_frames = 2.0F;
    uint32_t codel_interval_ms = 100;
    bool ecn = true;
    uint32_t sdu_hold_frames = 0;
    FeedbackTypes arq_feedback = FeedbackTypes::all;
    PolicyFiles policy_files;  ///< as of the base station, for link adaptation, queue management and classifier
    uint32_t policy_limit_us = 1000;
    std::shared_ptr<const Policies> policies;
    // Timers, ms (0 means the rule in the comment)
    uint32_t lost_dl_map_ms = 600, lost_ul_map_ms = 600;
    uint32_t t1_ms = 50'000, t2_ms = 10'000, t12_ms = 50'000, t20_ms = 500, t21_ms = 10'000;
    uint32_t t3_ms = 0;     ///< 0: eight frames, 60..200
    uint32_t t4_ms = 3000;  ///< no unicast grant for this time: rerange. 35000 if the base station polls rarely
    uint32_t t16_ms = 100;  ///< a request not granted by then counts as lost; with contention UCD's timeout as well
    uint32_t t6_ms = 500, t18_ms = 200, t7_ms = 1000, t8_ms = 300, t10_ms = 3000, t14_ms = 200;
    uint32_t operational_ms = 5000;  ///< registered but without service flows for this time: enter again
    uint64_t random_seed = 0;        ///< 0: from the MAC address
    SubscriberPrivacy privacy;
    ManagedSubscriber managed;
};

/// A station's own rates, or the base station's defaults.
RateLimits rate_limits(const BaseStationConfig& config, const StationConfig& station);

/// All faults; empty: the configuration is valid.
Faults validate(const BaseStationConfig& config);
Faults validate(const BaseStationProfile& profile);
Faults validate(const SubscriberConfig& config);

using DerivedValues = std::vector<std::pair<std::string, std::string>>;
/// Values that follow from a configuration by its air interface, as names and texts. `cell`: those of the frame, too,
/// which only a base station knows.
DerivedValues derived_values(const BaseStationConfig& config, bool cell);

/// Pre: validate() found nothing (asserted).
std::unique_ptr<BaseStationMac> make_base_station(const BaseStationConfig& config);
std::unique_ptr<SubscriberMac> make_subscriber_station(const SubscriberConfig& config);

}  // namespace wimax::mac
