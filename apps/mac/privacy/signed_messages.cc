// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/privacy/signed_messages.h"

#include <algorithm>
#include <array>

namespace wimax::mac::privacy {
namespace {

struct SignedMessage {
    MessageType type;
    bool downlink, uplink;
};

constexpr std::array kSigned{
    SignedMessage{MessageType::reg_req, false, true},  SignedMessage{MessageType::reg_rsp, true, false},
    SignedMessage{MessageType::dsa_req, true, true},   SignedMessage{MessageType::dsa_rsp, true, true},
    SignedMessage{MessageType::dsa_ack, true, true},   SignedMessage{MessageType::dsc_req, true, true},
    SignedMessage{MessageType::dsc_rsp, true, true},   SignedMessage{MessageType::dsc_ack, true, true},
    SignedMessage{MessageType::dsd_req, true, true},   SignedMessage{MessageType::dsd_rsp, true, true},
    SignedMessage{MessageType::res_cmd, true, false},  SignedMessage{MessageType::dreg_cmd, true, false},
    SignedMessage{MessageType::dreg_req, false, true}, SignedMessage{MessageType::tftp_cplt, false, true},
    SignedMessage{MessageType::tftp_rsp, true, false}};

}  // namespace

bool is_signed(std::optional<MessageType> type, Direction direction) {
    const auto found = std::ranges::find_if(kSigned, [&](const SignedMessage& one) { return one.type == type; });
    return found != kSigned.end() && (direction == Direction::downlink ? found->downlink : found->uplink);
}

}  // namespace wimax::mac::privacy
