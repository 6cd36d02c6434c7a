// SPDX-License-Identifier: GPL-3.0-or-later
// Octets to JSON and back give the same octets, whatever they are; any JSON is encoded or refused.
#include "tools/pdu/format.h"

#include <cstdlib>

using namespace wimax::pdu;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

void encode_text(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    (void)read_key_log(text);
    if (json.is_discarded()) return;
    (void)encode(json);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    Buffer octets(data + 1, data + size);
    // DES opens any input, so the code after a cipher is reached; AES reaches the code of a rejected PDU.
    static const PayloadKey kAes{*wimax::mac::privacy::TrafficKey::of(Buffer(16)), {}, 0};
    static const PayloadKey kDes{*wimax::mac::privacy::TrafficKey::of(Buffer(8)), {}, 0};
    switch (data[0] % 4) {
        case 0: encode_text({octets.begin(), octets.end()}); break;
        case 1: require(encode(decode_message(octets)).value() == octets); break;
        case 2: (void)decode_frame_prefix(octets).dump(-1, ' ', true, Json::error_handler_t::replace); break;
        default: {
            if (octets.size() >= wimax::mac::kHeaderOctets) octets[5] = wimax::mac::hcs8(Octets(octets).first(5));
            DecodeOptions options;
            options.direction = data[0] & 4 ? Direction::downlink : Direction::uplink;
            if (data[0] & 8) options.key = data[0] & 16 ? kAes : kDes;
            const Json tree = decode_pdus(octets, options);
            require(encode(tree, options.key).value() == octets);
            require(encode(tree).value() == octets);
            (void)tree.dump(-1, ' ', true, Json::error_handler_t::replace);
        }
    }
    return 0;
}
