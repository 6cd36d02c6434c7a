/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Subscriber station MAC: network entry as a chain of states, maps to bursts, service flows. Split over several files
 * by task: entry.cc (states, timers, ranging), messages.cc (management messages), uplink.cc (grants, requests,
 * contention), status.cc.
 */
#pragma once

#include <mac/burst_store.h>
#include <mac/cs/classifier.h>
#include <mac/flow/flow_parameters.h>
#include <mac/flow/management_queue.h>
#include <mac/flow/reassembler.h>
#include <mac/flow/transmitter.h>
#include <mac/pdu/cid.h>
#include <mac/ss/backoff.h>
#include <mac/ss/channel.h>
#include <mac/ss/request_record.h>

#include <gnuradio/wimax/phy/channel_quality.h>

#include <memory>

namespace wimax::mac {

enum class SsState : uint8_t {
    scanning,      ///< no downlink
    downlink_map,  ///< synchronised, DL-MAP awaited (T21)
    descriptors,   ///< DCD and UCD awaited (T1, T12)
    ranging,       ///< initial ranging (T2, T3)
    capabilities,  ///< SBC-RSP awaited (T18)
    registration,  ///< REG-RSP awaited (T6)
    registered,    ///< service flows awaited
    operational,
};
const char* to_string(SsState state);

class SubscriberStation final : public Station {
public:
    explicit SubscriberStation(const SubscriberConfig& config);

    sap::ConfigRequest phy_config() const override;
    void on_phy_start(const sap::ConfigConfirm& confirm) override;
    void on_tick(const sap::FrameTick& tick, sap::TxFrame& tx, sap::RxExpect& expect) override;
    bool on_burst(const sap::RxBurst& burst, sap::RxExpect& expect) override;
    void on_error(const sap::ErrorIndication& error) override;
    bool profiles_changed(sap::ProfilesRequest& profiles) override;
    bool push_sdu(Octets packet) override;
    nlohmann::json status() const override;
    bool operational() const override { return state_ == SsState::operational && !muted_; }

private:
    struct Flow {
        uint32_t sfid = 0;
        uint16_t cid = 0, tid = 0;
        ServiceFlowConfig config;
        std::unique_ptr<FlowTransmitter> transmitter;
        std::unique_ptr<Reassembler> reassembler;
        RequestRecord request;
        size_t planned = 0;           ///< octets in the frame being built
        size_t piggyback = 0;         ///< likewise: asked for; UGS: the whole grant management subheader
        uint32_t slipped_frames = 0;  ///< UGS: in a row, with grants that have left whole packets
        bool ugs() const { return config.scheduling == SchedulingType::ugs; }
        size_t demand() const { return transmitter ? transmitter->demand() : 0; }
    };
    /// DSA transaction answered and not yet acknowledged (T8), and later kept for repeated requests (T10).
    struct Transaction {
        uint16_t tid = 0;
        DsaRsp response;
        Timer t8, t10;
        int sent = 0;
        bool acknowledged = false;
    };
    enum class RangingStep : uint8_t { contention, waiting, invited };
    struct Grant {
        uint32_t start_slot = 0, data_symbols = 0;
        uint8_t rate_id = 0, uiuc = 0, midamble = 0, subchannel = kAllSubchannels;
    };
    struct Counters {
        uint64_t frames = 0, unsynchronised = 0, maps = 0, maps_unusable = 0, dl_maps = 0, dcds = 0, ucds = 0;
        uint64_t bursts = 0, undecoded_bursts = 0, stopped_bursts = 0, malformed = 0, foreign_pdus = 0;
        uint64_t grants = 0, grants_unusable = 0, ul_capacity_bytes = 0, ul_payload_bytes = 0;
        uint64_t ranging_attempts = 0, ranging_invited = 0, contention_requests = 0, contention_lost = 0;
        uint64_t aggregate_requests = 0, piggyback_requests = 0, corrections = 0;
        uint64_t unclassified = 0, refused_sdus = 0, restarts = 0, late = 0, errors = 0;
        uint64_t dl_sdus = 0, dl_bytes = 0, dl_dropped = 0, ul_sdus = 0, ul_bytes = 0,
                 ul_dropped = 0;  // of deleted flows
    };

    // entry.cc
    void set_state(SsState state, const std::string& why);
    void restart(const std::string& why);
    void start_ranging(const std::string& why);
    void forget_network();
    void run_timers();
    void run_ranging_timers();
    void contend_for_ranging();
    void run_transactions();
    void descriptors_known();
    void add_ranging(const UplinkMapInForce& map, sap::TxFrame& tx);
    void send_ranging_request(uint32_t start_slot, uint16_t cid, sap::TxFrame& tx, const UplinkMapInForce& map);
    void apply_corrections(const RngRsp& rsp);
    void on_ranging_response(const RngRsp& rsp, uint16_t cid);
    uint8_t preferred_diuc() const;
    float power_ceiling_dbm() const;
    bool mine(const RngRsp& rsp, uint16_t cid) const;

