// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/radio/selftest.h"

#include "phy/base/decibels.h"
#include "tools/radio/known_burst.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace wimax::radio {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr double kPeriodMs = 5, kBurstMs = 1;
constexpr double kDeadS = 3;                // without a sample for this time, the radio is dead
constexpr double kMostClockErrorPpm = 200;  // of the radio against the host's clock over the whole time
constexpr std::array kBoundsUs{20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000};

double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

/// Times in microseconds.
class Histogram {
public:
    void add(double us) { all_.push_back(us); }
    ordered_json json() {
        std::sort(all_.begin(), all_.end());
        ordered_json out{{"count", all_.size()}};
        if (all_.empty()) return out;
        for (const auto& [name, share] : {std::pair("p50", 0.5), {"p99", 0.99}, {"p99.9", 0.999}, {"max", 1.0}})
            out[name] = std::round(at(share) * 10) / 10;
        size_t from = 0;
        for (const double bound : kBoundsUs) {
            const auto to = static_cast<size_t>(std::lower_bound(all_.begin(), all_.end(), bound) - all_.begin());
            out["bins"].push_back({{"below_us", bound}, {"count", to - from}});
            from = to;
        }
        out["bins"].push_back({{"count", all_.size() - from}});
        return out;
    }

private:
    double at(double share) const {
        return all_[std::min(all_.size() - 1, static_cast<size_t>(share * static_cast<double>(all_.size())))];
    }
    std::vector<double> all_;
};

/// One run.
class Watch {
public:
    Watch(BenchRadio& radio, const SelftestOptions& options) : radio_(radio), options_(options) {
        const auto& n = radio.numerology();
        const int symbols =
            std::max(1, static_cast<int>(kBurstMs * 1e-3 * static_cast<double>(n.sample_rate_hz) / n.symbol_samples()));
        burst_ = KnownBurst::make(n, symbols).samples;
        const auto scale = static_cast<float>(options.level_dbfs > -200 ? phy::amplitude_of_db(options.level_dbfs) : 0);
        for (auto& s : burst_) s *= scale;
        radio.keep(1 << 14);
    }

    Outcome run(const std::function<bool(double, const std::string&)>& go_on) {
        if (const auto on = first_sample(); !on) return on;
        const Clock::time_point begin = Clock::now();
        first_ = radio_.now();
        int64_t due = first_;
        while (seconds(Clock::now() - begin) < options_.seconds) {
            if (!go_on(seconds(Clock::now() - begin) / options_.seconds, "listening")) break;
            const int64_t before = radio_.now();
            if (const auto on = radio_.listen(kListenTimeoutS); !on) return on;
            const auto heard = Clock::now();
            if (radio_.now() == before && seconds(heard - newest_) > kDeadS)
                return failure(radio_.choice().device, fmt::format("no sample for {:g} s", kDeadS));
            if (radio_.now() == before) continue;
            newest_ = heard;
            if (radio_.now() < due) continue;
            due = radio_.now() + samples(kPeriodMs);
            answer(heard);
        }
        elapsed_ = seconds(newest_ - begin);
        return {};
    }

    ordered_json json() {
        const auto& radio = radio_.frontend();
        const auto counters = radio.counters();
        const double received = static_cast<double>(radio_.now() - first_);
        const double rate = elapsed_ > 0 ? received / elapsed_ : 0;
        ordered_json out{{"seconds", elapsed_},
                         {"device", radio.describe()},
                         {"sample_rate_hz", radio_.rate_hz()},
                         {"measured_rate_hz", std::round(rate)},
                         {"samples", static_cast<int64_t>(received)},
                         {"lock_step", radio.lock_step()},
                         {"bursts", counters.pieces},
                         {"overflows", counters.overflows},
                         {"underflows", counters.underflows},
                         {"late", counters.late},
                         {"sequence_errors", counters.sequence_errors},
                         {"clipped_samples", counters.clipped_samples},
                         {"lost_samples", counters.lost_samples},
                         {"refused", refused_},
                         {"turnaround_us", turnaround_.json()}};
        if (counters.least_slack_samples != INT64_MAX)
            out["least_slack_us"] = std::round(static_cast<double>(counters.least_slack_samples) * 1e6 /
                                               static_cast<double>(radio_.rate_hz()));
        return out;
    }

private:
    int64_t samples(double ms) const { return static_cast<int64_t>(ms * 1e-3 * static_cast<double>(radio_.rate_hz())); }

