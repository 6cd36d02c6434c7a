// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of the channel and of the virtual radio for tests/recorded: what they make of random samples and settings.
// Prints JSON with digests of counts, times and texts, and weighted sums of samples, of some inputs each.
#include "channel/draw.h"
#include "channel/propagation_path.h"
#include "vrf/rx_fifo.h"
#include "vrf/tx_fifo.h"

#include <nlohmann/json.hpp>

#include <cstdio>

using namespace wimax;
using namespace std::chrono_literals;
using nlohmann::json;
using vrf::Sample, vrf::RxCommand;
using Samples = std::vector<Sample>;

namespace {

constexpr double kRate = 5.76e6;

class Random : public channel::Draw {
public:
    using Draw::Draw;
    int64_t below(int64_t limit) { return static_cast<int64_t>(next() % static_cast<uint64_t>(limit)); }
    bool chance(int64_t of) { return below(of) == 0; }
    template <class T> T of(std::initializer_list<T> all) {
        return all.begin()[below(static_cast<int64_t>(all.size()))];
    }
    size_t size(std::initializer_list<int> all) { return static_cast<size_t>(of(all)); }
    Samples samples(size_t count, double level) {
        Samples out(count);
        for (auto& s : out)
            s = {static_cast<float>(uniform(-level, level)), static_cast<float>(uniform(-level, level))};
        return out;
    }
};

/// What some random inputs gave.
class Seen {
public:
    template <class... T> void add(const T&... values) { (text(json(values).dump() + ","), ...); }
    void add_sum(std::span<const Sample> samples) {
        for (const auto s : samples)
            sum_ += std::norm(s) + (s * std::polar(1.F, 2.3F * static_cast<float>(++count_ % 99))).real();
    }
    void add_each(std::span<const Sample> samples) {
        for (const auto s : samples) add(s.real(), s.imag());
    }
    json take() {
        const json all{std::to_string(hash_), sum_};
        *this = {};
        return all;
    }

private:
    void text(const std::string& t) {
        for (const char c : t) hash_ = (hash_ ^ static_cast<uint8_t>(c)) * 1099511628211U;
    }
    uint64_t hash_ = 14695981039346656037U;
    double sum_ = 0;
    size_t count_ = 0;
};

template <class Work> json rows(uint64_t seeds, uint64_t of_a_row, const Work& work) {
    json all;
    Seen seen;
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
        Random random(seed);
        work(random, seen);
        if (seed % of_a_row == 0) all.push_back(seen.take());
    }
    return all;
}

