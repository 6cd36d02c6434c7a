/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Arbitrary octets as received bursts, at a base station with a station registered and at that station.
 */
#include "mac/test_air.h"

#include <cstdlib>

using namespace wimax::mac;
using namespace wimax::mac::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static Air* air = nullptr;
    static int runs = 0;
    if (!air || ++runs % 64 == 0) {
        delete air;
        BaseStationConfig config;
        config.start_silence_ms = 0;
        config.sdu_buffers = 64;
        air = new Air(config);
        auto& station = air->add();
        station.config.sdu_buffers = 64;
        air->restart(station);
        if (air->run_until([] { return air->all_operational() && air->bs->operational(); }, 400) < 0) std::abort();
    }
    // Each input stands in for the bursts of two frames, both ways.
    air->tamper = [data, size](wimax::sap::RxBurst& burst) {
        std::copy_n(data, std::min(size, burst.payload.size()), burst.payload.begin());
    };
    air->run(2);
    air->tamper = nullptr;
    air->run(1);
    if (air->overlaps != 0 || air->oversized != 0) std::abort();
    return 0;
}
