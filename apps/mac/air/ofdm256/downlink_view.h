// SPDX-License-Identifier: GPL-3.0-or-later
// What a subscriber station receives from its base station, and how well: synchronisation, descriptors (clause 6.3.11),
// maps, measurements. EntryProcedure acts on them.
#pragma once

#include "mac/air/ofdm256/descriptor_store.h"
#include "mac/air/ofdm256/uplink_map.h"

#include <gnuradio/wimax/phy/frame/frame_reader.h>

namespace wimax::mac {

/// Rules of contention that this UCD announces. Fields that it lacks have defaults.
ContentionTerms terms_of(const Ucd& ucd);

class DownlinkView final : public SubscriberAir {
public:
    /// `bsid`: accept only this base station. `clock` outlives the view.
    DownlinkView(std::optional<uint64_t> bsid, Edition edition, const FrameClock& clock);

    void forget() override;
    void on_tick(const sap::FrameTick& tick) override;
    void on_burst(const sap::RxBurst& burst, bool broadcast) override;
    Broadcast on_message(Octets message, ReadBurst& reading, const sap::RxBurst& burst, uint16_t basic_cid) override;
    void expect(const sap::RxBurst& broadcast, const UplinkRights& rights, sap::RxExpect& expect) override;
    bool profiles_changed(sap::ProfilesRequest& profiles) override;
    void describe(SbcReq& request) const override;
    /// Clauses 8.3.9 and 6.3.2.3.33.
    RepRsp report(const RepReq& asked) override;

    const UplinkMap* uplink_of(phy::FrameNumber frame) const override;
    std::optional<ContentionTerms> contention_terms() const override { return terms_; }
    std::optional<uint8_t> dcd_count() const override {
        return dcd() ? std::optional(dcd()->change_count) : std::nullopt;
    }
    /// EIRxP,IR,max + BS_EIRP - RSSI.
    std::optional<float> ranging_ceiling_dbm() const override;
    float density_gain_db(const sap::TxFrame& tx) const override;
    std::optional<ProfileId> profile_of(uint8_t diuc) const override { return mac::profile_of(diuc_rates_, diuc); }
    uint8_t code_of(ProfileId profile) const override;
    uint8_t preferred_code() const override;
    std::optional<Rows> read_thresholds(RateThresholds& thresholds) const override;
    ProfileId profile_of(const sap::RxBurst& burst) const override { return mac::profile_of(burst); }
    bool in_zone(const sap::RxBurst& burst) const override;
    void tap_sent(PduTap& tap, uint16_t basic_cid, const sap::TxFrame& tx) const override;
    void tap_received(PduTap& tap, const sap::RxBurst& burst, bool broadcast) const override;

    // As referenced by the maps; before the first map, the newest.
    const Dcd* dcd() const { return in_force(dcds_, dcd_in_force_); }
    const Ucd* ucd() const { return in_force(ucds_, ucd_in_force_); }
    /// Adds bursts and STC zones of the last DL-MAP that are beyond the frame prefixes.
    void expect_bursts(const sap::RxBurst& broadcast, sap::RxExpect& expect);

private:
    template <class Descriptor>
    static const Descriptor* in_force(const DescriptorStore<Descriptor>& all, std::optional<uint8_t> count) {
        const Descriptor* named = count ? all.find(*count) : nullptr;
        return named ? named : all.newest();
    }
    bool read(const DlMap& map);
    void read(const Dcd& dcd, const sap::RxBurst& burst);
    bool read(const IndexedUlMap& indexed, const sap::RxBurst& burst, uint16_t basic_cid);
    void use_profiles(uint8_t dcd_count);
    void use_ucd();

    const std::optional<uint64_t> wanted_bsid_;
    uint32_t symbol_slots_ = 0;

    DescriptorStore<Dcd> dcds_;
    DescriptorStore<Ucd> ucds_;
    RateTable diuc_rates_{}, uiuc_rates_{};  ///< of the descriptors in force
    std::optional<uint32_t> rates_version_;  ///< DownlinkState::dcd_version that diuc_rates_ come from
    std::optional<ContentionTerms> terms_;   ///< of the UCD in force
    bool profiles_changed_ = false;
    std::optional<uint8_t> dcd_in_force_, ucd_in_force_;  ///< as referenced by the maps
    std::array<UplinkMap, 2> uplinks_;  ///< of this frame and the next, by the lowest bit of the number
    bool dl_map_fresh_ = false;         ///< the last burst carried one
    // Their lists keep their memory
    std::vector<phy::MapElement> elements_;  ///< of the DL-MAP
    phy::Announced announced_;
    Dcd dcd_;
};

}  // namespace wimax::mac
