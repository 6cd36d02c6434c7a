// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/managed/dhcp_message.h"

#include "mac/pdu/tlv.h"

#include <algorithm>
#include <bitset>

namespace wimax::mac {
namespace {

constexpr uint8_t kBootRequest = 1, kBootReply = 2, kEthernetType = 1, kMostHops = 16;
constexpr uint16_t kBroadcastFlag = 0x8000;
constexpr uint32_t kDhcpCookie = 0x63825363;
constexpr size_t kHopsAt = 3, kRelayAt = 24, kHardwareOctets = 16, kServerNameOctets = 64, kFileOctets = 128,
                 kLeastBootpOctets = 300, kMostTimeServers = 8, kMostOptionOctets = 255;
constexpr std::string_view kVendorClass = "IEEE802.16";

enum DhcpOption : uint8_t {
    pad_option = 0,
    subnet_mask_option = 1,
    router_option = 3,
    time_servers_option = 4,
    requested_address_option = 50,
    lease_option = 51,
    overload_option = 52,
    kind_option = 53,
    server_option = 54,
    parameters_option = 55,
    renew_option = 58,
    rebind_option = 59,
    vendor_class_option = 60,
    client_identifier_option = 61,
    server_name_option = 66,
    file_option = 67,
    end_option = 255
};
constexpr uint8_t kAskedOptions[] = {subnet_mask_option, router_option,      time_servers_option,
                                     lease_option,       server_option,      renew_option,
                                     rebind_option,      server_name_option, file_option};

/// Up to the first zero.
std::string text_of(Octets field) { return {field.begin(), std::ranges::find(field, uint8_t{0})}; }

std::optional<uint32_t> word_of(Octets value) {
    if (value.size() != 4) return std::nullopt;
    return BitReader(value).get32();
}

/// Reads the options of a message, wherever they are.
class OptionReader {
public:
    explicit OptionReader(DhcpMessage& message) : message_(message) {}

    /// False: a length does not fit.
    bool read(Octets list) {
        for (size_t at = 0; at < list.size() && list[at] != end_option;) {
            if (list[at] == pad_option) {
                ++at;
                continue;
            }
            if (list.size() - at < 2 || list.size() - at - 2 < list[at + 1]) return false;
            const Octets value = list.subspan(at + 2, list[at + 1]);
            const uint8_t option = list[at];
            // A second part of a long option (RFC 3396) is not used.
            if (!seen_[option] && !take(option, value)) return false;
            seen_.set(option);
            at += 2 + value.size();
        }
        return true;
    }
    bool has(DhcpOption option) const { return seen_[option]; }
    /// Bit 0: the field file has options; bit 1: sname.
    uint8_t overload() const { return overload_; }

private:
    bool take(uint8_t option, Octets value) {
        switch (option) {
            case subnet_mask_option: return take_word(value, message_.subnet_mask);
            case router_option:
                return take_list(value, [this](uint32_t router) {
                    if (message_.router == 0) message_.router = router;
                });
            case time_servers_option:
                return take_list(value, [this](uint32_t server) {
                    if (message_.time_servers.size() < kMostTimeServers) message_.time_servers.push_back(server);
                });
            case requested_address_option: return take_word(value, message_.requested_address);
            case lease_option: return take_word(value, message_.lease_s);
            case server_option: return take_word(value, message_.server);
            case renew_option: return take_word(value, message_.renew_s);
            case rebind_option: return take_word(value, message_.rebind_s);
            case client_identifier_option: message_.client_identifier.assign(value.begin(), value.end()); return true;
            case server_name_option: message_.server_name = text_of(value); return true;
            case file_option: message_.file = text_of(value); return true;
            case overload_option: return take_code(value, 3, overload_);
            case kind_option: {
                uint8_t kind = 0;
                if (!take_code(value, static_cast<uint8_t>(DhcpKind::inform), kind)) return false;
                message_.kind = static_cast<DhcpKind>(kind);
                return true;
            }
            default: return true;
        }
    }
    static bool take_word(Octets value, uint32_t& word) {
        const auto read = word_of(value);
        word = read.value_or(0);
        return read.has_value();
    }
    static bool take_code(Octets value, uint8_t last, uint8_t& code) {
        if (value.size() != 1 || value[0] == 0 || value[0] > last) return false;
        code = value[0];
        return true;
    }
    static bool take_list(Octets value, const auto& give) {
        if (value.empty() || value.size() % 4 != 0) return false;
        for (; !value.empty(); value = value.subspan(4)) give(BitReader(value).get32());
        return true;
    }

