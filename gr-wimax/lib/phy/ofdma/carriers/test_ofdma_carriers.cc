// SPDX-License-Identifier: GPL-3.0-or-later
// Permutations, scrambler, preambles and ranging codes against the golden vectors, then their properties.
#include <gnuradio/wimax/phy/ofdma/carriers/carrier_scrambler.h>
#include <gnuradio/wimax/phy/ofdma/carriers/dl_pusc.h>
#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_preamble.h>
#include <gnuradio/wimax/phy/ofdma/carriers/ofdma_transform.h>
#include <gnuradio/wimax/phy/ofdma/carriers/ranging_code.h>

#include "phy/ofdma/carriers/test_ofdma_support.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace gr::wimax::phy::ofdma::test_ofdma_carriers {
namespace {

using namespace gr::wimax::phy::ofdma::test;
using Numbers = std::vector<int>;

void expect_sums(const nlohmann::json& expected, std::span<const Complex> samples) {
    const auto found = sums(samples);
    const auto pair = [](const nlohmann::json& value) {
        return std::complex<double>(value[0].get<double>(), value[1].get<double>());
    };
    ASSERT_EQ(samples.size(), expected.at("samples").get<size_t>());
    EXPECT_NEAR(std::abs(found.sum - pair(expected.at("sum"))), 0, 1e-3);
    EXPECT_NEAR(found.power, expected.at("sum_abs2").get<double>(), 0.01);
    EXPECT_NEAR(std::abs(found.sum_n - pair(expected.at("sum_n_times_x"))), 0, 0.5);
    for (size_t i = 0; i < 8; ++i)
        EXPECT_NEAR(std::abs(std::complex<double>(samples[i]) - pair(expected.at("first8")[i])), 0, 1e-5) << i;
}

TEST(OfdmaNumerology, SampleRatesAndTheFrame) {
    for (const auto& row : outputs("numerology").at("rows")) {
        const auto n = OfdmaNumerology::make(row.at("bandwidth_hz").get<int64_t>(), CyclicPrefix::g1_8);
        ASSERT_TRUE(n);
        EXPECT_EQ(n->sample_rate_hz, row.at("fs_hz").get<int64_t>());
    }
    const auto ten = OfdmaNumerology::make(10'000'000, CyclicPrefix::g1_8);
    EXPECT_EQ(ten->frame_samples(), outputs("frame_10mhz").at("frame_samples").get<int64_t>());
    EXPECT_EQ(ten->symbol_samples(), inputs("frame_10mhz").at("symbol_samples").get<int>());
    EXPECT_EQ(ten->symbol_slots(), 288);
    EXPECT_FALSE(OfdmaNumerology::make(1'249'999, CyclicPrefix::g1_8));
    EXPECT_FALSE(OfdmaNumerology::make(28'000'001, CyclicPrefix::g1_8));
}

TEST(DlPusc, ClustersOfTheVectors) {
    const auto& zones = inputs("dl_cluster_map").at("zones");
    for (size_t i = 0; i < zones.size(); ++i) {
        const DlPusc pusc(zones[i][0] == "first" ? DlZone::first : DlZone::later, zones[i][1].get<int>());
        EXPECT_EQ(list<int>(pusc.physical_clusters()),
                  outputs("dl_cluster_map").at("physical_of_logical")[i].get<Numbers>());
    }
}

TEST(DlPusc, CarriersOfTheVectors) {
    const auto names = cases_of("dl_pusc_carriers_");
    ASSERT_EQ(names.size(), 4U);
    for (const auto& name : names) {
        const DlPusc pusc(inputs(name).at("first_zone").get<bool>() ? DlZone::first : DlZone::later,
                          inputs(name).at("perm_base").get<int>());
        const auto subchannels = inputs(name).at("subchannels").get<Numbers>();
        for (size_t i = 0; i < subchannels.size(); ++i) {
            EXPECT_EQ(list<int>(pusc.carriers(subchannels[i], 0)), outputs(name).at("even_symbol")[i].get<Numbers>());
            EXPECT_EQ(list<int>(pusc.carriers(subchannels[i], 3)), outputs(name).at("odd_symbol")[i].get<Numbers>());
        }
    }
}

TEST(DlPusc, PilotsOfTheVectors) {
    const DlPusc pusc(DlZone::first, 0);
    for (const auto& name : cases_of("dl_pilots_groups_"))
        for (int symbol : {0, 1}) {
            Numbers pilots;
            for (const int group : inputs(name).at("groups").get<Numbers>())
                for (const int16_t carrier : pusc.pilots(group, symbol)) pilots.push_back(carrier);
            std::ranges::sort(pilots);
            EXPECT_EQ(pilots, outputs(name).at(symbol == 0 ? "even_symbol" : "odd_symbol").get<Numbers>()) << name;
        }
    EXPECT_EQ(outputs("dl_pilots_groups_2").at("value_before_scrambling"), "4/3");
    EXPECT_FLOAT_EQ(kDlPilotAmplitude, 4.0F / 3.0F);
}

TEST(DlPusc, FirstZoneNumbersFromTheSegmentOn) {
    const auto& rows = inputs("first_zone_logical_subchannels").at("segment_and_groups");
    for (size_t i = 0; i < rows.size(); ++i) {
        DlGroupSet groups = 0;
        for (const int group : rows[i][1].get<Numbers>()) groups = static_cast<DlGroupSet>(groups | 1U << group);
        EXPECT_EQ(list<int>(first_zone_subchannels(rows[i][0].get<int>(), groups)),
                  outputs("first_zone_logical_subchannels").at("physical_of_logical")[i].get<Numbers>());
    }
}

TEST(DlPusc, EveryLoadedCarrierOnceInEverySymbol) {
    for (int perm_base = 0; perm_base < 32; ++perm_base)
        for (const auto zone : {DlZone::first, DlZone::later})
            for (int symbol : {0, 1}) {
                const DlPusc pusc(zone, perm_base);
                std::set<int> carriers;
                for (int s = 0; s < kDlSubchannels; ++s)
                    for (const int16_t carrier : pusc.carriers(s, symbol)) carriers.insert(carrier);
                for (int group = 0; group < kDlGroups; ++group)
                    for (const int16_t carrier : pusc.pilots(group, symbol)) carriers.insert(carrier);
                EXPECT_EQ(carriers.size(), static_cast<size_t>(kLoaded));
                EXPECT_FALSE(carriers.contains(kDcCarrier));
            }
}

TEST(UlPusc, TilesOfTheVectors) {
    for (const auto& name : cases_of("ul_tiles_permbase_"))
        for (int s = 0; s < kUlSubchannels; ++s)
            for (int n = 0; n < kSlotTiles; ++n)
                EXPECT_EQ(ul_tile(kUlTilePermutation1024, inputs(name).at("perm_base").get<int>(), s, n),
                          outputs(name).at("tiles")[static_cast<size_t>(s)][static_cast<size_t>(n)].get<int>());
}

TEST(UlPusc, TilePermutationIsPowersOfAPrimitiveRoot) {
    for (int i = 0, power = 13; i < kUlSubchannels; ++i, power = power * 13 % 37)
        EXPECT_EQ(kUlTilePermutation1024[static_cast<size_t>(i)], power - 2);
}

TEST(UlPusc, SlotsOfTheVectors) {
    for (const auto& name : cases_of("ul_slot_subchannel_")) {
        const UlPusc pusc(inputs(name).at("perm_base").get<int>());
        const int subchannel = inputs(name).at("subchannel_after_rotation").get<int>();
        const auto data = pusc.data(subchannel);
        for (size_t n = 0; n < data.size(); ++n)
            EXPECT_EQ((Numbers{data[n].symbol, data[n].carrier}),
                      outputs(name).at("symbol_and_carrier_of_point_n")[n].get<Numbers>());
        std::set<std::pair<int, int>> pilots;
        for (const auto place : pusc.pilots(subchannel)) pilots.emplace(place.symbol, place.carrier);
        std::set<std::pair<int, int>> corners;
        for (const auto& tile : outputs(name).at("tile_carriers"))
            for (int symbol : {0, 2})
                for (size_t corner : {0U, 3U}) corners.emplace(symbol, tile[corner].get<int>());
        EXPECT_EQ(pilots, corners);
    }
}

TEST(UlPusc,
     PublishedExampleOf2048Carriers) {  // 8.4.9.4.4: formulas with N = 70 and the permutation 7^(i+1) mod 71 - 1
    const auto& in = inputs("standard_example_8_4_9_4_4");
    const auto& out = outputs("standard_example_8_4_9_4_4");
    std::vector<uint8_t> permutation;
    for (int power = 7; permutation.size() < 70; power = power * 7 % 71)
        permutation.push_back(static_cast<uint8_t>(power - 1));
    std::vector<uint8_t> all(70);
    std::iota(all.begin(), all.end(), uint8_t{0});
    const int logical = in.at("subchannel").get<int>();
    for (int slot_time : {0, 1}) {
        const int physical = ul_rotated(all, slot_time)[static_cast<size_t>(logical)];
        EXPECT_EQ(physical, slot_time == 0 ? logical : out.at("subchannel_in_slot_time_1").get<int>());
        for (int n = 0; n < kSlotTiles; ++n) {
            const int index = 4 * ul_tile(permutation, in.at("ul_perm_base").get<int>(), physical, n);
            EXPECT_EQ(184 + index + (index >= 840 ? 1 : 0),
                      out.at("tile_first_carriers")[static_cast<size_t>(slot_time)][static_cast<size_t>(n)].get<int>());
        }
    }
}

TEST(UlSlots, RotationOfTheVectors) {
    std::vector<uint8_t> all(kUlSubchannels);
    std::iota(all.begin(), all.end(), uint8_t{0});
    const auto times = inputs("ul_rotation").at("slot_times").get<Numbers>();
    for (size_t i = 0; i < times.size(); ++i)
        EXPECT_EQ(list<int>(ul_rotated(all, times[i])), outputs("ul_rotation").at("all_free")[i].get<Numbers>());
    EXPECT_EQ(list<int>(ul_rotated(std::span(all).subspan(6), 1)),
              outputs("ul_rotation").at("slot_time_1_without_0_to_5").get<Numbers>());
}

TEST(UlSlots, CountedAlongTimeWithoutRegions) {
    const auto& in = inputs("ul_slots_along_time");
    const UlRegion region{0, 0, 3, 6};
    const UlSlots slots(3 * in.at("slot_times").get<int>(), true, {&region, 1});
    EXPECT_EQ(slots.count(), 4 * kUlSubchannels - 6);
    Numbers found;
    for (const auto& slot : slots.slots().subspan(in.at("first").get<size_t>(), in.at("count").get<size_t>())) {
        found.push_back(slot.logical);
        found.push_back(slot.slot_time);
    }
    EXPECT_EQ(found, outputs("ul_slots_along_time").at("subchannel_slot_time").get<Numbers>());
}

TEST(UlSlots, NoTwoSlotsInOnePlace) {
    const UlRegion regions[] = {{0, 0, 3, 6}, {4, 30, 1, 2}};
    for (const bool rotation : {false, true}) {
        const UlSlots slots(18, rotation, regions);
        std::set<std::pair<int, int>> places;
        for (const auto& slot : slots.slots()) places.emplace(slot.subchannel, slot.slot_time);
        EXPECT_EQ(places.size(), static_cast<size_t>(6 * kUlSubchannels - 8));
        EXPECT_FALSE(places.contains({3, 0}));
        EXPECT_FALSE(places.contains({31, 1}));
    }
}

TEST(CarrierScrambler, SequenceOfTheStandardsTest) {
    std::vector<uint8_t> bits(64);
    scrambler_bits(0b10101010101, bits);
    EXPECT_EQ(to_bytes(bits), hex_at(outputs("prbs_test"), "w"));
}

std::vector<uint8_t> first_128(const CarrierScrambler& scrambler, int symbol) {
    std::vector<uint8_t> bits;
    for (const float sign : scrambler.signs(symbol).first<128>()) bits.push_back(sign < 0 ? 1 : 0);
    return to_bytes(bits);
}

TEST(CarrierScrambler, SignsOfTheVectors) {
    for (const auto& name : cases_of("dl_scrambler_")) {
        const auto& in = inputs(name);
        const auto scrambler = CarrierScrambler::downlink(in.at("idcell").get<int>(), in.at("segment").get<int>());
        EXPECT_EQ(first_128(scrambler, 0), hex_at(outputs(name), "w_first_128")) << name;
    }
    for (const auto& name : cases_of("ul_scrambler_")) {
        const auto& in = inputs(name);
        const auto scrambler =
            CarrierScrambler::uplink(in.at("idcell").get<int>(), in.at("frame_number").get<uint32_t>());
        EXPECT_EQ(first_128(scrambler, 0), hex_at(outputs(name), "w_first_128")) << name;
        EXPECT_EQ(scrambler.sign(33, 100), scrambler.signs(0)[9]);
    }
}

TEST(OfdmaPreamble, SamplesOfTheVectors) {
    OfdmaTransform transform;
    for (const auto& name : cases_of("preamble_")) {
        const int index = inputs(name).at("index").get<int>();
        EXPECT_EQ(preamble_segment(index), outputs(name).at("segment").get<int>());
        EXPECT_EQ(preamble_id_cell(index), outputs(name).at("idcell").get<int>());
        std::array<Complex, kFft> carriers, body;
        preamble_carriers(index, carriers);
        transform.modulate(carriers, 0, body);
        expect_sums(outputs(name).at("body"), body);
        std::array<Complex, kFft> back;
        transform.demodulate(body, back);
        for (size_t i = 0; i < back.size(); ++i) EXPECT_NEAR(std::abs(back[i] - carriers[i]), 0, 1e-4);
    }
}

TEST(OfdmaPreamble, PeakToAverageIsAsDesigned) {  // random sequences have 6.4 dB and more
    OfdmaTransform transform;
    for (int index = 0; index < kPreambles; ++index) {
        std::array<Complex, kFft> carriers, body;
        preamble_carriers(index, carriers);
        transform.modulate(carriers, 0, body);
        float peak = 0, power = 0;
        for (const Complex x : body) {
            peak = std::max(peak, std::norm(x));
            power += std::norm(x) / kFft;
        }
        EXPECT_LT(10 * std::log10(peak / power), 4.7) << index;
    }
}

TEST(RangingCode, BitsOfTheVectors) {
    for (const auto& name : cases_of("ranging_code_")) {
        const auto code = ranging_code(inputs(name).at("code").get<int>(), inputs(name).at("ul_perm_base").get<int>());
        EXPECT_EQ(to_bytes(list<uint8_t>(code)), hex_at(outputs(name), "bits_144")) << name;
    }
}

TEST(RangingCode, CarriersOfTheVector) {
    const UlPusc pusc(inputs("ranging_carriers").at("ul_perm_base").get<int>());
    const auto carriers = ranging_carriers(pusc, inputs("ranging_carriers").at("first_subchannel").get<int>());
    EXPECT_EQ(list<int>(carriers), outputs("ranging_carriers").at("carriers").get<Numbers>());
}

TEST(RangingCode, DistinctCodesCorrelateLittle) {
    for (int a = 0; a < 64; ++a)
        for (int b = 0; b < a; ++b) {
            const auto x = ranging_code(a, 0), y = ranging_code(b, 0);
            int equal = 0;
            for (size_t i = 0; i < x.size(); ++i) equal += x[i] == y[i] ? 1 : -1;
            EXPECT_LT(std::abs(equal), 72) << a << " " << b;
        }
}

}  // namespace
}  // namespace gr::wimax::phy::ofdma::test_ofdma_carriers
