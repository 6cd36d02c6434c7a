// SPDX-License-Identifier: GPL-3.0-or-later
// Bursts and STC zones of the downlink frame being received: which are due when, and the one whose symbols are being
// taken (internal to the downlink receiver).
#pragma once

#include "phy/frame/followed_frame.h"
#include "phy/stc/stc_receiver.h"

#include <optional>
#include <vector>

namespace gr::wimax::phy {

class DownlinkBursts {
public:
    using Expected = DownlinkReceiver::Expected;

    /// All must outlive the object.
    DownlinkBursts(const DownlinkReceiverConfig& config, FollowedFrame& frame, FrameSymbols& symbols,
                   const SampleBuffer& buffer, BurstReceiver& receiver);

    /// Forgets all bursts; the STC zone stays.
    void forget();
    /// A new frame begins.
    void begin_frame();
    /// Bursts and zones of a prefix; `zone`, `zone_start`: number and start of the STC zone it belongs to, or 0.
    void queue_prefix_bursts(FramePrefix prefix, int zone, int zone_start);
    void queue(const Expected& expected, bool first);
    void queue_zone(int start_symbol) { enqueue({{}, start_symbol, 0, 0, false, true}, kStcFirstBurstSymbol); }
    void forget_tones() { burst_link_.tones.clear(); }

    /// End of the current burst, or the next time to receive older symbols. There is no event per symbol.
    int64_t due();
    /// When the last burst ends, 0 without bursts. Nothing while an STC zone is awaited, whose prefix may announce
    /// more.
    std::optional<int64_t> last_due() const;
    /// Receives the symbols that are complete.
    void take_symbols();
    /// Ends the burst that is due.
    std::optional<SampleFlow> end_burst(DownlinkListener& listener);

private:
    struct Pending {
        BurstFormat format;
        int start_symbol, index;
        int64_t due;
        bool first;
        bool zone = false;  // not a burst: preamble and prefix of an STC zone
        int end_symbol = 0;
    };

    void enqueue(Pending entry, int symbols);
    void begin_burst();
    /// The last symbol ends the burst: only the burst's end is due for it.
    void plan_symbol();
    void end_reception();
    void report_burst();
    void report_link(const LinkEstimate& used);
    std::optional<SampleFlow> receive_zone(int start_symbol, DownlinkListener& listener);
    void report_stc_burst();

    const DownlinkReceiverConfig& config_;
    FollowedFrame& frame_;
    FrameSymbols& symbols_;
    const SampleBuffer& buffer_;
    BurstReceiver& receiver_;
    std::vector<Pending> pending_;  // sorted by due time
    // The first entry, once its reception has begun; its link becomes the frame's when it ends.
    bool begun_ = false;
    bool asked_late_ = false;         // requested after the symbols that follow it were received
    Reception* reception_ = nullptr;  // nullptr: nothing can be received
    LinkEstimate burst_link_;
    FftWindow next_symbol_;
    int64_t symbol_due_ = kNever;  // sample at which the next symbol is complete
    int64_t begun_at_ = 0;         // sample; older symbols are received a few at a time
    int64_t resting_until_ = 0;    // sample; no older symbols are received before it
    int caught_up_ = 0;            // symbols
    ReceivedBurst burst_, zone_prefix_;
    StcReceiver stc_;
    StcZoneSync zone_sync_;
    int zones_ = 0;  // STC zones of this frame so far
};

}  // namespace gr::wimax::phy
