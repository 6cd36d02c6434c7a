/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Base station MAC. Per frame: timers, uplink plan (UL-MAP and what the PHY shall receive), broadcast burst, downlink
 * bursts. What arrives between ticks updates requests, queues and the stations' states. Split over several files by
 * task: ranging.cc (who may enter), control.cc (entry, service flows, timers), receive.cc, uplink.cc, downlink.cc,
 * status.cc.
 */
#pragma once

#include <mac/bs/broadcasts.h>
#include <mac/bs/subscriber.h>
#include <mac/burst_store.h>
#include <mac/control/event_limit.h>
#include <mac/cs/destination_map.h>
#include <mac/scheduler/uplink_places.h>
#include <mac/scheduler/uplink_scheduler.h>

#include <mac/pdu/cid.h>

#include <map>

namespace wimax::mac {

class BaseStation final : public Station {
public:
    BaseStation(const BaseStationConfig& config, const FrameLayout& layout);

    sap::ConfigRequest phy_config() const override;
    void on_phy_start(const sap::ConfigConfirm& confirm) override;
    void on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) override;
    bool on_burst(const sap::RxBurst& burst, sap::RxExpect& expect) override;
    void on_error(const sap::ErrorIndication& error) override;
    bool profiles_changed(sap::ProfilesRequest&) override { return false; }
    bool push_sdu(Octets packet) override;
    nlohmann::json status() const override;
    bool operational() const override;

private:
    struct Counters {
        uint64_t frames = 0, silent_frames = 0, dl_maps = 0, ul_maps = 0, dcds = 0, ucds = 0;
        uint64_t ul_map_full = 0, ul_maps_failed = 0;
        uint64_t late = 0, errors = 0, time_jumps = 0;
        uint64_t unclassified = 0, unlearnt = 0, refused_sdus = 0, broadcast_deferred = 0;
        uint64_t ranging_bursts = 0, ranging_undecoded = 0, contention_bursts = 0, contention_undecoded = 0;
        uint64_t evicted_stations = 0, duplicate_addresses = 0;
        uint64_t unknown_cid = 0, refused_stations = 0, lost_stations = 0, stale_bursts = 0;
        uint64_t dl_capacity_bytes = 0, dl_payload_bytes = 0, ul_capacity_bytes = 0, ul_padding_bytes = 0;
    };
    struct Symbols {
        uint64_t preamble = 0, fch = 0, maps = 0, descriptors = 0, management = 0, data = 0, contention = 0,
                 ranging = 0, idle = 0, gap = 0;
    };
    /// Uplink of one frame, as planned when its map was made. Some are kept: bursts are reported after the next ticks.
    struct UplinkPlan {
        bool valid = false;
        uint32_t frame = 0;
        std::vector<sap::RxAllocation> allocations;
    };
    struct DownlinkGroup {
        uint8_t rate_id = 0;
        size_t first = 0, count = 0;  ///< of waiting_
        double share = 0;             ///< symbols
    };
    struct Waiting {
        Subscriber* station = nullptr;
        double share = 0;  ///< symbols
    };

    // ranging.cc
    Subscriber* find(const MacAddress& mac, bool established);
    Subscriber* find(uint16_t basic_or_primary_cid);
    std::optional<StationConfig> provisioned(const MacAddress& mac) const;
    Subscriber* admit(const MacAddress& mac);
    void make_room();
    void remove(uint16_t basic_cid, const char* why);
    void on_ranging_request(const RngReq& request, uint16_t cid, const UplinkMeasurement& measured, uint32_t frame);
    void on_ranging_in_grant(Subscriber& station, const RngReq& request);
    void refuse(const MacAddress& mac);
    void answer_ranging(Subscriber& station, uint16_t cid, const RngReq& request, bool in_grant);
    void range_in_place(Subscriber& station);
    void invite_again(Subscriber& station);
    Subscriber* next_invited();
    bool takes_over(Subscriber& newcomer);
    bool entry_grant_due(const Subscriber& station);

    // base_station.cc
    const DestinationMap& destinations();
    FlowContext* flow_of_claimant(const PacketFields& packet);
    FlowContext* flow_of(uint16_t basic_cid, const PacketFields& packet) const;
    bool try_all(const PacketFields& fields, Octets packet);
    bool push(FlowContext* flow, const PacketFields& fields, Octets packet);
    void learn(const Subscriber& station, Octets packet);
    void forget_destinations(uint16_t basic_cid);

