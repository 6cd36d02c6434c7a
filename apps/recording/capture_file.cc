// SPDX-License-Identifier: GPL-3.0-or-later
#include "recording/capture_file.h"

#include "recording/sigmf_file.h"

namespace wimax::iq {

Outcome write_capture(const CaptureFile& file, std::span<const std::span<const Complex>> parts) {
    constexpr size_t kMarked = 64;  // samples; an event has no length
    RecordingWriter out;
    Outcome done = out.open(file.path, file.sample_rate_hz, file.description);
    for (const auto& part : parts)
        if (done) done = out.write(part);
    AnnotationWriter notes;
    return done.and_then([&] { return out.close(); }).and_then([&] { return notes.open(file.path); }).and_then([&] {
        notes.add({{"core:sample_start", file.event},
                   {"core:sample_count", kMarked},
                   {"core:label", "trigger: " + file.trigger},
                   {"core:generator", file.generator}});
        return notes.finish();
    });
}

}  // namespace wimax::iq
