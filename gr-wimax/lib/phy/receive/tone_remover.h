// SPDX-License-Identifier: GPL-3.0-or-later
// Finds tones of other transmitters in a preamble and removes them from it and from its observation (internal).
#pragma once

#include "phy/channel/channel_estimator.h"
#include "phy/channel/tone_finder.h"
#include "phy/receive/link_estimate.h"

namespace gr::wimax::phy {

class ToneRemover {
public:
    /// Fills link.tones. True if there are any; observation and channel are then those without them.
    bool clean(const SeenPreamble& seen, ChannelEstimator& estimator, LinkEstimate& link);
    /// Tones found since the last call are expected in further preambles, or not.
    void keep() { finder_.keep(); }
    void forget() { finder_.forget(); }
    /// Forgets everything.
    void reset() { finder_.reset(); }

private:
    void take_off(const SeenPreamble& seen, const ToneFinder::Symbol& even, ChannelEstimator& estimator, Tone& tone,
                  LinkEstimate& link);

    ToneFinder finder_;
    Carriers even_, fourth_;  ///< with the tone that is estimated
};

}  // namespace gr::wimax::phy
