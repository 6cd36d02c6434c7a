// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of one configuration, message or file, all at once: the one collector of all programs.
#pragma once

#include <gnuradio/wimax/phy/base/fault.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace wimax {

using gr::wimax::phy::Fault, gr::wimax::phy::Outcome, gr::wimax::phy::failure;

class Faults {
public:
    static constexpr size_t kMost = 200;

    /// Keeps `most` and counts the others, so that nothing hostile fills a log.
    explicit Faults(size_t most = kMost) : most_(most) {}
    Faults(Fault only) : Faults() { add(std::move(only)); }  // NOLINT: one fault is a list of faults

    void add(Fault fault) {
        if (list_.size() < most_) list_.push_back(std::move(fault));
        else ++suppressed_;
    }
    void add(std::string key, std::string value, std::string allowed) {
        add({std::move(key), std::move(value), std::move(allowed)});
    }

    /// Each as `change` returns it, for instance with a longer key.
    template <typename Change = std::identity> void add_all(const Faults& others, const Change& change = {}) {
        for (const auto& fault : others.list_) add(change(fault));
        suppressed_ += others.suppressed_;
    }

    bool empty() const { return count() == 0; }
    size_t count() const { return list_.size() + suppressed_; }
    size_t suppressed() const { return suppressed_; }
    const std::vector<Fault>& list() const { return list_; }
    /// By files and lines; faults without them keep their place.
    void sort();
    /// One line each, the last one saying how many more there are.
    std::vector<std::string> lines() const;
    /// The same in one line: "rate_id: value 9: allowed 0..6; ...; 3 more faults".
    std::string str() const;

private:
    std::vector<Fault> list_;
    size_t most_, suppressed_ = 0;
};

}  // namespace wimax
