// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/acquisition/fpga_receiver.h"

#include "tools/acquisition/detector_trial.h"

#include <memory>

namespace wimax::acquisition {
namespace {

template <class Detector> MeasuredReceiver measured(const Setup& setup) {
    auto trial = std::make_shared<DetectorTrial<Detector>>(setup);
    return {.trial = [trial](double snr_db, uint64_t seed) { return trial->run(snr_db, seed); },
            .count_alarms =
                [trial](Idle idle, int64_t symbols, uint64_t seed, const std::function<bool(int64_t)>& go_on) {
                    return trial->idle(idle, symbols, seed, go_on);
                }};
}

}  // namespace

std::optional<MeasuredReceiver> make_fpga_receiver(FpgaDetector detector, const Setup& setup) {
    return detector == FpgaDetector::model ? measured<fpga::PreambleDetect>(setup)
                                           : measured<fpga::PreambleDetectCore>(setup);
}

}  // namespace wimax::acquisition
