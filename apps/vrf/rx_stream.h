// SPDX-License-Identifier: GPL-3.0-or-later
// Stream commands of a receiver: which samples a host gets. Not thread-safe: its owner locks.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace wimax::vrf {

struct RxCommand {
    enum class Mode : uint8_t { start, stop, samples_and_done, samples_and_more } mode = Mode::start;
    uint64_t samples = 0;
    std::optional<int64_t> tick;  ///< none: now
};

class RxStream {
public:
    void command(const RxCommand& command) { commands_.push_back(command); }
    /// Ends the stream and discards commands.
    void stop();
    /// The stream runs or is commanded.
    bool commanded() const { return active_ || !commands_.empty(); }
    bool active() const { return active_; }

    enum class Step : uint8_t { nothing, late_command, broken_chain, started };
    /// Takes the next command that acts before `end`. If it starts, `position` moves to its first sample. Call again
    /// until the stream is active, or nothing is left.
    Step take_command(int64_t& position, int64_t end);
    /// A second start without time replaces a running one: the stream ends, and take_command() begins the second.
    void give_way();
    /// Number of the next `samples` samples that belong to the stream.
    size_t share(uint64_t samples) const;
    /// True once after each start.
    bool take_first() { return std::exchange(first_packet_, false); }
    /// `samples` were appended. True: the last of them ends the burst.
    bool advance(size_t samples);

private:
    std::deque<RxCommand> commands_;
    bool active_ = false, first_packet_ = false, chained_ = false;
    uint64_t remaining_ = 0;
    RxCommand::Mode mode_ = RxCommand::Mode::start;
};

}  // namespace wimax::vrf
