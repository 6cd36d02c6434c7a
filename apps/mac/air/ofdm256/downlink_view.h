/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a subscriber station receives from its base station, and how well: synchronisation, descriptors (clause 6.3.11),
 * maps, measurements. It reads the broadcast messages and decides nothing; EntryProcedure acts on them.
 */
#pragma once

#include "mac/air/ofdm256/descriptor_store.h"
#include "mac/air/ofdm256/uplink_map.h"
#include "mac/clock.h"

#include <gnuradio/wimax/phy/base/channel_quality.h>
#include <gnuradio/wimax/phy/frame/frame_reader.h>

namespace wimax::mac {

/// Classification of a broadcast message.
enum class Broadcast : uint8_t {
    malformed,
    foreign,  ///< a DL-MAP of another base station
    dl_map,
    ul_map,           ///< its uplink is known now
    unusable_ul_map,  ///< its UCD is unknown, or the frame length is
    dcd,
    ucd,
};

struct DownlinkCounters {
    uint64_t unsynchronised_ticks = 0, maps = 0, dl_maps = 0, dcds = 0, ucds = 0;
};

class DownlinkView {
public:
    /// `bsid`: accept only this base station. `clock` outlives the view.
    DownlinkView(std::optional<uint64_t> bsid, const FrameClock& clock);

    /// A new PHY must be configured with the DIUCs' rates again.
    /// Back to scanning: discards everything received from this base station.
    void forget();
    void on_tick(const sap::FrameTick& tick);
    /// Call with each burst before its messages.
    void on_burst(const sap::RxBurst& burst, bool broadcast);
    /// Reads a message on the broadcast CID.
    Broadcast on_message(Octets message, const sap::RxBurst& burst);

    bool synchronised() const { return synchronised_; }
    /// Base station that sent the DL-MAP.
    const std::optional<uint64_t>& bsid() const { return bsid_; }
    // As referenced by the maps; before the first map, the newest.
    const Dcd* dcd() const { return in_force(dcds_, dcd_in_force_); }
    const Ucd* ucd() const { return in_force(ucds_, ucd_in_force_); }
    /// Rates of DIUCs in force, -1: unknown.
    const RateTable& diuc_rates() const { return diuc_rates_; }
    /// The uplink of that frame, by the PHY's number; null: not known.
    const UplinkMap* uplink_of(phy::FrameNumber frame) const;
    /// The base station's number of the present frame.
    phy::FrameNumber network_frame() const { return in_network(clock_.frame); }
    /// The base station's number of a frame numbered by the PHY.
    phy::FrameNumber in_network(phy::FrameNumber frame) const { return frame + frame_offset_; }
    uint32_t symbol_slots() const { return symbol_slots_; }
    Samples frame_samples() const { return phy::samples_in_slots(frame_slots_); }

    /// Adds bursts and STC zones of the last DL-MAP that are beyond the frame prefixes.
    void expect_bursts(const sap::RxBurst& broadcast, sap::RxExpect& expect);
    /// True once after each change of the rates of DIUCs.
    bool profiles_changed(sap::ProfilesRequest& profiles);
    /// The most demanding DIUC whose threshold the CINR meets.
    uint8_t preferred_diuc() const;

    float rssi_dbm() const { return rssi_dbm_; }
    float cinr_db() const { return cinr_db_; }
    float frequency_offset_hz() const { return frequency_offset_hz_; }
    float clock_offset_ppm() const { return clock_offset_ppm_; }
    const phy::ChannelQuality& quality() const { return quality_; }
    /// The measurements that REP-REQ asks for (clauses 8.3.9 and 6.3.2.3.33). Pre: `asked.request` is set.
    RepRsp report(const RepReq& asked);

    const DownlinkCounters& counters() const { return counters_; }

private:
    static constexpr float kNoLevelDbm = -200, kNoCinrDb = -100;  ///< before the first burst

    template <class Descriptor>
    static const Descriptor* in_force(const DescriptorStore<Descriptor>& all, std::optional<uint8_t> count) {
        const Descriptor* named = count ? all.find(*count) : nullptr;
        return named ? named : all.newest();
    }
    bool read_dl_map();
    void read_dcd(const sap::RxBurst& burst);
    bool read_ul_map(const sap::RxBurst& burst);
    void use_profiles(uint8_t dcd_count);

    const std::optional<uint64_t> wanted_bsid_;
    const FrameClock& clock_;

    bool synchronised_ = false;
    uint32_t frame_offset_ = 0;  ///< to be added for the base station's 24-bit number
    uint32_t symbol_slots_ = 0, frame_slots_ = 0;
    float rssi_dbm_ = kNoLevelDbm, cinr_db_ = kNoCinrDb, frequency_offset_hz_ = 0, clock_offset_ppm_ = 0;
    phy::ChannelQuality quality_;  ///< of the broadcast bursts

    std::optional<uint64_t> bsid_;
    DescriptorStore<Dcd> dcds_;
    DescriptorStore<Ucd> ucds_;
    RateTable diuc_rates_{};
    bool profiles_changed_ = false;
    std::optional<uint8_t> dcd_in_force_, ucd_in_force_;  ///< as referenced by the maps
    std::array<UplinkMap, 2> uplinks_;  ///< of this frame and the next, by the lowest bit of the number
    bool dl_map_fresh_ = false;         ///< the last burst carried one
    // Messages being read: their lists keep their memory
    DlMap dl_map_;
    std::vector<phy::MapElement> elements_;  ///< of the DL-MAP
    phy::Announced announced_;
    UlMap ul_map_;
    Dcd dcd_;
    Ucd ucd_;

    DownlinkCounters counters_;
};

}  // namespace wimax::mac