    Outcome first_sample() {
        const auto begin = Clock::now();
        while (radio_.kept().empty()) {
            if (const auto on = radio_.listen(kListenTimeoutS); !on) return on;
            if (seconds(Clock::now() - begin) > kDeadS + 2) return failure(radio_.choice().device, "sends no samples");
        }
        newest_ = Clock::now();
        return {};
    }

    void answer(Clock::time_point heard) {
        const int64_t start = std::max(radio_.now() + samples(options_.lead_ms), radio_.promised());
        if (!radio_.send(start, burst_)) ++refused_;
        turnaround_.add(seconds(Clock::now() - heard) * 1e6);
    }

    BenchRadio& radio_;
    const SelftestOptions options_;
    std::vector<Complex> burst_;
    Histogram turnaround_;
    Clock::time_point newest_;
    int64_t first_ = 0;
    double elapsed_ = 0;
    uint64_t refused_ = 0;
};

ordered_json faults_of(const ordered_json& r) {
    ordered_json faults = ordered_json::array();
    const auto none = [&](const char* key, const char* what) {
        if (const auto n = r[key].get<uint64_t>(); n > 0) faults.push_back(fmt::format("{} {}", n, what));
    };
    none("overflows", "overflows (O): the host or its link was too slow to take samples");
    none("underflows", "underflows (U): the host was too slow to give samples");
    none("late", "late bursts (L): more lead, real-time priority, or another computer");
    none("sequence_errors", "packets lost between radio and host (S): cable, network card, socket buffers");
    none("lost_samples", "samples lost");
    none("refused", "bursts that the radio did not take");
    const double ppm = (r["measured_rate_hz"].get<double>() / r["sample_rate_hz"].get<double>() - 1) * 1e6;
    if (!r["lock_step"].get<bool>() && r["seconds"].get<double>() > 10 && std::abs(ppm) > kMostClockErrorPpm)
        faults.push_back(fmt::format("the sample rate is {:.0f} ppm off the host's clock", ppm));
    return faults;
}

}  // namespace

tl::expected<ordered_json, Fault> selftest(BenchRadio& radio, const SelftestOptions& options,
                                           const std::function<bool(double, const std::string&)>& go_on) {
    Watch watch(radio, options);
    if (const auto done = watch.run(go_on); !done) return tl::unexpected(done.error());
    ordered_json result = watch.json();
    result["faults"] = faults_of(result);
    result["passed"] = result["faults"].empty();
    return result;
}

std::string selftest_table(const ordered_json& r) {
    std::string text = r["device"].get<std::string>() + "\n";
    const auto line = [&](const char* name, const std::string& value) {
        text += fmt::format("{:<14}{}\n", name, value);
    };
    line("rate", fmt::format("{} S/s wanted, {:.0f} by the host's clock{}", r["sample_rate_hz"].get<int64_t>(),
                             r["measured_rate_hz"].get<double>(),
                             r["lock_step"].get<bool>() ? " (lock-step: as fast as the host)" : ""));
    line("received", fmt::format("{} samples in {:.1f} s, {} lost", r["samples"].get<int64_t>(),
                                 r["seconds"].get<double>(), r["lost_samples"].get<uint64_t>()));
    line("sent", fmt::format("{} bursts", r["bursts"].get<uint64_t>()));
    line("counters", fmt::format("O {}  U {}  L {}  S {}  clipped {}", r["overflows"].get<uint64_t>(),
                                 r["underflows"].get<uint64_t>(), r["late"].get<uint64_t>(),
                                 r["sequence_errors"].get<uint64_t>(), r["clipped_samples"].get<uint64_t>()));
    const auto& t = r["turnaround_us"];
    if (t.contains("p50")) {
        line("turnaround", fmt::format("p50 {:g} us, p99 {:g} us, p99.9 {:g} us, max {:g} us, from the last sample "
                                       "received to the burst handed over",
                                       t["p50"].get<double>(), t["p99"].get<double>(), t["p99.9"].get<double>(),
                                       t["max"].get<double>()));
        const double all = t["count"].get<double>();
        for (const auto& bin : t["bins"]) {
            const auto n = bin["count"].get<size_t>();
            const std::string name =
                bin.contains("below_us") ? fmt::format("< {:g} us", bin["below_us"].get<double>()) : "more";
            if (n > 0)
                text +=
                    fmt::format("{:>22} {:>8} {}\n", name, n,
                                std::string(static_cast<size_t>(std::ceil(50 * static_cast<double>(n) / all)), '#'));
        }
    }
    for (const auto& fault : r["faults"]) line("FAULT", fault.get<std::string>());
    return text + (r["passed"].get<bool>() ? "all checks passed\n" : "");
}

}  // namespace wimax::radio
