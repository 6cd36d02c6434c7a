// SPDX-License-Identifier: GPL-3.0-or-later
// Any octets as a management message: a decoded structure is restored from
// its own encoding.
#include "mac/pdu/management_messages.h"

#include <cstdlib>

using namespace wimax::mac;

namespace {

template <class Message> void try_message(Octets octets) {
    Message first;
    if (!decode(octets, first)) return;
    // The encoder marks the end of a feedback list, which the decoder does not require.
    if constexpr (std::is_same_v<Message, ArqFeedback>)
        if (!first.ies.empty()) first.ies.back().last = true;
    Buffer again;
    encode(first, again);
    Message second;
    if (!decode(again, second) || !(first == second)) std::abort();
}

template <class... Messages> void try_all(Octets octets) { (try_message<Messages>(octets), ...); }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    try_all<Dcd, Ucd, DlMap, UlMap, RngReq, RngRsp, SbcReq, SbcRsp, RepReq, RepRsp, RegReq, RegRsp, DsaReq, DsaRsp,
            DsaAck, DscReq, DscRsp, DscAck, DsdReq, DsdRsp, DsxRvd, DbpcReq, DbpcRsp, McaReq, McaRsp, ResCmd, DregCmd,
            DregReq, TftpCplt, TftpRsp, ArqFeedback, ArqDiscard, ArqReset>(Octets(data, size));
    return 0;
}
