// SPDX-License-Identifier: GPL-3.0-or-later
// Frame timing of a subscriber station. It decides when each frame's tick is due: one per frame, early enough for a
// response. It also decides what to await in lock-step, and up to which sample the radio may assume that nothing more
// is sent. Decisions only: no receiver, no samples, no messages, no radio. Times and lengths are samples.
//
//   frame begins ── maps received ── uplinks known ── tick ── response        a map describes its frame's uplink
//   ... maps received ── next uplink known ── tick ── tick ahead ── frame begins ── ...    or that of the next frame
//
// `position` is the first unprocessed sample. While waits(), no sample is processed.
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
        int64_t deadline_lead = 0;  ///< responses are due this time before the uplink; at most turnaround
        int64_t response = 0;       ///< shortest time from a received sample to one sent in response
        int64_t chunk = 0;          ///< granularity of the radio's time, 0: none; least response while it listens
        bool lock_step = false;     ///< responses are awaited
        bool one_carrier = true;    ///< of both directions: no uplink begins during the maps
    };
    /// A frame as measured by the receiver.
    struct Frame {
        int64_t start = 0;
        double start_fraction = 0;  ///< added to start
        int64_t samples = 0;        ///< nominal length; 0: not known yet
        double clock_offset_ppm = 0;
        int64_t symbol_samples = 0;
        std::optional<uint8_t> lsb;  ///< of its frame prefix; absent: the prefix was lost
    };
    struct Tick {
        phy::FrameNumber number;
        int64_t frame_start = 0;  ///< position, for a tick without a frame
        int64_t deadline = 0;     ///< for its response
        bool of_frame = false;    ///< false: silence
        bool attached = false, synchronised = false;
    };

    explicit SubscriberClock(const Config& config);

    phy::FrameNumber number() const { return number_; }  ///< of the current frame
    bool attached() const { return attached_; }
    bool synchronised() const { return synchronised_; }

    // Events of the receiver.
    /// Samples restart at `sample`.
    void jump(int64_t sample);
    void frame_begins(const Frame& frame);
    void sync_lost();
    /// This frame has no maps: its tick is due. True: stop here, for owed().
    bool maps_missing();
    /// The maps were passed to the MAC. True: stop here, for its response or for owed().
    bool maps_heard();

    // Events of the MAC and the transmitter.
    /// Attached from the next frame or silent tick on; at once if nothing is received. Detaching takes effect at once:
    /// no response is awaited.
    void attach(bool wanted, int64_t position);
    /// True if a response to this frame's maps is of use.
    bool takes(phy::FrameNumber number) const { return number == number_ && frame_open_; }
    /// Uplink starts of this frame and the next, from an accepted response: samples from the frame's start; 0: no
    /// uplink, or unknown.
    void uplinks(int64_t first, int64_t next, int64_t position);
    /// A response to maps arrived, nullopt: an unreadable one. False: it was not awaited.
    bool maps_answered(std::optional<phy::FrameNumber> number, int64_t position);
    /// The transmitter has finished this frame. False: it was not awaited.
    bool tick_answered(phy::FrameNumber number);

    // Due ticks. Call these while not waits().
    bool waits() const { return wait_ != Wait::nothing; }
    /// Process no sample from here on before calling due().
    int64_t next_due() const;
    /// A tick that is due at this sample.
    std::optional<Tick> due(int64_t position);
    /// The tick for which the receiver was stopped.
    std::optional<Tick> owed(int64_t position);

    // Commits: everything to be sent before these samples has been issued. They are never beyond a known uplink without
    // a response.
    /// Commit while receiving and not waiting.
    int64_t commit(int64_t position) const;
    /// Commit after a tick's response: nothing more is sent before the next frame's uplink. Nullopt: unknown.
    std::optional<int64_t> commit_behind_answer() const;

private:
    static constexpr int64_t kSilentTickMs = 10;  // while there is no frame for a tick
    // Includes at least one symbol of maps: no uplink on the same carrier begins before.
    static constexpr int kHeaderSymbols = phy::kFirstBurstSymbol + 1;
    static constexpr int64_t kMaxAdvanceUs = 250;  // largest advance of stations before their slots: 37 km

    enum class Wait : uint8_t { nothing, maps_answer, tick_answer };

    int64_t silent_tick() const;
    int64_t latest_tick() const;
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
    bool frame_open_ = false;  ///< a frame has begun and had no tick yet
    bool ticked_ = false;      ///< the current frame had its tick before it began
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
