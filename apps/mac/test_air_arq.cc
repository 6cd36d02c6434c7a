// SPDX-License-Identifier: GPL-3.0-or-later
// ARQ from MAC to MAC: transport PDUs and feedback are lost, maps are not; packets are not lost and not reordered.
#include "mac/pdu/cid.h"
#include "mac/test_link.h"

#include <gtest/gtest.h>

#include <random>

namespace wimax::mac::test {
namespace test_air_arq {

ServiceFlowConfig flow_of(FlowDirection direction, const ArqConfig& arq) {
    ServiceFlowConfig flow;
    flow.direction = direction;
    flow.arq = arq;
    return flow;
}
ArqConfig for_ever() {
    ArqConfig arq;
    arq.enable = true;
    arq.block_lifetime_ms = arq.rx_purge_timeout_ms = arq.sync_loss_timeout_ms = 0;
    return arq;
}
BaseStationConfig with_arq(const ArqConfig& arq) {
    BaseStationConfig config;
    config.unknown_station->flows = {flow_of(FlowDirection::downlink, arq), flow_of(FlowDirection::uplink, arq)};
    return config;
}

/// One station, both queues never empty; each transport PDU and each feedback message is lost with probability `loss`.
struct Lossy : Air {
    explicit Lossy(const BaseStationConfig& config, double p = 0, uint32_t seed = 1)
        : Air(config), station(add({10, kNearDb, 0})), loss(p), random(seed) {
        station.config.codel_target_frames = 0;
        restart(station);
        entered = run_until([&] { return all_operational() && bs->operational(); }, frames(6)) >= 0;
        keep_numbers = true;
        tamper = [this](sap::RxBurst& burst) { lose(burst); };
    }
    void lose(sap::RxBurst& burst) {
        PduReader reader(burst.payload);
        while (const auto pdu = reader.next()) {
            const bool feedback =
                message_type(pdu->body) == MessageType::arq_feedback && !cid::is_transport(pdu->cid());
            if (pdu->is_request || !(cid::is_transport(pdu->cid()) || feedback)) continue;
            ++pdus;
            riding += (pdu->header.type & type::kArqFeedback) != 0;
            alone += feedback;
            if (ArqFeedback message; feedback && mac::decode(pdu->body, message))
                for (const auto& ie : message.ies) sequences += ie.ack_type == AckType::cumulative_sequences;
            if (std::uniform_real_distribution<>(0, 1)(random) >= loss) continue;
            burst.payload[pdu->offset + pdu->octets.size() - 1] ^= 0x55;  // of its CRC
            ++lost;
        }
    }
    /// Runs `frames` frames with at least `backlog` packets waiting at each end.
    void saturate(int frames, size_t octets, size_t backlog) {
        for (int i = 0; i < frames; ++i) {
            while (down - station.dl_numbers.size() < backlog)
                bs->push_sdu(ip_packet(kServer, station_address(0), octets, 5000, down++));
            while (up - ul_numbers.size() < backlog)
                station.mac->push_sdu(ip_packet(station_address(0), kServer, octets, 5000, up++));
            step();
        }
    }
    /// Offers `packets` packets per frame to each end.
    void offer(int frames, int packets) {
        for (int i = 0; i < frames; ++i) {
            for (int k = 0; k < packets; ++k) {
                bs->push_sdu(ip_packet(kServer, station_address(0), 1400, 5000, down++));
                station.mac->push_sdu(ip_packet(station_address(0), kServer, 1400, 5000, up++));
            }
            step();
        }
    }
    /// Until everything has arrived.
    void drain(int frames) {
        run_until([&] { return station.dl_numbers.size() == down && ul_numbers.size() == up; }, frames);
    }
    static size_t in_order(const std::vector<uint32_t>& numbers) {
        size_t count = 0;
        for (const uint32_t number : numbers) count += number == count;
        return count;
    }
    Terminal& station;
    double loss;
    std::mt19937 random;
    bool entered = false;
    uint32_t down = 0, up = 0;
    uint64_t pdus = 0, lost = 0, riding = 0, alone = 0, sequences = 0;
};

BaseStationConfig without_queue_management(BaseStationConfig config) {
    config.codel_target_frames = 0;
    return config;
}

TEST(Arq, NothingIsLostOrReorderedAndGoodputIsKept) {
    std::array<double, 2> down{}, up{};
    for (const double p : {0.0, 0.1}) {
        Lossy cell(without_queue_management(with_arq(for_ever())), p);
        ASSERT_TRUE(cell.entered);
        cell.saturate(30, 1400, 120);
        const size_t before_down = cell.station.dl_numbers.size(), before_up = cell.ul_numbers.size();
        cell.saturate(600, 1400, 120);
        down[p > 0] = static_cast<double>(cell.station.dl_numbers.size() - before_down);
        up[p > 0] = static_cast<double>(cell.ul_numbers.size() - before_up);
        cell.drain(300);
        EXPECT_EQ(Lossy::in_order(cell.station.dl_numbers), cell.down);
        EXPECT_EQ(Lossy::in_order(cell.ul_numbers), cell.up);
        EXPECT_EQ(cell.station.dl_numbers.size(), cell.down);
        EXPECT_EQ(cell.ul_numbers.size(), cell.up);
        EXPECT_GT(cell.riding, 500U);
        EXPECT_EQ(cell.lost > 0, p > 0);
        EXPECT_EQ(cell.overlaps + cell.oversized + cell.stray_bursts, 0U);
    }
    EXPECT_GT(down[1], 0.9 * 0.9 * down[0]) << down[0];
    EXPECT_GT(up[1], 0.9 * 0.9 * up[0]) << up[0];
}

/// For ends that do not know block sequences, each end can send feedback without them. Data in one direction alone, so
/// that feedback is not part of data PDUs.
TEST(Arq, SequencesAreSentWhereTheyAreAllowed) {
    for (const bool downlink : {true, false})
        for (const auto types : {FeedbackTypes::all, FeedbackTypes::without_sequences}) {
            auto config = without_queue_management(with_arq(for_ever()));
            if (!downlink) config.arq_feedback = types;
            Lossy cell(config, 0.1);
            if (downlink) cell.station.config.arq_feedback = types;
            cell.restart(cell.station);
            ASSERT_GE(cell.run_until([&] { return cell.all_operational(); }, cell.frames(6)), 0);
            const auto missing = [&] {
                return downlink ? cell.down - cell.station.dl_numbers.size() : cell.up - cell.ul_numbers.size();
            };
            for (int i = 0; i < 300; ++i) {
                for (int k = 0; k < 5; ++k)
                    if (downlink) cell.bs->push_sdu(ip_packet(kServer, station_address(0), 1400, 5000, cell.down++));
                    else cell.station.mac->push_sdu(ip_packet(station_address(0), kServer, 1400, 5000, cell.up++));
                cell.step();
            }
            cell.run_until([&] { return missing() == 0; }, 300);
            EXPECT_EQ(missing(), 0U);
            EXPECT_GT(cell.alone, 50U);
            EXPECT_EQ(cell.sequences > 0, types == FeedbackTypes::all) << downlink;
        }
}

/// A packet that lies in one PDU is lost with it; one that is cut over two, with either.
TEST(Arq, WithoutItTheLossIsThatOfItsPdus) {
    Lossy cell(without_queue_management(with_arq({})), 0.1);
    ASSERT_TRUE(cell.entered);
    const int frames = 600;
    size_t sent_down = 0, sent_up = 0;
    for (int i = 0; i < frames; ++i) {
        for (int k = 0; k < 3; ++k) {
            cell.bs->push_sdu(ip_packet(kServer, station_address(0), 1400, 5000, cell.down++));
            cell.station.mac->push_sdu(ip_packet(station_address(0), kServer, 1400, 5000, cell.up++));
        }
        cell.step();
    }
    cell.run(20);
    sent_down = cell.down, sent_up = cell.up;
    EXPECT_NEAR(static_cast<double>(cell.station.dl_numbers.size()), 0.9 * sent_down, 4 * std::sqrt(0.09 * sent_down));
    // In the uplink some are cut.
    EXPECT_LT(static_cast<double>(cell.ul_numbers.size()), 0.9 * sent_up + 4 * std::sqrt(0.09 * sent_up));
    EXPECT_GT(static_cast<double>(cell.ul_numbers.size()), 0.75 * sent_up);
}

TEST(Arq, OfAMillionPacketsEachWayNoneIsLostOrReordered) {
    constexpr uint32_t kPackets = 1'000'000;
    ArqConfig arq = for_ever();
    arq.block_octets = 64;
    Lossy cell(without_queue_management(with_arq(arq)), 0.1, 5);
    ASSERT_TRUE(cell.entered);
    for (int i = 0; i < 300 && (cell.down < kPackets || cell.up < kPackets); ++i) cell.saturate(100, 60, 400);
    cell.drain(300);
    EXPECT_GE(cell.down, kPackets);
    EXPECT_GE(cell.up, kPackets);
    EXPECT_EQ(Lossy::in_order(cell.station.dl_numbers), cell.down);
    EXPECT_EQ(Lossy::in_order(cell.ul_numbers), cell.up);
    EXPECT_EQ(cell.station.dl_numbers.size(), cell.down);
    EXPECT_EQ(cell.ul_numbers.size(), cell.up);
}

/// Downlink only: its feedback has no data to ride on, and gets room without a request.
TEST(Arq, FeedbackOfADownlinkTransferGetsItsRoom) {
    BaseStationConfig config = without_queue_management(with_arq(for_ever()));
    config.profile.unasked_symbols = 0;
    config.profile.grant_spare = false;
    Lossy cell(config, 0.1, 3);
    ASSERT_TRUE(cell.entered);
    for (int i = 0; i < 400; ++i) {
        while (cell.down - cell.station.dl_numbers.size() < 120)
            cell.bs->push_sdu(ip_packet(kServer, station_address(0), 1400, 5000, cell.down++));
        cell.step();
    }
    const size_t arrived = cell.station.dl_numbers.size();
    cell.drain(100);
    EXPECT_EQ(Lossy::in_order(cell.station.dl_numbers), cell.down);
    EXPECT_GT(arrived, 400U * 5);
    EXPECT_GT(cell.alone, 350U);
}

/// With a lifetime, undeliverable blocks are given up and discarded by message, and the transfer continues.
TEST(Arq, LifetimeGivesUpAndGoesOn) {
    ArqConfig arq;
    arq.enable = true;
    arq.block_lifetime_ms = 100;
    Lossy cell(without_queue_management(with_arq(arq)), 0.6, 4);
    ASSERT_TRUE(cell.entered);
    cell.offer(300, 8);
    const auto ordered = [](const std::vector<uint32_t>& numbers) {
        return std::adjacent_find(numbers.begin(), numbers.end(), std::greater_equal<>()) == numbers.end();
    };
    EXPECT_TRUE(ordered(cell.station.dl_numbers));
    EXPECT_TRUE(ordered(cell.ul_numbers));
    cell.loss = 0;
    cell.run(100);
    const size_t before_down = cell.station.dl_numbers.size(), before_up = cell.ul_numbers.size();
    EXPECT_GT(before_down, 100U);
    EXPECT_GT(before_up, 100U);
    EXPECT_LT(before_down, cell.down);
    cell.offer(40, 8);
    EXPECT_GT(cell.station.dl_numbers.size(), before_down + 100);
    EXPECT_GT(cell.ul_numbers.size(), before_up + 100);
    EXPECT_TRUE(ordered(cell.station.dl_numbers));
    EXPECT_TRUE(ordered(cell.ul_numbers));
}

/// All PDUs one way are lost: the window stalls, both ends restart, and the transfer continues.
TEST(Arq, LossOfSynchronisationIsHealedByAReset) {
    ArqConfig arq;
    arq.enable = true;
    arq.block_lifetime_ms = 0;
    arq.rx_purge_timeout_ms = 0;
    arq.sync_loss_timeout_ms = 300;
    Lossy cell(without_queue_management(with_arq(arq)), 0, 4);
    ASSERT_TRUE(cell.entered);
    cell.saturate(20, 1400, 40);
    const Json restarts = cell.station.status()["restarts"];
    cell.loss = 1;
    cell.run(50);
    cell.loss = 0;
    cell.run(60);
    const size_t before_down = cell.station.dl_numbers.size(), before_up = cell.ul_numbers.size();
    cell.offer(40, 8);
    EXPECT_GT(cell.station.dl_numbers.size(), before_down + 100);
    EXPECT_GT(cell.ul_numbers.size(), before_up + 100);
    const Json sender = cell.station.status()["flows"][1], receiver = cell.station.status()["flows"][0];
    EXPECT_EQ(sender["arq_resets"], 1);
    EXPECT_EQ(receiver["arq_resets"], 1);
    EXPECT_TRUE(cell.station.mac->operational());
    EXPECT_EQ(cell.station.status()["restarts"], restarts);
}

}  // namespace test_air_arq
}  // namespace wimax::mac::test
