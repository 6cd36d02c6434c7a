// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/macd_config.h"
#include "macd/text_values.h"

#include <gtest/gtest.h>

namespace wimax::macd {
namespace {

TEST(TextValues, RoundTrip) {
    EXPECT_EQ(print_ipv4(*parse_ipv4("10.1.255.2")), "10.1.255.2");
    EXPECT_FALSE(parse_ipv4("10.1.2"));
    EXPECT_EQ(parse_subnet("10.1.0.0/16")->mask(), 0xFFFF0000U);
    EXPECT_EQ(parse_subnet("0.0.0.0/0")->mask(), 0U);
    EXPECT_FALSE(parse_subnet("10.1.0.0/"));
    EXPECT_FALSE(parse_subnet("10.1.0.0/-1"));
    EXPECT_EQ(print_mac(*parse_mac("02:Ab:00:00:00:ff")), "02:ab:00:00:00:ff");
    for (const char* bad : {"", "02:00:00:00:00", "02-00-00-00-00-01", "02:00:00:00:00:0g", "+2:00:00:00:00:01"})
        EXPECT_FALSE(parse_mac(bad)) << bad;
}

/// Each conversion, by a value in which every octet or digit matters, read back from the printed configuration.
TEST(TextValues, OfTheSchema) {
    mac::MacAddress mac{};
    uint64_t bsid_value = 0;
    std::optional<uint64_t> maybe;
    mac::AddressMask net;
    uint32_t address = 0;
    std::string text, gateway;
    config::Schema schema("test", "test");
    mac_address(schema, "mac", mac, "");
    bsid(schema, "bsid", bsid_value, "");
    bsid(schema, "maybe", maybe, "");
    network(schema, "net", net, "");
    ipv4(schema, "address", address, "");
    subnet_text(schema, "text", text, false, "");
    ipv4_text(schema, "gateway", gateway, "");
    const std::string yaml =
        "mac: 12:34:56:78:9A:BC\nbsid: 20E9FA102240\nmaybe: 0123456789AB\nnet: 10.255.3.4/18\naddress: 1.2.3.254\n"
        "text: 10.1.2.3/31\ngateway: 9.8.7.6\n";
    const auto check = [&] {
        EXPECT_EQ(mac, (mac::MacAddress{0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC}));
        EXPECT_EQ(bsid_value, 0x20E9FA102240U);
        EXPECT_EQ(maybe, 0x0123456789ABU);
        EXPECT_EQ(net, (mac::AddressMask{0x0AFF0000, 0xFFFFC000}));
        EXPECT_EQ(address, 0x010203FEU);
        EXPECT_EQ(text, "10.1.2.3/31");
        EXPECT_EQ(gateway, "9.8.7.6");
    };
    ASSERT_TRUE(schema.load(yaml, "f").empty());
    check();
    const std::string printed = schema.print();
    for (const char* value : {"12:34:56:78:9a:bc", "20E9FA102240", "0123456789AB", "10.255.0.0/18", "1.2.3.254"})
        EXPECT_NE(printed.find(value), std::string::npos) << value << " in\n" << printed;
    ASSERT_TRUE(schema.load(printed, "f").empty());
    check();
    ASSERT_TRUE(schema.load("maybe: null\ngateway: ''\n", "f").empty());
    EXPECT_FALSE(maybe);
    EXPECT_EQ(gateway, "");
    EXPECT_EQ(schema
                  .load("bsid: 20E9FA10224\nmaybe: 20E9FA1022401\nnet: 10.0.0.0/33\naddress: 10.0.0.256\n"
                        "text: ''\ngateway: 10.0.0.0/8\n",
                        "f")
                  .count(),
              6U);
}

TEST(TextValues, NetworksOfBothKinds) {
    const auto v6 = parse_network("2001:db8:0:1:ffff::7/65");
    ASSERT_TRUE(v6);
    EXPECT_EQ(*v6, mac::AddressMask(mac::IpAddress(0x20010DB800000001, 0x8000000000000000),
                                    mac::IpAddress(UINT64_MAX, 0x8000000000000000)));
    EXPECT_EQ(print_network(*v6), "2001:db8:0:1:8000::/65");
    EXPECT_EQ(print_network(*parse_network("fd00::1")), "fd00::1/128");
    EXPECT_EQ(print_network(*parse_network("::/0")), "::/0");
    EXPECT_EQ(print_network(*parse_network("10.1.2.3/8")), "10.0.0.0/8");
    EXPECT_EQ(*parse_network("02:12:34:56:78:9a"), mac::AddressMask::of_mac(0x02123456789A));
    EXPECT_EQ(print_network(*parse_network("02:12:34:56:78:9A/ff:ff:ff:00:00:00")),
              "02:12:34:00:00:00/ff:ff:ff:00:00:00");
    EXPECT_FALSE(parse_network("02:12:34:56:78:9a/ff:ff"));
    EXPECT_EQ(parse_ipv6_subnet("fd00::1/64")->prefix, 64);
    EXPECT_EQ(parse_ipv6_subnet("fd00::1")->octets[15], 1);
    for (const char* bad : {"", "::/129", "::/-1", "fd00::1/", "fd00:::1", "fd00::g", "::1/6x"}) {
        EXPECT_FALSE(parse_ipv6_subnet(bad)) << bad;
        EXPECT_FALSE(parse_network(bad)) << bad;
    }
    std::string text;
    config::Schema schema("test", "test");
    ipv6_subnet_text(schema, "text", text, "");
    EXPECT_TRUE(schema.load("text: 'fd00::1/64'\n", "f").empty());
    EXPECT_EQ(text, "fd00::1/64");
    EXPECT_TRUE(schema.load("text: ''\n", "f").empty());
    EXPECT_EQ(schema.load("text: 10.0.0.1\n", "f").count(), 1U);
}

TEST(TextValues, RefusedSubnetsAndAddresses) {
    EXPECT_EQ(parse_subnet("10.1.0.9")->prefix, 32);
    EXPECT_EQ(parse_subnet("10.1.0.9")->mask(), 0xFFFFFFFFU);
    EXPECT_EQ(parse_subnet("10.1.0.9/32")->mask(), 0xFFFFFFFFU);
    EXPECT_EQ(parse_subnet("10.1.0.9/1")->mask(), 0x80000000U);
    for (const char* bad : {"", "/8", "10.1.0.0/33", "10.1.0.0/8x", "10.1.0.0/ 8", "10.1.0.0//8", "10.1.0.256/8"})
        EXPECT_FALSE(parse_subnet(bad)) << bad;
    for (const char* bad : {"02:00:00:00:00:001", "02:00:00:00:00-01", "02:00:00:00:00:01 "})
        EXPECT_FALSE(parse_mac(bad)) << bad;
    for (const char* good : {"a", "wimax0", "a234567890.-_15"}) EXPECT_TRUE(is_interface_name(good)) << good;
    for (const char* bad : {"", ".", "..", "a/b", "a:b", "a b", "a%d", "a\n", "a234567890123456"})
        EXPECT_FALSE(is_interface_name(bad)) << bad;
    EXPECT_TRUE(is_netns_name("wmx-1.bs"));
    EXPECT_TRUE(is_netns_name(std::string(199, 'x')));
    for (const auto& bad :
         {std::string(), std::string("."), std::string(".."), std::string("../x"), std::string(200, 'x')})
        EXPECT_FALSE(is_netns_name(bad)) << bad;
}

uint32_t be(std::span<const uint8_t> p, size_t at, size_t octets) {
    uint32_t value = 0;
    for (size_t i = 0; i < octets; ++i) value = value << 8 | p[at + i];
    return value;
}

/// Every field of the second packet of a stream, as RFC 791 and RFC 768 have them; the checksum was summed by hand.
TEST(Traffic, IsUdpOverIp) {
    TrafficStreamConfig c;
    c.count = 2;
    c.size_bytes = 333;
    c.source = 0x0A0102FE;
    c.destination = 0xC0A80507;
    c.source_port = 0x1234;
    c.destination_port = 0xFEDC;
    TrafficSource source({c});
    std::vector<uint8_t> p;
    source.run(10'000, 1000, [&](std::span<const uint8_t> packet) { p.assign(packet.begin(), packet.end()); });
    EXPECT_EQ(source.made(), 2U);
    ASSERT_EQ(p.size(), 333U);
    EXPECT_EQ(be(p, 0, 2), 0x4500U);
    EXPECT_EQ(be(p, 2, 2), 333U);
    EXPECT_EQ(be(p, 4, 4), 0x00010000U);
    EXPECT_EQ(be(p, 8, 2), 0x4011U);
    // 4500 + 014D + 0001 + 0000 + 4011 + 0A01 + 02FE + C0A8 + 0507 = 1590D; with its carry 590E, complement A6F1
    EXPECT_EQ(be(p, 10, 2), 0xA6F1U);
    EXPECT_EQ(be(p, 12, 4), 0x0A0102FEU);
    EXPECT_EQ(be(p, 16, 4), 0xC0A80507U);
    EXPECT_EQ(be(p, 20, 4), 0x1234FEDCU);
    EXPECT_EQ(be(p, 24, 2), 313U);
    EXPECT_EQ(be(p, 26, 2), 0U);
    EXPECT_EQ(be(p, 28, 4), 1U);
}

/// FNV-1a of 64 bits over the length and the octets.
TEST(Traffic, HashOfWhatArrives) {
    TrafficSink sink;
    EXPECT_EQ(sink.hash(), 0xCBF29CE484222325U);
    sink.take(std::vector<uint8_t>{0x61});
    EXPECT_EQ(sink.hash(), 0x082F4307B4E8C4D7U);
    EXPECT_EQ(sink.packets(), 1U);
    EXPECT_EQ(sink.bytes(), 1U);
}

TEST(Traffic, IsStampedInSampleTimeAndSeeded) {
    TrafficStreamConfig a, b;
    a.count = b.count = 5;
    a.size_bytes = 40;
    b.start_s = 1.005;
    b.seed = 2;
    const auto run = [&](std::vector<int64_t> times) {
        TrafficSource source({a, b});
        TrafficSink sink;
        std::vector<uint64_t> counts;
        for (const int64_t t : times) {
            source.run(t, 1000, [&](std::span<const uint8_t> p) {
                EXPECT_EQ(p[0], 0x45);
                sink.take(p);
            });
            counts.push_back(sink.packets());
        }
        return std::pair(counts, sink.hash());
    };
    const auto [counts, hash] = run({999, 1000, 1004, 1005, 1030, 9999});
    EXPECT_EQ(counts, (std::vector<uint64_t>{0, 1, 1, 2, 7, 10}));
    EXPECT_EQ(run({9999}).second, hash) << "order follows the times, not the calls";
    b.seed = 3;
    EXPECT_NE(run({9999}).second, hash);
}

}  // namespace
}  // namespace wimax::macd
