// SPDX-License-Identifier: GPL-3.0-or-later
// The rule for lines of logs, journals and events that a peer can cause: each source has a budget, and within it each
// kind of line has one. Lines over budget are counted, and the next line of that kind reports their number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wimax {

/// Tokens that refill with time: `burst` at once, `per_second` in the long run.
class LineBucket {
public:
    struct Rate {
        double burst, per_second;
    };
    bool full_enough(const Rate& rate, double now_s);
    void take() { tokens_ -= 1; }

private:
    double at_s_ = 0, tokens_ = -1;
    bool used_ = false;
};

class LineLimits {
public:
    /// A line takes a token of its kind and one of its source.
    struct Rates {
        LineBucket::Rate of_kind{3, 0.25}, of_source{16, 1};
    };
    /// New sources take one, so that invented ones do not each bring a fresh budget; without a token a source shares
    /// the budget of `kShared`.
    static constexpr LineBucket::Rate kOfNewSources{64, 0.25};
    static constexpr size_t kMostSources = 256, kMostKinds = 32;  ///< tracked; the one used longest ago is forgotten
    static constexpr uint64_t kShared = 0;                        ///< source of lines that no known peer causes
    static constexpr uint64_t kOwn = 1;                           ///< source of the program's own lines

    LineLimits() = default;
    explicit LineLimits(const Rates& rates) : rates_(rates) {}

    /// Whether a line may be written at `now_s`, which never decreases. `note`: text to append to the line, the number
    /// of lines of this kind omitted since the last one.
    bool allow(uint64_t source, uint64_t kind, double now_s, std::string& note);

    size_t sources() const { return sources_.size(); }
    uint64_t left_out() const { return left_out_; }

private:
    struct Kind {
        uint64_t id = 0;
        LineBucket bucket{};
        double used_s = 0;
        uint64_t left_out = 0;
    };
    struct Source {
        uint64_t id = 0;
        LineBucket bucket{};
        double used_s = 0;
        std::vector<Kind> kinds{};
    };
    Source& source(uint64_t id, double now_s);

    Rates rates_;
    std::vector<Source> sources_;
    LineBucket new_sources_;
    uint64_t left_out_ = 0;
};

/// Kind of a line by the place in the source that writes it; `variant` distinguishes several of one place.
constexpr uint64_t line_kind(const char* file, int line, uint32_t variant = 0) {
    uint64_t hash = 0xCBF29CE484222325;
    for (; *file != '\0'; ++file) hash = (hash ^ static_cast<uint8_t>(*file)) * 0x100000001B3;
    return (hash ^ static_cast<uint64_t>(line)) * 0x100000001B3 ^ (uint64_t{variant} << 32);
}

}  // namespace wimax
