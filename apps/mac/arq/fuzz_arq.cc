// SPDX-License-Identifier: GPL-3.0-or-later
// Arbitrary fragments, discards and feedback for the two machines. The receiver never delivers SDUs that are too long.
// The sender releases each SDU once, and never names a block outside its window.
#include "mac/arq/arq_receiver.h"
#include "mac/arq/arq_sender.h"

#include <cstdlib>
#include <set>

using namespace wimax::mac;

namespace {

constexpr size_t kLongestSdu = 2040;

void require(bool condition) {
    if (!condition) std::abort();
}

ArqParameters parameters_of(BitReader& in) {
    ArqParameters p;
    p.window_blocks = static_cast<uint16_t>(1 + in.get16(10));
    p.block_octets = static_cast<uint16_t>(1 + in.get16(11) % kMaxArqBlockOctets);
    p.retry_timeout = in.get16(6);
    p.block_lifetime = in.get16(6);
    p.rx_purge_timeout = in.get16(6);
    p.sync_loss_timeout = in.get16(6);
    p.deliver_in_order = in.get(1);
    return p;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    BitReader in({data, size});
    const ArqParameters p = parameters_of(in);
    std::set<uint32_t> held;
    ArqSender sender(p, [&](uint32_t sdu, bool) { require(held.erase(sdu) == 1); });
    ArqReceiver receiver(p, kLongestSdu);
    const ArqReceiver::Sink sink = [](Octets sdu) { require(!sdu.empty() && sdu.size() <= kLongestSdu); };
    static const Buffer octets(4096, 0x5A);
    Samples now = 0;
    uint32_t sdus = 0;
    while (!in.failed()) {
        now += in.get16(4);
        switch (in.get(3)) {
            case 0:
                receiver.receive(static_cast<FragmentControl>(in.get(2)), in.get16(11),
                                 Octets(octets).first(in.get16(12)), now, sink);
                break;
            case 1: receiver.discard(in.get16(11), sink); break;
            case 2: {
                const auto ie = read_feedback_ie(in);
                if (!ie) break;
                sender.acknowledge(*ie, now);
                sender.repeat_missing(*ie, now);
                break;
            }
            case 3:
                if (sender.wants_sdu()) {
                    held.insert(sdus);
                    sender.add(sdus++, 1 + in.get16(11) % kLongestSdu);
                }
                break;
            case 4:
            case 5:
                if (const auto fragment = sender.next(in.get16(12))) {
                    require(fragment->blocks > 0 && fragment->offset + fragment->octets <= kLongestSdu);
                    sender.sent(*fragment, now);
                    require(sender.blocks_in_flight() <= p.window_blocks);
                }
                break;
            case 6:
                sender.tick(now);
                receiver.tick(now, sink);
                sender.discard_due(now);
                break;
            case 7:
                if (in.get(4) != 0) break;
                sender.reset();
                receiver.reset();
                break;
        }
        std::array<FeedbackIe, kMaxFeedbackElements> ies;
        require(receiver.feedback(7, ies) <= ies.size());
        require(sender.held_sdus() == held.size());
    }
    return 0;
}
