// SPDX-License-Identifier: GPL-3.0-or-later
#include "sap/local_ports.h"

#include <gtest/gtest.h>

namespace {

using namespace wimax::sap;
using std::chrono::milliseconds;

class LocalPortsTest : public ::testing::Test {
protected:
    template <typename M> std::optional<M> got(Port& port) {
        auto message = port.poll(milliseconds(0));
        if (!message || !std::holds_alternative<M>(*message)) return std::nullopt;
        return std::get<M>(std::move(*message));
    }
    void accept() {
        ports.mac->send(ConfigRequest{});
        ASSERT_TRUE(got<ConfigRequest>(*ports.phy));
        ports.phy->send(ConfigConfirm{});
        ASSERT_TRUE(got<ConfigConfirm>(*ports.mac));
    }
    LocalPorts ports = make_local_ports();
};

/// As over ZeroMQ: before a request is confirmed neither end has a peer.
TEST_F(LocalPortsTest, NothingIsSentBeforeARequestIsConfirmed) {
    EXPECT_FALSE(ports.phy->send(FrameTick{}));
    EXPECT_FALSE(ports.mac->send(TxFrame{}));
    ports.mac->send(ConfigRequest{});
    EXPECT_FALSE(ports.phy->send(FrameTick{}));
    EXPECT_FALSE(ports.mac->send(RxExpect{}));
    EXPECT_EQ(ports.phy->counters().unsent, 2U);
    EXPECT_EQ(ports.mac->counters().unsent, 2U);
    EXPECT_FALSE(ports.mac->peer_alive());
    EXPECT_EQ(ports.mac->phy_session(), 0U);
    EXPECT_EQ(ports.phy->mac_session(), 0U);
    EXPECT_TRUE(got<ConfigRequest>(*ports.phy));
    EXPECT_FALSE(ports.phy->poll(milliseconds(0)));
    EXPECT_FALSE(ports.mac->poll(milliseconds(0)));
}

TEST_F(LocalPortsTest, MessagesArriveInOrderWithTheSessionsOfBothEnds) {
    accept();
    ASSERT_NE(ports.mac->phy_session(), 0U);
    EXPECT_EQ(ports.phy->mac_session(), ports.mac->mac_session());
    EXPECT_EQ(ports.phy->phy_session(), ports.mac->phy_session());
    for (uint32_t n = 1; n <= 3; ++n) {
        FrameTick tick;
        tick.frame_number = FrameNumber(n);
        tick.phy_session = 99;
        EXPECT_TRUE(ports.phy->send(tick));
    }
    for (uint32_t n = 1; n <= 3; ++n) {
        const auto tick = got<FrameTick>(*ports.mac);
        ASSERT_TRUE(tick);
        EXPECT_EQ(tick->frame_number, FrameNumber(n));
        EXPECT_EQ(tick->phy_session, ports.phy->phy_session());
    }
    EXPECT_EQ(ports.phy->counters().sent, 4U);  // with the confirmation
    EXPECT_EQ(ports.mac->counters().received, 4U);
    EXPECT_FALSE(got<FrameTick>(*ports.mac));
}

TEST_F(LocalPortsTest, EndsOfOtherPortsHaveOtherSessions) {
    auto others = make_local_ports();
    EXPECT_NE(ports.mac->mac_session(), others.mac->mac_session());
}

/// A refusal changes nothing in force, and the request is repeated, but not at once.
TEST_F(LocalPortsTest, ARefusedRequestIsRepeatedAfterASecond) {
    accept();
    ConfigRequest wanted;
    wanted.bandwidth_hz = 123;
    ports.mac->send(wanted);
    ASSERT_TRUE(got<ConfigRequest>(*ports.phy));
    ConfigConfirm refusal;
    refusal.faults = {"no"};
    ports.phy->send(refusal);
    const auto told = got<ConfigConfirm>(*ports.mac);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->faults, refusal.faults);
    EXPECT_TRUE(ports.mac->peer_alive());
    ports.mac->poll(milliseconds(0));
    EXPECT_FALSE(ports.phy->poll(milliseconds(0)));
    const auto begin = std::chrono::steady_clock::now();
    std::optional<ConfigRequest> again;
    while (!again && std::chrono::steady_clock::now() - begin < std::chrono::seconds(30)) {
        ports.mac->poll(milliseconds(0));
        again = got<ConfigRequest>(*ports.phy);
    }
    ASSERT_TRUE(again);
    EXPECT_EQ(again->bandwidth_hz, 123U);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(900));
}

TEST_F(LocalPortsTest, ARequestThatWasConfirmedIsNotRepeated) {
    ports.mac->send(ConfigRequest{});
    ASSERT_TRUE(got<ConfigRequest>(*ports.phy));
    ConfigConfirm refusal;
    refusal.faults = {"no"};
    ports.phy->send(refusal);
    ASSERT_TRUE(got<ConfigConfirm>(*ports.mac));
    accept();  // another request in its place
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < milliseconds(1100)) ports.mac->poll(milliseconds(0));
    EXPECT_FALSE(ports.phy->poll(milliseconds(0)));
}

}  // namespace
