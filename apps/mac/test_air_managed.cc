// SPDX-License-Identifier: GPL-3.0-or-later
// Managed stations over the air (6.3.9.10 to 6.3.9.12): entry with DHCP, time and configuration file, servers that are
// silent, late or wrong, and what stations and servers cannot do.
#include "mac/test_management_server.h"
#include "mac/test_private_cell.h"

#include <algorithm>

using namespace wimax::mac;
using namespace wimax::mac::test;
namespace sap = wimax::sap;

namespace test_air_managed {

class ManagedCell : public PrivateCell {
public:
    explicit ManagedCell(size_t stations = 1, ManagedPolicy policy = ManagedPolicy::allowed,
                         BaseStationConfig config = {})
        : PrivateCell(managed(Air::with_stations(stations, std::move(config)), policy)) {
        connect();
        server.send = [this](Octets packet) { to_station.emplace_back(packet.begin(), packet.end()); };
        before_tick = [this] {
            for (const auto& packet : std::exchange(to_station, {})) bs->push_management_packet(packet);
        };
    }
    void connect() {
        bs->on_management_packet = [this](Octets packet) { server.receive(packet); };
    }
    static BaseStationConfig managed(BaseStationConfig config, ManagedPolicy policy) {
        config.managed.policy = policy;
        config.managed.subnet = kManagementSubnet;
        config.managed.relay_address = kManagementRelay;
        config.managed.server_address = kManagementServer;
        return config;
    }
    /// Short waits, so that failures take seconds.
    static void offer(Terminal& t, const std::function<void(ManagedSubscriber&)>& change = {}) {
        ManagedSubscriber& m = t.config.managed;
        m.offered = true;
        m.file_key = kFileKey;
        m.first_wait_ms = 200;
        m.longest_wait_ms = 400;
        m.address_tries = m.time_tries = m.file_request_tries = 3;
        m.file_download_tries = 2;
        m.file_pause_ms = 100;
        if (change) change(m);
    }
    Terminal& join_managed(const std::function<void(ManagedSubscriber&)>& change = {}) {
        Terminal& t = add();
        offer(t, change);
        restart(t);
        return t;
    }
    bool enters(int limit = 500) {
        return run_until([&] { return all_operational(); }, limit) >= 0;
    }
    ManagementServer server;
    std::vector<Buffer> to_station;
};

// ---- entry ----

TEST(ManagedEntry, HasAddressTimeAndFileBeforeItsServiceFlows) {
    ManagedCell cell;
    Air::Terminal& t = cell.join_managed();
    ASSERT_TRUE(cell.enters());
    const Json own = t.status(), base = cell.bs_status();
    EXPECT_LE(own["entry_time_s"], 1.5);
    EXPECT_EQ(own["managed"]["step"], "done");
    EXPECT_EQ(own["managed"]["address"], "10.253.1.0");
    EXPECT_EQ(own["managed"]["file"], "station.cfg");
    EXPECT_NEAR(own["managed"]["time_s"].get<double>(), static_cast<double>(cell.server.time_s), 3);
    EXPECT_EQ(base["stations"][0]["managed"]["address"], "10.253.1.0");
    EXPECT_EQ(base["stations"][0]["managed"]["complete"], true);
    EXPECT_GE(base["stations"][0]["managed"]["secondary_cid"], 641);
    EXPECT_EQ(base["management"]["dropped"], 0);
    for (int i = 0; i < 20; ++i) {
        cell.exchange();
        cell.run(1);
    }
    cell.run(20);
    EXPECT_EQ(cell.ul_numbers.size(), 20u);
    EXPECT_EQ(t.dl_packets, 20u);
    expect_clean(cell);
}

TEST(ManagedEntry, FollowsThePoliciesOfBothEnds) {
    struct Case {
        ManagedPolicy policy;
        bool offered, enters, managed;
    };
    for (const Case& c :
         {Case{ManagedPolicy::off, true, true, false}, Case{ManagedPolicy::off, false, true, false},
          Case{ManagedPolicy::allowed, true, true, true}, Case{ManagedPolicy::allowed, false, true, false},
          Case{ManagedPolicy::required, true, true, true}, Case{ManagedPolicy::required, false, false, false}}) {
        ManagedCell cell(1, c.policy);
        Air::Terminal& t = cell.join_managed([&](ManagedSubscriber& m) { m.offered = c.offered; });
        EXPECT_EQ(cell.enters(), c.enters);
        const Json base = cell.bs_status();
        EXPECT_EQ(base.contains("management"), c.policy != ManagedPolicy::off);
        if (c.enters) EXPECT_EQ(base["stations"][0].contains("managed"), c.managed);
        else EXPECT_TRUE(cell.has_line("it is unmanaged")) << t.events.back();
        EXPECT_EQ(cell.has_line(t, "gives no secondary management connection"), c.enters && c.offered && !c.managed);
    }
}

/// Half of the bursts of stations are lost or damaged; only what is not acknowledged by TFTP or DHCP costs time.
TEST(ManagedEntry, SurvivesLossesWithArqAndWithout) {
    for (const bool arq : {false, true}) {
        ManagedCell cell;
        cell.server.contents = *write_configuration_file({}, kFileKey);
        cell.server.contents.resize(3000);  // zeros are padding after the end
        Air::Terminal& t = cell.join_managed([&](ManagedSubscriber& m) {
            m.arq = arq;
            m.address_tries = m.time_tries = m.file_request_tries = 20;
        });
        t.link.uplink_loss = t.link.downlink_loss = 0.15;
        cell.restart(t);
        ASSERT_TRUE(cell.enters(6000)) << t.events.back();
        EXPECT_EQ(cell.bs_status()["stations"][0]["managed"]["arq"], arq);
        EXPECT_GE(cell.server.blocks, 6u);
        if (arq) {  // nothing is asked for twice
            EXPECT_EQ(cell.server.requests, 2u);
            EXPECT_LE(cell.server.blocks, 7u);
        }
    }
}

TEST(ManagedEntry, IsEncryptedWhereTheStationHasPrivacy) {
    ManagedCell cell(1, ManagedPolicy::required, PrivateCell::with_privacy({}));
    Air::Terminal& t = cell.join(PrivacyPolicy::required);
    ManagedCell::offer(t);
    cell.restart(t);
    const std::string name = "station.cfg";
    int seen = 0;
    cell.tamper = [&](sap::RxBurst& burst) { seen += std::ranges::search(burst.payload, name).size() > 0; };
    ASSERT_TRUE(cell.enters(1000)) << t.events.back();
    EXPECT_EQ(t.status()["managed"]["file"], name);
    EXPECT_EQ(seen, 0);
    EXPECT_EQ(cell.bs_status()["stations"][0]["privacy"]["pdus"]["unprotected"], 0);
    expect_clean(cell);
}

TEST(ManagedEntry, GivesEachOfManyStationsItsOwnAddress) {
    ManagedCell cell(12);
    for (int i = 0; i < 12; ++i) cell.join_managed();
    ASSERT_TRUE(cell.enters(2000));
    std::set<std::string> addresses;
    for (const auto& t : cell.terminals) addresses.insert(t->status()["managed"]["address"].get<std::string>());
    EXPECT_EQ(addresses.size(), 12u);
    cell.restart(*cell.terminals[3]);
    ASSERT_TRUE(cell.run_until([&] { return cell.terminals[3]->mac->operational(); }, 1500) >= 0);
    EXPECT_EQ(cell.terminals[3]->status()["managed"]["step"], "done");
}

TEST(ManagedEntry, RequestsTheServiceFlowsOfItsFile) {
    ManagedCell cell;
    cell.bs_config.stations[0].dynamic_flows = 2;
    cell.restart_bs();
    cell.connect();
    ConfigurationFile file;
    file.flows.push_back(flow(FlowDirection::uplink, SchedulingType::best_effort));
    file.flows.back().name = "meter";
    file.flows.back().max_sustained_rate_bps = 64'000;
    cell.server.contents = *write_configuration_file(file, kFileKey);
    Air::Terminal& t = cell.join_managed();
    ASSERT_TRUE(cell.enters());
    cell.run(50);
    const Json flows = t.status()["flows"];
    EXPECT_TRUE(std::ranges::any_of(flows, [](const Json& one) { return one["name"] == "meter"; }))
        << t.status().dump();
}

// ---- servers ----

/// Each server silent or wrong: the entry fails within bounded time with the reason, or continues without, as
/// configured.
TEST(ManagedServers, FailuresEndTheEntryOrAreLeftOut) {
    struct Case {
        const char* name;
        std::function<void(ManagementServer&)> fault;
        std::function<void(ManagedSubscriber&)> without;  ///< configuration that does not need it
        const char* why;
    };
    const auto no_file = [](ManagedSubscriber& m) { m.needs_file = false; };
    const std::vector<Case> cases = {
        {"silent DHCP", [](auto& s) { s.address = false; }, [](auto& m) { m.needs_address = m.needs_file = false; },
         "address"},
        {"no time", [](auto& s) { s.time = false; }, [](auto& m) { m.needs_time = false; }, "time"},
        {"wrong time",
         [](auto& s) {
             s.time_payload = {1, 2, 3};
         },
         [](auto& m) { m.needs_time = false; }, "time"},
        {"silent TFTP", [](auto& s) { s.file = false; }, no_file, "file"},
        {"unsigned file", [](auto& s) { s.contents = {255}; }, no_file, "signature"},
        {"wrong signature", [](auto& s) { s.contents[s.contents.size() - 2] ^= 1; }, no_file, "signature"},
        {"no file name", [](auto& s) { s.change_lease = [](DhcpMessage& m) { m.file.clear(); }; }, no_file, "file"},
        {"impossible address", [](auto& s) { s.change_lease = [](DhcpMessage& m) { m.your_address = 0x7F000001; }; },
         [](auto& m) { m.needs_address = m.needs_file = false; }, "address"}};
    for (const Case& c : cases)
        for (const bool needed : {true, false}) {
            ManagedCell cell;
            c.fault(cell.server);
            Air::Terminal& t = cell.join_managed([&](ManagedSubscriber& m) {
                m.needs_address = m.needs_time = m.needs_file = true;
                if (!needed) c.without(m);
                if (std::string_view(c.why) != "time" && !needed) m.needs_time = false;
            });
            const std::string name = std::string(c.name) + (needed ? ", needed" : ", not needed");
            EXPECT_EQ(cell.enters(1000), !needed) << name;
            EXPECT_EQ(cell.has_line(t, "set-up failed: "), needed) << name;
            EXPECT_TRUE(cell.has_line(t, c.why)) << name << ": " << t.events.back();
        }
}

/// A server that answers after the station has given up once harms nothing.
TEST(ManagedServers, LateOnesAreWaitedFor) {
    ManagedCell cell;
    cell.server.address = false;
    Air::Terminal& t = cell.join_managed();
    EXPECT_FALSE(cell.enters(150));
    cell.server.address = true;
    EXPECT_TRUE(cell.enters(1500));
    EXPECT_EQ(t.status()["managed"]["step"], "done");
}

TEST(ManagedServers, StationsThatNeverCompleteAreRemoved) {
    ManagedCell cell;
    cell.bs_config.managed.t13_ms = 1000;
    cell.restart_bs();
    cell.connect();
    cell.server.address = false;
    cell.join_managed([](ManagedSubscriber& m) { m.address_tries = 100; });
    cell.run(300);
    EXPECT_TRUE(cell.has_line("no TFTP-CPLT (T13)"));
}

TEST(ManagedServers, LeasesAreKeptWhileTheStationOperates) {
    ManagedCell cell;
    cell.server.lease_s = 60;
    Air::Terminal& t = cell.join_managed();
    ASSERT_TRUE(cell.enters());
    cell.run(cell.frames(70));
    EXPECT_GE(cell.server.renewals, 2u);
    EXPECT_EQ(t.status()["managed"]["lost_leases"], 0);
    cell.server.address = false;
    cell.run(cell.frames(130));
    EXPECT_EQ(t.status()["managed"]["lost_leases"], 1);
    EXPECT_TRUE(cell.all_operational()) << "data do not need the management network";
}

/// New provisioning while a station waits for its file: its flows come after the file, and once.
TEST(ManagedServers, AReloadDuringSetUpGivesNoFlows) {
    ManagedCell cell;
    cell.server.file = false;
    Air::Terminal& t = cell.join_managed([](ManagedSubscriber& m) { m.file_request_tries = 20; });
    ASSERT_GE(cell.run_until([&] { return t.status()["managed"]["step"] == "file"; }, 500), 0);
    ASSERT_TRUE(cell.bs->reprovision(cell.bs_config));
    cell.run(50);
    EXPECT_EQ(cell.bs_status()["stations"][0]["flows"].size(), 0u);
    EXPECT_FALSE(t.mac->operational());
    cell.server.file = true;
    ASSERT_TRUE(cell.enters());
    cell.run(20);
    EXPECT_EQ(cell.bs_status()["stations"][0]["flows"].size(), 2u);
}

// ---- what neither may do ----

/// The server gives a station the address of another, of the relay, or outside the subnet.
TEST(ManagedNetworkGuards, AddressesThatAreNotFree) {
    for (const uint32_t wrong : {0x0AFD0100u, kManagementRelay, kManagementServer, 0x0A000001u}) {
        ManagedCell cell(2);
        cell.join_managed();
        ASSERT_TRUE(cell.enters());
        cell.server.change_lease = [wrong](DhcpMessage& m) { m.your_address = wrong; };
        Air::Terminal& second = cell.join_managed();
        EXPECT_FALSE(cell.enters(400)) << address_text(wrong);
        EXPECT_TRUE(cell.has_line("DHCP server gives " + address_text(wrong)));
        EXPECT_FALSE(second.mac->operational());
        EXPECT_TRUE(cell.terminals[0]->mac->operational());
    }
}

/// Packets of a network that a base station must not pass on.
TEST(ManagedNetworkGuards, PacketsForNoStationAreDropped) {
    ManagedCell cell;
    cell.join_managed();
    ASSERT_TRUE(cell.enters());
    const auto dropped = [&](Octets packet) {
        const auto before = cell.bs_status()["management"]["dropped"].get<uint64_t>();
        EXPECT_FALSE(cell.bs->push_management_packet(packet));
        return cell.bs_status()["management"]["dropped"].get<uint64_t>() == before + 1;
    };
    EXPECT_TRUE(dropped({}));
    EXPECT_TRUE(dropped(Buffer(20, 0)));
    Buffer payload, packet;
    write_udp({kManagementServer, 0x0AFD0177, 500, 500, {}}, packet);
    EXPECT_TRUE(dropped(packet));
    write_udp({kManagementServer, kManagementRelay, 67, 67, {}}, packet);
    EXPECT_TRUE(dropped(packet));
    DhcpMessage lease;
    lease.from_client = false;
    lease.relay = kManagementRelay;
    lease.kind = DhcpKind::ack;
    lease.mac = Air::mac_of(7);
    lease.your_address = 0x0AFD0123;
    write_dhcp(lease, payload);
    write_udp({kManagementServer, kManagementRelay, 67, 67, payload}, packet);
    EXPECT_TRUE(dropped(packet)) << "for a station that is not there";
    lease.mac = Air::mac_of(0);
    write_dhcp(lease, payload);
    write_udp({0x0AFD0055, kManagementRelay, 67, 67, payload}, packet);
    EXPECT_TRUE(dropped(packet)) << "from a host that is not the server";
    EXPECT_EQ(cell.bs_status()["stations"][0]["managed"]["address"], "10.253.1.0");
    write_udp({kManagementServer, 0x0AFD0100, 500, 500, {}}, packet);
    EXPECT_TRUE(cell.bs->push_management_packet(packet));
}

}  // namespace test_air_managed
