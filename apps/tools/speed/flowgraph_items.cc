// SPDX-License-Identifier: GPL-3.0-or-later
// The receiver as a GNU Radio block in a flowgraph, on the samples that the receiver itself is measured with.
#include <gnuradio/blocks/vector_source.h>
#include <gnuradio/top_block.h>
#include <gnuradio/wimax/block_messages.h>
#include <gnuradio/wimax/ss_receiver.h>
#include "tools/speed/items.h"

#include <memory>
#include <stdexcept>

namespace wimax::speed {
namespace {

constexpr int kRate64Qam34 = 6;
/// Samples. GNU Radio's own choice is 8192, of which half are handed over at once: at the receiver's pace the threads
/// would take turns every 60 us.
constexpr int kSourceBuffer = 32'768;

/// A flowgraph runs once: each round makes a new one.
Round prepare_flowgraph(Stopwatch& watch) {
    const auto recording = std::make_shared<FrameRecording>(record_frames(kRate64Qam34));
    return [recording, &watch] {
        watch.pause();
        const auto top = gr::make_top_block("speed");
        const auto source = gr::blocks::vector_source_c::make(recording->samples);
        source->set_log_level("warn");  // standard output may be the result
        source->set_min_output_buffer(kSourceBuffer);
        const auto receiver = gr::wimax::ss_receiver::make({.bandwidth_hz = kBandwidthHz});
        top->connect(source, 0, receiver, 0);
        watch.resume();
        top->run();
        watch.pause();
        const auto status = receiver->status();
        const auto bursts = static_cast<int>(status.bursts - status.fec_failures);
        if (bursts != recording->frames)
            throw std::runtime_error(std::to_string(bursts) + " of " + std::to_string(recording->frames) +
                                     " bursts received");
        watch.resume();
        return static_cast<double>(recording->samples.size()) * 1e-6;
    };
}

}  // namespace

void add_flowgraph_items(std::vector<Item>& items, Stopwatch& watch) {
    items.push_back({"rx_flowgraph_64qam34", "MS/s", kRealTime, [&watch] { return prepare_flowgraph(watch); }});
}

}  // namespace wimax::speed
