// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/open_flow.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wimax::sim {
namespace {

/// Later times are after every run.
constexpr double kLatest = 9e18;

double exponential(Random& random, double mean) { return -mean * std::log1p(-uniform(random)); }
double pareto(Random& random, double mean, double shape) {
    return mean * (shape - 1) / shape / std::pow(1 - uniform(random), 1 / shape);
}
/// Box and Muller.
double normal(Random& random) {
    const double radius = std::sqrt(-2 * std::log1p(-uniform(random)));
    return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

/// cbr, poisson, voice.
class PacedFlow final : public OpenFlow {
public:
    using OpenFlow::OpenFlow;

private:
    double begin() override {
        const double phase = uniform(random_) * interval();
        talk_ends_ = static_cast<double>(first()) + phase + talk();
        return phase;
    }
    double gap() override {
        if (config_.kind == TrafficKind::poisson) return exponential(random_, interval());
        if (config_.kind != TrafficKind::voice || config_.silence_s <= 0 || next() < talk_ends_) return interval();
        const double pause = samples(exponential(random_, config_.silence_s)) + interval();
        talk_ends_ = next() + pause + talk();
        return pause;
    }
    double talk() { return samples(exponential(random_, config_.talk_s)); }

    double talk_ends_ = 0;
};

class OnOffFlow final : public OpenFlow {
public:
    using OpenFlow::OpenFlow;

private:
    /// At a random place of the mean cycle.
    double begin() override {
        const double place = uniform(random_) * (config_.on_s + config_.off_s) - config_.on_s;
        const double wait = samples(std::max(0.0, place));
        return first_packet(static_cast<double>(first()) + wait) - static_cast<double>(first());
    }
    double gap() override {
        if (next() + interval() < on_ends_) return interval();
        return first_packet(std::max(on_ends_, next()) + samples(period(config_.off_s))) - next();
    }
    /// Time of the first packet from the period at `begins` on. A period that ends before its first packet has none.
    double first_packet(double begins) {
        for (;; begins = on_ends_ + samples(period(config_.off_s))) {
            on_ends_ = begins + on();
            const double at = begins + uniform(random_) * interval();
            if (at < on_ends_) return at;
        }
    }
    double period(double mean_s) { return pareto(random_, mean_s, config_.pareto_shape); }
    double on() { return samples(period(config_.on_s)); }

    double on_ends_ = 0;
};

/// Pictures at equal intervals, each in packets that are sent together. A group begins with an intra picture; the sizes
/// of both types of picture are lognormal and independent.
class VideoFlow final : public OpenFlow {
public:
    using OpenFlow::OpenFlow;

private:
    double begin() override {
        picture_ = static_cast<uint32_t>(uniform(random_) * config_.group_pictures);
        left_ = picture_octets();
        return uniform(random_) * samples(1 / config_.pictures_per_s);
    }
    size_t octets() override {
        const double now = std::min<double>(left_, config_.packet_bytes);
        left_ -= now;
        return std::max(static_cast<size_t>(now), kLeastPacketOctets);
    }
    double gap() override {
        if (left_ >= 1) return 0;
        picture_ = (picture_ + 1) % config_.group_pictures;
        left_ = picture_octets();
        return samples(1 / config_.pictures_per_s);
    }
    double picture_octets() {
        const double all = config_.rate_bps / 8 / config_.pictures_per_s;
        const double others = all * config_.group_pictures / (config_.group_pictures - 1 + config_.intra_ratio);
        const double mean = picture_ == 0 ? config_.intra_ratio * others : others;
        const double variance = std::log1p(config_.size_cv * config_.size_cv);
        return std::max(1.0, std::round(mean * std::exp(std::sqrt(variance) * normal(random_) - variance / 2)));
    }

    uint32_t picture_ = 0;  ///< place in the group
    double left_ = 0;       ///< octets of the picture that are not sent yet
};

class TraceFlow final : public OpenFlow {
public:
    using OpenFlow::OpenFlow;

private:
    /// After every time of a run.
    static constexpr double kNever = 1e300;

    double begin() override {
        at_ = 0;
        return samples(points().front().at_s);
    }
    size_t octets() override { return points()[at_].octets; }
    double gap() override {
        const double before = points()[at_].at_s;
        if (++at_ < points().size()) return samples(points()[at_].at_s - before);
        at_ = 0;
        return config_.trace_period_s > 0 ? samples(config_.trace_period_s + points().front().at_s - before) : kNever;
    }
    const std::vector<TracePoint>& points() const { return *config_.trace; }

    size_t at_ = 0;
};

}  // namespace

void OpenFlow::send(bool source, Samples now, Outlet& outlet) {
    if (!source || now < first()) return;
    if (next_ < 0) next_ = static_cast<double>(first()) + begin();
    for (; next_ <= static_cast<double>(now); next_ += gap()) {
        const auto at = static_cast<Samples>(next_);
        if (over(at)) return;  // until the flow changes
        count_sent(at, outlet.push(writer_.udp(addresses(true), {ends_.id, number_, at}, octets())));
        ++number_;
    }
    set_due(next_ < kLatest ? static_cast<Samples>(std::ceil(next_)) : INT64_MAX);
}

std::unique_ptr<TrafficFlow> make_open_flow(const TrafficConfig& config, TrafficFlow::Ends ends, const FlowFrame& frame,
                                            uint64_t seed) {
    switch (config.kind) {
        case TrafficKind::onoff: return std::make_unique<OnOffFlow>(config, ends, frame, seed);
        case TrafficKind::video: return std::make_unique<VideoFlow>(config, ends, frame, seed);
        case TrafficKind::trace: return std::make_unique<TraceFlow>(config, ends, frame, seed);
        default: return std::make_unique<PacedFlow>(config, ends, frame, seed);
    }
}

}  // namespace wimax::sim
