// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever parses as a frame prefix must be packed into the same bytes again, as far as the list's end.
#include <gnuradio/wimax/phy/coding/frame_prefix.h>

#include <algorithm>
#include <cstdlib>

using namespace gr::wimax::phy;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::array<uint8_t, kFramePrefixBytes> bytes{};
    if (size == bytes.size()) {  // fuzzing does not find a correct checksum by chance
        std::copy_n(data, size, bytes.begin());
        bytes.back() = header_check_sequence(std::span(bytes).first(kFramePrefixBytes - 1));
        const auto prefix = parse_frame_prefix(bytes);
        if (prefix) {
            const auto again = parse_frame_prefix(pack_frame_prefix(*prefix));
            const bool empty = prefix->entry_count == 0 && prefix->bsid_lsb == 0 && prefix->frame_lsb == 0 &&
                               prefix->change_count_lsb == 0;  // only reserved bits or bytes after the list's end
            if (!empty && (!again || again->entry_count != prefix->entry_count)) std::abort();
            for (int i = 0; again && i < prefix->entry_count; ++i) {
                const auto &a = prefix->entries[static_cast<size_t>(i)], &b = again->entries[static_cast<size_t>(i)];
                if (a.length != b.length || a.rate_id_or_diuc != b.rate_id_or_diuc ||
                    a.preamble_present != b.preamble_present)
                    std::abort();
            }
        }
    }
    (void)parse_frame_prefix({data, size});
    return 0;
}
