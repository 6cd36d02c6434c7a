// SPDX-License-Identifier: GPL-3.0-or-later
// Complex samples as SigMF's core:datatype names them: cf64, cf32, ci32, cu32, ci16, cu16 with _le or _be, ci8, cu8.
#pragma once

#include <gnuradio/wimax/phy/base/numerology.h>

#include <optional>
#include <string>
#include <string_view>

namespace wimax::iq {

struct SampleType {
    size_t octets;  ///< of a complex sample
    /// Full scale of integers is 1; unsigned ones are centred between their two middle values.
    gr::wimax::phy::Complex (*read)(const char*);
};

std::optional<SampleType> sample_type(std::string_view datatype);
/// The same, little-endian if the name has no byte order: "ci16" is "ci16_le".
std::optional<SampleType> sample_type_or_short(std::string_view name);
/// All names, for messages.
std::string sample_type_names();

}  // namespace wimax::iq
