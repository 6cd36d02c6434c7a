/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The frame timing of a subscriber station: one tick a frame, at the moment that leaves time to answer; what is waited
 * for in lock-step; up to where the radio may be told that nothing more will be sent. Decisions alone: no receiver, no
 * samples, no messages, no radio. Times and lengths are samples.
 *
 *   frame begins ── maps heard ── uplinks told ── tick ── answered        a map describes its own frame's uplink
 *   ... maps heard ── next uplink told ── tick of this frame ── tick ahead ── frame begins ── ...    or the next one's
 *
 * `position` is the first sample that has not been dealt with. While waits(), none is.
 */
#pragma once

#include <gnuradio/wimax/phy/base/frame_number.h>
#include <gnuradio/wimax/phy/base/numerology.h>

#include <cstdint>
#include <optional>

namespace gr::wimax {

class SubscriberClock {
public:
    struct Config {
        int64_t sample_rate_hz = 0;
        int64_t turnaround = 0;     ///< tick to uplink, at least
        int64_t deadline_lead = 0;  ///< answers are due that long before the uplink; at most turnaround
        int64_t response = 0;       ///< shortest time from a received sample to one sent in answer
        int64_t chunk = 0;          ///< granularity of the radio's time, 0: none; least response while it listens
        bool lock_step = false;     ///< answers are waited for
    };
    /// What the receiver has measured of a frame.
    struct Frame {
        int64_t start = 0;
        double start_fraction = 0;  ///< added to start
        int64_t samples = 0;        ///< nominal length; 0: not known yet
        double clock_offset_ppm = 0;
        int64_t symbol_samples = 0;
        std::optional<uint8_t> lsb;  ///< of its frame prefix; absent: that was lost
    };
    struct Tick {
        phy::FrameNumber number;
        int64_t frame_start = 0;  ///< of a tick without a frame: the position
        int64_t deadline = 0;     ///< for its answer
        bool of_frame = false;    ///< false: silence
        bool attached = false, synchronised = false;
    };

    explicit SubscriberClock(const Config& config);

    phy::FrameNumber number() const { return number_; }  ///< of the frame at hand
    bool attached() const { return attached_; }
    bool synchronised() const { return synchronised_; }

    // What the receiver says.
    /// Samples begin anew at `sample`.
    void jump(int64_t sample);
    void frame_begins(const Frame& frame);
    void sync_lost();
    /// No map will come in this frame: its tick is due. True: stop here, for owed().
    bool maps_missing();
    /// The maps are on their way to the MAC. True: stop here, for its answer or for owed().
    bool maps_heard();

    // What the MAC and the transmitter say.
    /// Attached from the next frame or silent tick on; at once where nothing is received. Whoever goes is gone at once
    /// and not waited for.
    void attach(bool wanted, int64_t position);
    /// Whether an answer to this frame's maps is of use.
    bool takes(phy::FrameNumber number) const { return number == number_ && frame_open_; }
    /// Of an answer that is taken: where the uplinks of this frame and of the next begin, samples from the frame's
    /// start; 0: no uplink, or not told.
    void uplinks(int64_t first, int64_t next, int64_t position);
    /// An answer to maps came, nullopt: one that cannot be read. False: it was not waited for.
    bool maps_answered(std::optional<phy::FrameNumber> number, int64_t position);
    /// The transmitter is done with this frame. False: it was not waited for.
    bool tick_answered(phy::FrameNumber number);

    // What is due. To be asked while not waits().
    bool waits() const { return wait_ != Wait::nothing; }
    /// No sample from here on before due() was asked.
    int64_t next_due() const;
    /// A tick whose sample has come.
    std::optional<Tick> due(int64_t position);
    /// The tick for which the receiver was stopped.
    std::optional<Tick> owed(int64_t position);

    // Everything to be sent before these samples has been issued: never beyond an uplink that is known to come and has
    // not had its answer.
    /// While it listens and waits for nothing.
    int64_t commit(int64_t position) const;
    /// Behind a tick's answer: nothing more before the next frame's uplink. Nullopt: that is not known.
    std::optional<int64_t> commit_behind_answer() const;

private:
    static constexpr int64_t kSilentTickMs = 10;  // while there is no frame to hang a tick on
    // With at least one symbol of maps: no uplink begins before.
    static constexpr int kHeaderSymbols = phy::kFirstBurstSymbol + 1;
    static constexpr int64_t kMaxAdvanceUs = 250;  // stations send this much before their slots at most: 37 km

    enum class Wait : uint8_t { nothing, maps_answer, tick_answer };

    int64_t silent_tick() const;
    int64_t tick_ahead_at() const;
    Tick tick(bool of_frame, int64_t position);
    Tick tick_ahead(int64_t position);
    Tick publish(bool of_frame, phy::FrameNumber number, int64_t start, std::optional<int64_t> uplink,
                 int64_t position);
    int64_t before_next_uplink(int64_t sample) const;
    bool may_wait() const { return config_.lock_step && attached_; }

    const Config config_;
    const int64_t max_advance_;
    const int64_t listening_response_;
    const int64_t tick_lead_;  ///< tick to uplink
    bool attached_ = false, attach_wanted_ = false, synchronised_ = false;
    Wait wait_ = Wait::nothing;
    bool frame_open_ = false;  ///< a frame began and has not had its tick
    bool ticked_ = false;      ///< the frame at hand had its tick before it began
    bool owed_ = false;
    std::optional<int64_t> tick_at_, uplink_start_;
    /// First slot of the coming frame's uplink.
    struct NextUplink {
        phy::FrameNumber number;
        int64_t sample;
        bool ticked;
    };
    std::optional<NextUplink> next_uplink_;
    Frame frame_;
    int64_t last_tick_ = 0, ticked_start_ = 0;
    phy::FrameNumber number_, ticked_number_;
};

}  // namespace gr::wimax