    DhcpMessage& message_;
    std::bitset<256> seen_;
    uint8_t overload_ = 0;
};

/// Fixed fields up to chaddr; leaves `in` at sname. False: not of an Ethernet client.
bool read_fixed(BitReader& in, DhcpMessage& message) {
    const uint8_t op = in.get8(), type = in.get8(), length = in.get8();
    if ((op != kBootRequest && op != kBootReply) || type != kEthernetType || length != message.mac.size()) return false;
    message.from_client = op == kBootRequest;
    message.hops = in.get8();
    message.transaction = in.get32();
    message.elapsed_s = in.get16();
    message.broadcast = in.get16() & kBroadcastFlag;
    for (uint32_t* address : {&message.client_address, &message.your_address, &message.next_server, &message.relay})
        *address = in.get32();
    for (uint8_t& octet : message.mac) octet = in.get8();
    for (size_t i = message.mac.size(); i < kHardwareOctets; ++i) in.get(8);
    return true;
}

void write_fixed(const DhcpMessage& message, BitWriter& out) {
    out.put(message.from_client ? kBootRequest : kBootReply, 8);
    out.put(kEthernetType, 8);
    out.put(message.mac.size(), 8);
    out.put(message.hops, 8);
    out.put(message.transaction, 32);
    out.put(message.elapsed_s, 16);
    out.put(message.broadcast ? kBroadcastFlag : 0, 16);
    for (const uint32_t address : {message.client_address, message.your_address, message.next_server, message.relay})
        out.put(address, 32);
    out.put(Octets(message.mac));
    for (size_t i = message.mac.size(); i < kHardwareOctets + kServerNameOctets + kFileOctets; ++i) out.put(0, 8);
    out.put(kDhcpCookie, 32);
}

void put_option(Buffer& payload, uint8_t option, Octets value) {
    value = value.first(std::min(value.size(), kMostOptionOctets));
    payload.push_back(option);
    payload.push_back(static_cast<uint8_t>(value.size()));
    payload.insert(payload.end(), value.begin(), value.end());
}
void put_option(Buffer& payload, uint8_t option, std::string_view text) {
    if (!text.empty()) put_option(payload, option, Octets(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}
void put_option(Buffer& payload, uint8_t option, uint32_t word) {
    if (word != 0) TlvWriter(payload).put_integer(option, word, 4);
}

}  // namespace

std::optional<DhcpMessage> read_dhcp(Octets payload) {
    DhcpMessage message;
    BitReader in(payload);
    if (!read_fixed(in, message) || in.rest().size() < kServerNameOctets + kFileOctets + 4) return std::nullopt;
    const Octets server_name = in.rest().first(kServerNameOctets);
    const Octets file = in.rest().subspan(kServerNameOctets, kFileOctets);
    const Octets rest = in.rest().subspan(kServerNameOctets + kFileOctets);
    OptionReader options(message);
    if (word_of(rest.first(4)) != kDhcpCookie || !options.read(rest.subspan(4))) return std::nullopt;
    const bool file_has_options = options.overload() & 1, name_has_options = options.overload() & 2;
    if (file_has_options && !options.read(file)) return std::nullopt;
    if (name_has_options && !options.read(server_name)) return std::nullopt;
    if (!options.has(kind_option)) return std::nullopt;
    if (!file_has_options && message.file.empty()) message.file = text_of(file);
    if (!name_has_options && message.server_name.empty()) message.server_name = text_of(server_name);
    return message;
}

void write_dhcp(const DhcpMessage& message, Buffer& payload) {
    payload.clear();
    BitWriter out(payload);
    write_fixed(message, out);
    TlvWriter(payload).put_integer(kind_option, static_cast<uint8_t>(message.kind), 1);
    put_option(payload, server_option, message.server);
    put_option(payload, requested_address_option, message.requested_address);
    put_option(payload, lease_option, message.lease_s);
    put_option(payload, renew_option, message.renew_s);
    put_option(payload, rebind_option, message.rebind_s);
    put_option(payload, subnet_mask_option, message.subnet_mask);
    put_option(payload, router_option, message.router);
    Buffer servers;
    for (size_t i = 0; i < std::min(message.time_servers.size(), kMostTimeServers); ++i)
        BitWriter(servers).put(message.time_servers[i], 32);
    if (!servers.empty()) put_option(payload, time_servers_option, Octets(servers));
    if (!message.client_identifier.empty())
        put_option(payload, client_identifier_option, Octets(message.client_identifier));
    put_option(payload, server_name_option, message.server_name);
    put_option(payload, file_option, message.file);
    if (message.from_client) {
        put_option(payload, parameters_option, Octets(kAskedOptions));
        put_option(payload, vendor_class_option, kVendorClass);
    }
    payload.push_back(end_option);
    if (payload.size() < kLeastBootpOctets) payload.resize(kLeastBootpOctets, pad_option);
}

bool relay_request(Buffer& payload, uint32_t relay_address) {
    const auto message = read_dhcp(payload);
    if (!message || !message->from_client || message->hops >= kMostHops) return false;
    if (message->relay != 0 && message->relay != relay_address) return false;
    ++payload[kHopsAt];
    for (size_t i = 0; i < 4; ++i) payload[kRelayAt + i] = static_cast<uint8_t>(relay_address >> (24 - 8 * i));
    return true;
}

}  // namespace wimax::mac
