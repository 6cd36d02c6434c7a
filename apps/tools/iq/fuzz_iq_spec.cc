// SPDX-License-Identifier: GPL-3.0-or-later
// Any octets as a spec: faults or a spec whose bursts all have room for their payload. An OFDMA spec without faults has
// samples.
#include <gnuradio/wimax/phy/coding/burst_coder.h>
#include "tools/iq/ofdma_generate.h"
#include "tools/iq/spec.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace wimax::iq;
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const auto purpose : {Purpose::generate, Purpose::decode}) {
        const auto spec = parse_spec(text, "fuzz", purpose);
        if (!spec) {
            if (spec.error().empty()) std::abort();
            continue;
        }
        for (const auto& frame : spec->frames) {
            for (const auto& burst : frame.bursts) {
                if (static_cast<int>(burst.payload.size()) > phy::burst_payload_bytes(burst.format)) std::abort();
            }
        }
    }
    const auto document = parse_document(text, "fuzz");
    if (!document || !is_ofdma(*document)) return 0;
    const auto ofdma = parse_ofdma_spec(*document, "fuzz");
    if (ofdma ? !modulate(*ofdma) : ofdma.error().empty()) std::abort();
    return 0;
}
