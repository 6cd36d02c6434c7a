// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/managed_options.h"

#include "mac/privacy/file_signature.h"
#include "macd/bs_schema.h"
#include "macd/key_files.h"
#include "macd/text_values.h"

#include <optional>

namespace wimax::macd {
namespace {

using mac::ManagedPolicy;
using mac::privacy::kLeastFileKeyOctets, mac::privacy::kMostFileKeyOctets;

constexpr uint16_t kMtu = 1500;

std::optional<unsigned> digit_of(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

/// Empty: the text is no key.
std::vector<uint8_t> key_of(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
    if (text.size() % 2 != 0 || text.size() < 2 * kLeastFileKeyOctets || text.size() > 2 * kMostFileKeyOctets)
        return {};
    std::vector<uint8_t> key;
    for (size_t i = 0; i < text.size(); i += 2) {
        const auto high = digit_of(text[i]), low = digit_of(text[i + 1]);
        if (!high || !low) return {};
        key.push_back(static_cast<uint8_t>(*high << 4 | *low));
    }
    return key;
}

}  // namespace

void declare(config::Schema& s, ManagedOptions& o) {
    s.group("managed", "Managed stations: address, time and configuration file over a secondary management connection");
    s.choice<ManagedPolicy>(
        "managed.policy", o.network.policy,
        {{"off", ManagedPolicy::off}, {"allowed", ManagedPolicy::allowed}, {"required", ManagedPolicy::required}},
        "base station: off, all stations are unmanaged; allowed, stations that offer it are managed; required, "
        "unmanaged stations are sent away");
    s.value(
        "managed.interface",
        [&o](std::string_view text) {
            o.interface = text;
            return is_interface_name(text);
        },
        [&o] { return config::quote(o.interface); }, "1..15 characters without space or slash", "",
        "base station: name of the management network's TUN interface, which is in the namespace tun.netns");
    subnet_text(s, "managed.address", o.address, false,
                "base station: address of this host in the management network, and its prefix length");
    ipv4_text(s, "managed.relay_address", o.relay_address,
              "base station: address of its DHCP relay in that network, which no other host has");
    ipv4_text(s, "managed.server_address", o.server_address,
              "base station: DHCP server; empty: the address of managed.address");
    s.text("managed.lab_folder", o.lab_folder,
           "base station: folder of configuration files for which `wimax up` starts dnsmasq (DHCP, TFTP) and a time "
           "server in that network; empty: other programs serve it");
    Declare fields(s, "managed.");
    visit(fields, o.network);
    visit(fields, o.station);
    s.text("managed.file_key", o.file_key,
           "subscriber station: file with the key of configuration files, 16 to 64 octets as hexadecimal digits; only "
           "its owner may read it. Without a key all configuration files are refused");
}

void load(const ManagedOptions& o, mac::ManagedNetwork& to) {
    to = o.network;
    if (to.policy == ManagedPolicy::off) return;
    const auto own = parse_subnet(o.address);
    if (!own) return;  // the key has its fault
    to.subnet = {own->address, own->mask()};
    to.relay_address = parse_ipv4(o.relay_address).value_or(0);
    to.server_address = o.server_address.empty() ? own->address : *parse_ipv4(o.server_address);
}

void load(const ManagedOptions& o, mac::ManagedSubscriber& to, config::LocatedFaults& faults) {
    to = o.station;
    if (!to.offered || (!to.needs_file && o.file_key.empty())) return;
    KeyText text;
    if (!read_key_file("managed.file_key", o.file_key, text, faults, true)) {
        to.file_key = {0};  // one fault is enough
        return;
    }
    to.file_key = key_of(text.octets);
    if (!to.file_key.empty()) return;
    to.file_key = {0};
    faults.add("managed.file_key", o.file_key, "a file of 32 to 128 hexadecimal digits");
}

TunConfig management_interface(const ManagedOptions& o, const TunConfig& user) {
    TunConfig tun;
    tun.name = o.interface;
    tun.netns = user.netns;
    tun.address = o.address;
    tun.mtu = kMtu;
    return tun;
}

}  // namespace wimax::macd