    // messages.cc
    void on_pdu(const Pdu& pdu, const sap::RxBurst& burst);
    void on_broadcast(Octets message, const sap::RxBurst& burst);
    void on_management(Octets message, uint16_t cid);
    void on_dl_map(const DlMap& map);
    void on_ul_map(const UlMap& map, const sap::RxBurst& burst);
    void on_dcd(const Dcd& dcd, const sap::RxBurst& burst);
    void on_ucd(const Ucd& ucd);
    void on_dsa_request(const DsaReq& request);
    void on_dsa_acknowledge(const DsaAck& ack);
    void on_deregistration(const DregCmd& command);
    void use_profiles(uint8_t dcd_count);
    bool add_flow(const ServiceFlow& parameters, FlowDirection direction, DsaRsp& response);
    void delete_flow(uint32_t sfid);
    void undo(uint16_t tid, const std::string& why);
    void drop_flows();
    void send_sbc_request();
    void send_registration();
    void send_report(const RepReq& asked);
    void check_operational();
    Flow* flow_by_cid(uint16_t cid);

    // uplink.cc
    void build_uplink(const UplinkMapInForce& map, sap::TxFrame& tx);
    void collect_grants(const UplinkMapInForce& map);
    bool fill_grants(const UplinkMapInForce& map, sap::TxFrame& tx);
    void fill_flows(PduWriter& writer, bool ugs, size_t kept);
    void add_requests(PduWriter& writer, bool last);
    bool add_request(PduWriter& writer, RequestRecord& record, uint16_t cid, size_t backlog);
    size_t flows_with_ugs() const;
    void plan_ugs();
    void tell_slips();
    void watch_slips();
    void plan_others(size_t room);
    size_t plan_group(size_t first, size_t end, size_t room);
    void plan_request(Flow& flow, size_t backlog);
    void note_granted(size_t left);
    void expire_requests();
    void add_contention(const UplinkMapInForce& map, sap::TxFrame& tx);
    void contention_unanswered();
    struct Contender {
        uint16_t cid = 0;
        size_t backlog = 0;
        RequestRecord* record = nullptr;
        Flow* flow = nullptr;  ///< null: management
    };
    Contender contender();
    uint32_t first_uplink_slot(const UplinkMapInForce& map) const;
    uint32_t next_uplink_slot(const UplinkMapInForce& map) const;
    const UplinkMapInForce* map_for(uint32_t frame) const;
    uint32_t slot(const UplinkMapInForce& map, uint32_t symbol) const {
        return map.start_slot + symbol * symbol_slots_;
    }

    Samples from_ms(int64_t ms) const { return ms * sample_rate_hz_ / 1000; }
    void event(const std::string& layer, const std::string& text) const;

    const SubscriberConfig config_;
    SduPool pool_;
    Backoff::Random random_;

    // Clock and channel
    Samples now_ = 0, started_at_ = -1, heard_at_ = -1, operational_at_ = -1, blocked_until_ = INT64_MIN;
    int64_t sample_rate_hz_ = 1;
    uint32_t frame_ = 0;         ///< the PHY's count
    uint32_t frame_offset_ = 0;  ///< to be added for the base station's 24-bit number
    uint32_t symbol_slots_ = 0, frame_slots_ = 0;
    bool synchronised_ = false;
    float rssi_dbm_ = -200, cinr_db_ = -100, frequency_offset_hz_ = 0, clock_offset_ppm_ = 0, max_power_dbm_ = 0;
    phy::ChannelQuality quality_;  ///< of the broadcast bursts
    std::optional<uint64_t> bsid_;
    DescriptorStore<Dcd> dcds_;
    DescriptorStore<Ucd> ucds_;
    RateTable diuc_rates_{}, uiuc_rates_{};
    bool profiles_changed_ = false;
    std::optional<uint8_t> dcd_in_force_;  ///< as the DL-MAPs say
    std::array<UplinkMapInForce, 2> maps_;
    DlMap dl_map_;
    UlMap ul_map_;
    Dcd dcd_, lasting_dcd_;
    Ucd ucd_;
    bool dl_map_fresh_ = false;

    // State machine
    SsState state_ = SsState::scanning;
    RangingStep ranging_step_ = RangingStep::contention;
    Backoff ranging_backoff_, request_backoff_;
    uint16_t basic_cid_ = 0, primary_cid_ = 0;
    int attempts_ = 0;                                      ///< of the message the state waits for
    uint32_t ranging_frame_ = 0, ranging_opportunity_ = 0;  ///< of the last RNG-REQ
    bool muted_ = false;                                    ///< DREG-CMD 1
    Timer lost_dl_map_, lost_ul_map_, t1_, t2_, t3_, t4_, t6_, t12_, t18_, t21_, flows_timer_;

    // What goes out with every frame
    int32_t timing_advance_samples_ = 0;
    float frequency_adjust_hz_ = 0, power_dbm_ = 0;
    bool at_maximum_power_ = false;

    ManagementQueue management_;
    RequestRecord management_request_;
    Reassembler primary_;
    std::vector<std::unique_ptr<Flow>> flows_;
    std::vector<Transaction> transactions_;
    std::vector<Grant> grants_;
    BurstStore bursts_;
    size_t header_octets_ = 0;     ///< for requests that no data carry, in the frame being built
    bool contending_ = false;      ///< a request waits for its opportunity
    uint32_t answer_awaited_ = 0;  ///< UL-MAPs until a contention request counts as lost
    uint16_t asked_cid_ = 0;       ///< of that request

    Counters counters_;
};

}  // namespace wimax::mac