/// A path in pieces of any size, before and after sample 0.
void path_of(Random& random, Seen& seen) {
    channel::PathConfig c;
    c.sample_rate_hz = random.of({1.44e6, kRate, 23.04e6});
    c.gain_db = random.uniform(-20, 10);
    c.delay_samples = random.of({0.0, 16.0, 37.0, random.uniform(0, 60), random.uniform(-30, 0), 2e9});
    c.carrier_offset_hz = random.of({0.0, random.uniform(-2e6, 2e6)});
    c.clock_offset_ppm = random.of({0.0, 0.0, 0.01, 3.0, -20.0, 500.0, -700.0});
    c.profile = *channel::named_profile(random.of(
        {"awgn", "awgn", "awgn", "sui1", "sui3", "sui4", "sui6", "pedestrian-a", "vehicular-a", "vehicular-b"}));
    if (c.profile.constant() && random.chance(3)) c.profile.taps[0].delay_s = 2.3e-6;
    if (random.chance(3)) c.rx_epoch = random.below(5000), c.tx_epoch = random.below(100'000);
    c.seed = random.next();
    channel::PropagationPath path(c);
    int64_t first = random.of<int64_t>({-1500, -64, 0, 1'000'000, -3'000'000'000});
    first += random.below(99);
    const int64_t from = path.tx_first_needed(first) + random.below(300);
    const Samples sent = random.samples(random.size({1, 40, 2500}), 1);
    Samples heard(2200);
    for (size_t at = 0, count = 0; at < heard.size(); at += count) {
        count = std::min(heard.size() - at, static_cast<size_t>(1 + random.below(900)));
        if (random.chance(4)) path.set_gain_db(random.uniform(-9, 9));
        if (random.chance(4)) path.set_carrier_offset_hz(random.of({0.0, random.uniform(-1e5, 1e5)}));
        path.accumulate(first + static_cast<int64_t>(at), std::span(heard).subspan(at, count), {from, sent});
    }
    seen.add_sum(heard);
    seen.add(from, path.tx_end_needed(first), path.rx_affected(from, from + 7));
}

/// Bursts and packets with every habit; chunks, events, counts and runs of a transmitter.
void transmit_queue(Random& random, Seen& seen) {
    const size_t channels = random.size({1, 2});
    int full = 0;
    const vrf::TxHabits habits{random.chance(2), random.size({0, 0, 7, 60}), random.size({0, 0, 3}),
                               random.size({0, 30}), random.of<int64_t>({0, 0, 150})};
    vrf::TxFifo fifo(
        random.size({160, 1000}), channels, [&full] { ++full; }, habits);
    const bool gated = channels == 1 && random.chance(3);
    int64_t now = random.of<int64_t>({0, 1000, -500});
    for (int step = 0, value = 1; step < 60; ++step, now += 100) {
        for (auto n = random.below(4); n > 0; --n) {
            Samples x(random.size({0, 1, 30, 90, 170})), y(random.chance(2) ? x.size() : 0, Sample(0, 2));
            for (auto& s : x) s = static_cast<float>(value++);
            vrf::TxMeta meta{{}, random.chance(2), random.chance(2)};
            if (random.chance(2)) meta.tick = now + random.of<int64_t>({-60, -1, 0, 0, 1, 30, 90, 100, 170, 300});
            seen.add(fifo.push({x, y}, meta, 0s));
        }
        using Kind = vrf::TxEvent::Kind;
        const auto loss = random.of({Kind::underflow, Kind::sequence});
        if (random.chance(9)) fifo.lose(loss, random.size({0, 20, 40}));
        if (random.chance(20)) fifo.lost(now);
        if (random.chance(20)) fifo.note_line(now, now + random.below(50));
        if (const auto delta = random.below(99); random.chance(30)) fifo.rebase(delta), now += delta;
        if (random.chance(40)) fifo.clear();
        seen.add(fifo.starving(now, 100), fifo.blocked());
        Samples out(100 * channels, Sample(-1, -1));
        vrf::BurstSpans on;
        if (gated) {
            fifo.hand_out(now + 100, [&](const vrf::BurstPart& part) {
                seen.add(part.tick.value_or(-1), part.end);
                seen.add_each(part.samples);
            });
        } else {
            seen.add(fifo.assemble(now, out, random.chance(9) ? now + random.below(120) : INT64_MIN, &on));
        }
        seen.add_each(out);
        for (const auto& span : on) seen.add(span.from, span.to);
        for (vrf::TxEvent e{}; fifo.next_event(e, 0s);) seen.add(static_cast<int>(e.kind), e.tick);
    }
    vrf::VirtualRadioCounters c;
    fifo.count(c);
    seen.add(c.late, c.underflow, c.bursts, c.least_slack_samples, fifo.bursts_queued(), full);
    for (const auto& run : fifo.runs()) seen.add(run.from, run.until);
}

/// Commands, chunks, faults and reads of a receiver.
void receive_queue(Random& random, Seen& seen) {
    const vrf::RxHabits habits{random.size({0, 4}), random.of<int64_t>({0, 130})};
    vrf::RxFifo fifo(random.size({150, 1000}), habits);
    fifo.set_real_time(random.chance(3));
    fifo.set_packet_samples(random.size({20, 60, 500}));
    int64_t now = random.of<int64_t>({0, 777, -300});
    for (int step = 0, value = 1; step < 60; ++step) {
        using Mode = vrf::RxCommand::Mode;
        vrf::RxCommand command{
            random.of({Mode::start, Mode::start, Mode::stop, Mode::samples_and_done, Mode::samples_and_more}),
            static_cast<uint64_t>(random.below(200)),
            {}};
        if (random.chance(2)) command.tick = now + random.of<int64_t>({-40, 0, 0, 1, 20, 60, 99, 250});
        if (random.chance(3)) fifo.command(command);
        if (random.chance(12)) fifo.overflow(random.size({0, 70, 140}));
        if (random.chance(12)) fifo.lose(random.size({0, 15, 30}));
        if (random.chance(40)) fifo.clear();
        Samples x(static_cast<size_t>(1 + random.below(100)));
        for (auto& s : x) s = static_cast<float>(value++);
        const bool gap = random.chance(12);
        fifo.deliver(now += gap ? 30 : 0, x, gap);
        now += static_cast<int64_t>(x.size());
        seen.add(fifo.unread(), fifo.stopped(), fifo.streaming(), fifo.overflows());
        for (auto n = random.below(4); n > 0; --n) {
            Samples out(static_cast<size_t>(1 + random.below(150)));
            vrf::RxMeta m;
            const size_t got = fifo.receive(out, m, 0s, random.chance(2));
            seen.add(got, m.tick, m.has_tick, m.start_of_burst, m.end_of_burst, m.more_fragments, m.fragment_offset,
                     static_cast<int>(m.error), m.restarts);
            seen.add_each(std::span(out).first(got));
        }
    }
}

}  // namespace

int main() {
    const json all{{"paths", rows(160, 4, path_of)},
                   {"transmit queues", rows(300, 30, transmit_queue)},
                   {"receive queues", rows(300, 30, receive_queue)}};
    std::puts(all.dump().c_str());
    return 0;
}