    // control.cc
    void on_management(Subscriber& station, Octets message, uint32_t frame);
    void on_sbc_request(Subscriber& station, const SbcReq& request);
    void on_registration(Subscriber& station, const RegReq& request);
    void on_dsa_response(Subscriber& station, const DsaRsp& response);
    void create_flows(Subscriber& station);
    void send_dsa_request(Subscriber& station, FlowContext& flow);
    void activate(Subscriber& station, FlowContext& flow);
    void settle(Subscriber& station);
    void run_timers();
    void check_station(Subscriber& station);
    uint16_t new_transport_cid();

    // receive.cc
    void on_contention_burst(const sap::RxBurst& burst);
    void on_ranging_burst(const sap::RxBurst& burst);
    void on_data_burst(const sap::RxBurst& burst);
    void on_request(const BandwidthRequestHeader& request, uint32_t frame, bool proven);
    void on_pdu(Subscriber& station, const Pdu& pdu, const sap::RxBurst& burst, size_t& useful);
    void measure(Subscriber& station, bool delivered);
    static void settle_request(Subscriber& station, const sap::RxBurst& burst, bool used);
    const sap::RxAllocation* allocation_of(const sap::RxBurst& burst);
    void judge_place(Subscriber& station, const sap::RxBurst& burst, bool whole);

    // uplink.cc
    void plan_uplink();
    bool ranging_region_due(bool idle);
    bool add_region(uint16_t cid, uint8_t uiuc, uint32_t opportunities, bool last, uint32_t early);
    void plan_regions();
    UplinkClaim claim_for(Subscriber& station);
    void claim_for(FlowContext& flow, UplinkClaim& claim);
    Samples slip_holds(const ServiceFlowConfig& flow) const;
    size_t spend(Subscriber& station, size_t octets);
    void schedule_grants();
    size_t room_for_elements() const;
    void withdraw_uplink();
    uint32_t add_grant(Subscriber& station, const UplinkClaim& claim, uint32_t elements);
    void add_burst(const Subscriber& station, UplinkPlaces::Place place);
    void end_map();
    UplinkPlan& plan_of(uint32_t frame) { return plans_[frame % plans_.size()]; }
    sap::RxAllocation allocation(uint32_t symbol) const;
    uint32_t early_samples(const sap::RxAllocation& region) const;

    // downlink.cc
    void fill_downlink(sap::TxFrame& tx);
    void collect_waiting();
    bool dl_map_goes_out() const;
    void build_broadcast(size_t dl_map_octets);
    void share_downlink(double symbols);
    size_t serve(Subscriber& station, PduWriter& writer, size_t limit);
    uint32_t fill_group(const DownlinkGroup& group, uint32_t symbols, sap::TxBurst& burst);

    void event(const std::string& layer, const std::string& text) const;
    /// For lines that anybody on the air can cause.
    void limited_event(EventLimit& kind, const std::string& text);
    void end_silence();

    const BaseStationConfig config_;
    const FrameLayout layout_;
    SduPool pool_;
    SduQueueConfig queue_config_;
    Broadcasts broadcasts_;
    UplinkScheduler scheduler_;

    Samples now_ = 0, silence_until_ = 0;
    uint32_t frame_ = 0;
    bool started_ = false, silent_ = true;
    float eirp_dbm_ = 0;
    std::map<uint16_t, std::unique_ptr<Subscriber>> stations_;  ///< by basic CID
    std::map<uint16_t, uint16_t> basic_by_transport_;
    DestinationMap destinations_;  ///< of active downlink flows, made anew when one has come or gone
    bool destinations_known_ = false;
    LearntAddresses learnt_;
    size_t trial_copies_ = 0;  ///< that packets to unknown addresses may still make
    uint16_t next_basic_ = 1, next_transport_ = cid::kFirstTransport, next_tid_ = 0x8000;
    uint32_t next_sfid_ = 1;
    ManagementQueue initial_;  ///< answers on the initial ranging CID
    Samples next_ranging_region_ = INT64_MIN, ranging_seen_until_ = INT64_MIN;
    uint32_t entry_grants_left_ = 0;  ///< in this frame, for stations that have not registered
    EventLimit admitted_events_, deleted_events_, refused_events_, duplicate_events_;

    UlMap ul_map_;
    UplinkPlaces places_;
    std::array<UplinkPlan, 4> plans_;   ///< by the lowest bits of the frame number
    UplinkPlan* plan_ = plans_.data();  ///< that is being made
    uint32_t open_ranging_regions_ = 0;
    std::vector<UplinkClaim> claims_;
    DlMap dl_map_;
    std::vector<Waiting> waiting_;  ///< by rate, then CID
    std::vector<ServiceHistory*> busy_;
    std::vector<Claim> shares_;
    std::vector<DownlinkGroup> groups_;
    Buffer broadcast_;
    BurstStore bursts_;
    uint32_t rotation_ = 0;

    Counters counters_;
    Symbols dl_symbols_, ul_symbols_;
};

}  // namespace wimax::mac
