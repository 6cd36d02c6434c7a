// SPDX-License-Identifier: GPL-3.0-or-later
#include "channeld/scheduler.h"
#include "phy/base/decibels.h"
#include "phy/base/simd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

namespace wimax::channeld {
namespace {

using Seconds = std::chrono::duration<double>;
constexpr Seconds kFarAway{3600};
// In rt mode time does not stretch, but after a pause a machine must not process all missed time at once.
constexpr double kRealTimeCatchUpS = 1.0;
// A converter has its samples long before the processes that model it run. If the machine delays one of them for at
// most this time, its samples are used. If it delayed the channel, the time restarts, because the radios could not run
// either. A radio has at least kTurnaroundChunks between its received chunk and the next one that it sends, so that a
// channel that lags catches up.
constexpr double kHardwarePatienceS = 10e-3;
constexpr double kTurnaroundChunks = 0.5;
constexpr double kOversleptS = 0.5e-3;
constexpr double kLeastWaitS = 20e-6;  // shorter waits are the lock-step's turnaround
// A channel that lags wakes a radio already with this many chunks, so that both work at the same time. Fewer cost more
// for changes of threads than they gain.
constexpr int kChunksPerWake = 4;
constexpr double kLongestLookS = 0.1;  // limits the wait counted while the channel was stopped

Scheduler::Clock::duration ticks(double seconds) {
    return std::chrono::duration_cast<Scheduler::Clock::duration>(Seconds(seconds));
}

uint64_t hash_samples(uint64_t hash, std::span<const vrf::Sample> samples) {
    for (const auto& sample : samples) {
        uint64_t bits;
        std::memcpy(&bits, &sample, sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3;
    }
    return hash;
}

/// Names appear in logs and in JSON.
bool presentable(const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
}

/// True for settings that a radio can have.
bool possible(const vrf::TxHeader& header) {
    const auto is_gain = [](float db) { return db >= vrf::kLowestGainDb && db <= vrf::kHighestGainDb; };
    const auto is_loss = [](float db) { return db >= 0 && db <= vrf::kMaxPortLossDb; };
    const float figure_db = header.noise_figure_db;
    return std::ranges::all_of(header.tx_gain_db, is_gain) && is_gain(header.rx_gain_db) &&
           std::isfinite(header.tx_frequency_hz) && std::isfinite(header.rx_frequency_hz) &&
           is_loss(header.tx_port_loss_db) && is_loss(header.rx_port_loss_db) &&
           figure_db >= vrf::kChannelsNoiseFigure && figure_db <= vrf::kMaxNoiseFigureDb;
}

/// Several sums in parallel: a single one would wait for each addition.
WIMAX_SIMD_BODY double energy_body(const float* values, size_t count) {
    constexpr size_t kSums = 32;
    std::array<float, kSums> sums{};
    size_t i = 0;
    for (; i + kSums <= count; i += kSums)
        for (size_t k = 0; k < kSums; ++k) sums[k] += values[i + k] * values[i + k];
    double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
    for (; i < count; ++i) sum += double(values[i]) * double(values[i]);
    return sum;
}

double mean_power(std::span<const vrf::Sample> samples) {
    static constexpr gr::wimax::phy::simd::Dispatched<energy_body> kEnergy;
    return kEnergy(reinterpret_cast<const float*>(samples.data()), 2 * samples.size()) / double(samples.size());
}

void wake(ChannelStation& radio) {
    radio.unannounced = 0;
    radio.port->wake();
}

}  // namespace

Scheduler::Scheduler(const ChannelConfig& config, std::function<Clock::time_point()> now)
    : config_(config),
      now_(std::move(now)),
      chunk_(config.chunk()),
      awaited_names_(std::set(config.wait_for.begin(), config.wait_for.end()).size()),
      held_(config.hold) {}

ChannelStation& Scheduler::station(const std::string& name) {
    const auto at = std::lower_bound(stations_.begin(), stations_.end(), name,
                                     [](const auto& s, const std::string& n) { return s->name < n; });
    if (at != stations_.end() && (*at)->name == name) return **at;
    ChannelStation& fresh = **stations_.insert(at, std::make_unique<ChannelStation>(config_, name));
    connect(fresh);
    return fresh;
}

void Scheduler::connect(ChannelStation& fresh) {
    const auto add = [this](const ChannelStation& from, const ChannelStation& to) {
        if (const auto config = link_config(config_, from.name, to.name))
            links_.push_back(std::make_unique<AirLink>(config_, *config, from, to));
    };
    for (const auto& other : stations_) {
        add(fresh, *other);
        if (other.get() != &fresh) add(*other, fresh);
    }
    std::sort(links_.begin(), links_.end(), [](const auto& a, const auto& b) {
        return std::tie(a->to.name, a->from.name) < std::tie(b->to.name, b->from.name);
    });
    for (const auto& receiver : stations_) {
        receiver->heard.clear();
        for (const auto& link : links_)
            if (&link->to == receiver.get()) receiver->heard.push_back(link.get());
    }
    if (std::ranges::find(config_.wait_for, fresh.name) != config_.wait_for.end()) awaited_.push_back(&fresh);
}

/// True if all stations of time.wait_for are known, and are so.
bool Scheduler::all_awaited(const std::function<bool(const ChannelStation&)>& are) const {
    return awaited_.size() == awaited_names_ && std::ranges::all_of(awaited_, [&](const auto* s) { return are(*s); });
}

Scheduler::Admission Scheduler::admit(std::unique_ptr<vrf::RadioPort> port) {
    const vrf::Hello& hello = port->hello();
    const std::string name = hello.name;
    vrf::Welcome welcome;
    welcome.rate_hz = config_.sample_rate_hz;
    welcome.chunk_samples = chunk_;
    welcome.mode = config_.mode;
    const auto fits = vrf::match(hello, welcome);
    std::string refusal = fits ? "" : fits.error().str();
    const bool known = std::any_of(stations_.begin(), stations_.end(), [&](const auto& s) { return s->name == name; });
    if (refusal.empty() && !presentable(name)) refusal = "name: empty, or not of visible ASCII characters only";
    if (refusal.empty() && !known && stations_.size() >= kMaxRadios)
        refusal = fmt::format("radios: {} names are known, more are not allowed", kMaxRadios);
    if (refusal.empty() && known && station(name).unplugged_until_s.value_or(time_s_) > time_s_)
        refusal = vrf::kUnplugged;
    if (refusal.empty() && known && station(name).port && station(name).port->alive())
        refusal = "busy: a radio named '" + name + "' is attached";
    if (!refusal.empty()) {
        vrf::copy_text(welcome.refusal, refusal);
        port->answer(welcome);
        return {fmt::format("radio {} refused: {}", presentable(name) ? name : "?", refusal)};
    }
    ChannelStation& radio = station(name);
    attach(radio, std::move(port));
    radio.unplugged_until_s.reset();
    welcome.accepted = 1;
    welcome.hold = held_;
    welcome.first_index = radio.next_rx;
    welcome.tx_power_dbm = radio.config.tx_power_dbm;
    welcome.rx_full_scale_dbm = radio.config.rx_full_scale_dbm;
    welcome.seed = config_.seed;
    if (!radio.port->answer(welcome)) {
        radio.port.reset();
        return {fmt::format("radio {} left while attaching", name)};
    }
    ++radio.counters.attached;
    return {fmt::format("radio {} attached at {:.4f} s", name, radio.time_of(radio.next_rx)), true};
}

/// The radio's first chunk starts when no other radio's next chunk has started: none was served without it.
void Scheduler::join_at_present(ChannelStation& radio) {
    double start = time_s_;
    bool alone = true;
    for (const auto& other : stations_) {
        if (!other->present() || other.get() == &radio) continue;
        start = std::max(start, other->time_of(other->next_rx));
        alone = false;
    }
    const double chunks = start * radio.rate_hz / chunk_;
    radio.next_rx = int64_t(std::ceil(chunks - 1e-6)) * chunk_;
    radio.tx_end = radio.next_rx;
    if (alone) zero_ = now_() - ticks(start);  // time did not run
}

void Scheduler::attach(ChannelStation& radio, std::unique_ptr<vrf::RadioPort> port) {
    join_at_present(radio);
    radio.tuning = {};
    radio.given_up = false;
    if (radio.port) ++radio.counters.died;  // the old radio's death was not noticed before
    radio.attach(std::move(port));
}

/// True if time has waited too long for one radio.
bool Scheduler::impatient() { return config_.give_up_s > 0 && stalled_s_ > config_.give_up_s; }

std::string Scheduler::give_up(ChannelStation& radio) {
    radio.given_up = true;
    ++radio.counters.given_up;
    return fmt::format("radio {} timed out at {:.4f} s: nothing from it for {:g} s, silent until it continues",
                       radio.name, time_s_, config_.give_up_s);
}

/// A radio that was given up continues at the present, where it receives and is received again. Its earlier samples are
/// late, and those of the first chunk are not needed.
std::string Scheduler::take_back(ChannelStation& radio) {
    join_at_present(radio);
    radio.given_up = false;
    radio.append_silence(radio.next_rx, chunk_);
    radio.tx_end = radio.next_rx + chunk_;
    return fmt::format("radio {} continues at {:.4f} s", radio.name, radio.time_of(radio.next_rx));
}

void Scheduler::take_chunk(ChannelStation& radio, const vrf::TxChunk& chunk) {
    const vrf::TxHeader header = *chunk.header;
    const bool sane = possible(header);
    if (!sane || header.index < radio.tx_end || header.index - radio.tx_end > int64_t(config_.sample_rate_hz)) {
        if (header.sending != 0) ++radio.counters.lost_tx_chunks;
        if (sane) radio.tuning = header;  // late, but settings and counters are new
        return;
    }
    radio.tuning = header;
    radio.append(header, {chunk.samples, radio.antennas.size() * chunk_}, chunk_);
    radio.unused.note(header.index, header.unused != 0);
    if (header.sending != 0) ++radio.counters.active_tx_chunks;
    radio.tx_end = header.index + chunk_;
}

std::vector<std::string> Scheduler::collect() {
    std::vector<std::string> said;
    if (waited_for_ && impatient()) said.push_back(give_up(*waited_for_));
    for (const auto& radio : stations_) {
        if (!radio->port) continue;
        if (radio->given_up && radio->port->front() && radio->port->rx_chunk()) said.push_back(take_back(*radio));
        // In lock-step a radio may be ahead: its settings and samples are valid from their time on.
        while (config_.mode == vrf::TimeMode::rt || radio->tx_end < radio->next_rx + chunk_) {
            const auto chunk = radio->given_up ? vrf::TxChunk{} : radio->port->front();
            if (!chunk) break;
            take_chunk(*radio, chunk);
            radio->port->pop();
        }
        if (radio->port->alive()) continue;
        radio->port.reset();
        radio->given_up = false;
        ++radio->counters.died;
        said.push_back(fmt::format("radio {} is gone at {:.4f} s, silent from here on", radio->name, time_s_));
    }
    return said;
}

ChannelStation* Scheduler::earliest() const {
    ChannelStation* first = nullptr;
    double first_end_s = 0;
    for (const auto& radio : stations_) {
        if (!radio->present()) continue;
        const double end_s = radio->time_of(radio->next_rx + chunk_);
        if (first && end_s >= first_end_s) continue;
        first = radio.get();
        first_end_s = end_s;
    }
    return first;
}

/// A live radio whose transmit samples are needed for the next chunk of `radio` and are missing.
const ChannelStation* Scheduler::missing(const ChannelStation& radio) const {
    const int64_t end = radio.next_rx + chunk_;
    if (radio.tx_end < end) return &radio;
    for (const auto* link : radio.heard)
        if (link->from.present() && link->from.tx_end < link->tx_needed(end)) return &link->from;
    return nullptr;
}

bool Scheduler::free_running() const {
    return config_.pace == Pace::free && all_awaited([](const auto& s) { return !s.port || s.tuning.streaming; });
}

/// True if the wall clock allows the chunk; else sets wake_at_.
bool Scheduler::paced(const ChannelStation& radio) {
    const double end_s = radio.time_of(radio.next_rx + chunk_);
    const auto now = now_();
    if (free_running()) {
        zero_ = now - ticks(end_s);
        return true;
    }
    const auto due = zero_ + ticks(end_s);
    if (now < due) {
        wake_at_ = due;
        return false;
    }
    const double debt = Seconds(now - due).count();
    const double allowed = config_.mode == vrf::TimeMode::rt ? kRealTimeCatchUpS : config_.catch_up_ms * 1e-3;
    if (debt > allowed) {
        zero_ += ticks(debt - allowed);
        stretched_s_ += debt - allowed;
    }
    return true;
}

/// Accounts for the time that the channel's clock waits for a radio (nullptr: not waiting).
void Scheduler::wait_for(const ChannelStation* radio) {
    const auto now = now_();
    if (!radio) stalled_s_ = 0;
    else if (waited_for_) stalled_s_ += std::min(Seconds(now - looked_at_).count(), kLongestLookS);
    looked_at_ = now;
    if (radio == waited_for_) return;
    if (waited_for_) {
        const double waited = Seconds(now - waiting_since_).count();
        if (waited > kLeastWaitS) {
            ++waited_for_->counters.waits;
            waited_for_->counters.waited_s += waited;
        }
    }
    waited_for_ = const_cast<ChannelStation*>(radio);
    waiting_since_ = now;
}

bool Scheduler::release_hold() {
    if (!all_awaited([](const auto& s) { return s.port && s.tx_end > s.next_rx; })) return false;
    held_ = false;
    zero_ = now_() - ticks(time_s_);
    return true;
}

bool Scheduler::serve() {
    const auto now = now_();
    if (now - expected_back_ > ticks(kOversleptS)) overslept_at_ = now;
    wake_at_ = now + ticks(kFarAway.count());
    const bool served = serve_next();
    if (!served) wake_radios();
    expected_back_ = served ? now_() : wake_at_;
    return served;
}

bool Scheduler::serve_next() {
    awaits_radios_ = true;
    if (held_ && !release_hold()) return false;
    ChannelStation* radio = earliest();
    if (!radio) {
        wait_for(nullptr);
        return false;
    }
    if (config_.mode == vrf::TimeMode::commit) {
        if (const ChannelStation* late = missing(*radio)) {
            // Waiting begins when the wall clock would have allowed the chunk.
            if (paced(*radio)) wait_for(late);
            return false;
        }
    }
    if (!paced(*radio)) {
        awaits_radios_ = config_.mode == vrf::TimeMode::commit;
        wait_for(nullptr);
        return false;
    }
    if (config_.mode == vrf::TimeMode::rt && comes_soon(*radio)) {
        wait_for(nullptr);
        return false;
    }
    auto chunk = radio->port->rx_chunk();
    if (!chunk && config_.mode == vrf::TimeMode::commit) {  // the radio wakes this thread
        wait_for(radio);
        return false;
    }
    wait_for(nullptr);
    if (config_.mode == vrf::TimeMode::rt) fill_silence(*radio);
    if (chunk) receive(*radio, chunk);
    else ++radio->counters.lost_rx_chunks;
    radio->next_rx += chunk_;
    radio->served_at = now_();
    time_s_ = std::max(time_s_, radio->time_of(radio->next_rx));
    return true;
}

/// rt mode: a due chunk waits a little for missing samples of a radio and sets wake_at_. False: serve it.
bool Scheduler::comes_soon(const ChannelStation& radio) {
    const ChannelStation* owing = missing(radio);
    if (!owing) return false;
    const auto due = zero_ + ticks(radio.time_of(radio.next_rx + chunk_));
    const auto turnaround = owing->served_at + ticks(kTurnaroundChunks * chunk_ / config_.sample_rate_hz);
    const auto until = std::max(std::max(due, overslept_at_) + ticks(kHardwarePatienceS), turnaround);
    if (now_() >= until) return false;
    wake_at_ = until;
    return true;
}

/// rt mode: samples missing at the time of the chunk are silence.
void Scheduler::fill_silence(const ChannelStation& radio) {
    const int64_t end = radio.next_rx + chunk_;
    const auto fill = [](ChannelStation& s, int64_t until) {
        if (s.tx_end >= until) return;
        s.append_silence(s.tx_end, size_t(until - s.tx_end));
        s.tx_end = until;
    };
    for (const auto& s : stations_) {
        if (!s->port) continue;
        if (s.get() == &radio) fill(*s, end);
        for (const auto* link : radio.heard)
            if (&link->from == s.get()) fill(*s, link->tx_needed(end));
    }
}

/// What a radio receives in its next chunk.
void Scheduler::compute(ChannelStation& radio, std::span<vrf::Sample> samples, bool hashed) {
    ReceivedChunk received(samples);
    for (auto* link : radio.heard) link->add(radio.next_rx, received);
    radio.noise.set_variance(gr::wimax::phy::power_of_db(radio.noise_dbm() - radio.rx_reference_dbm()));
    if (received.silent()) radio.noise.set(radio.next_rx, samples);
    else radio.noise.add(radio.next_rx, samples);
    radio.receiver.pass(radio.next_rx, samples);
    radio.rx_power = mean_power(samples);
    if (hashed) radio.hash = hash_samples(radio.hash, samples);
}

/// Effects are functions of the sample's index, so that an omitted chunk changes no later one.
void Scheduler::receive(ChannelStation& radio, const vrf::RxChunk& chunk) {
    const bool hashed =
        static_cast<double>(radio.counters.chunks + 1) * chunk_ <= config_.hash_s * config_.sample_rate_hz;
    chunk.header->omitted = radio.unused.has(radio.next_rx);
    if (chunk.header->omitted) ++radio.counters.omitted_rx_chunks;
    if (hashed || !chunk.header->omitted) compute(radio, {chunk.samples, chunk_}, hashed);
    chunk.header->index = radio.next_rx;
    chunk.header->lost_tx_chunks = radio.counters.lost_tx_chunks;
    std::tie(chunk.header->fault, chunk.header->fault_samples) = radio.faults.next(chunk_ / radio.rate_hz);
    ++radio.counters.chunks;
    radio.port->push();
    ++radio.unannounced;
    if (config_.mode == vrf::TimeMode::rt || radio.unannounced >= kChunksPerWake) wake(radio);
}

/// Before the channel waits. If it waits for the wall clock, it wakes all radios. If it waits for a radio, the time
/// lags: only those are woken that owe the TX chunk for their next RX chunk. The others have sent some in advance, and
/// will get several chunks at once.
void Scheduler::wake_radios() {
    for (const auto& radio : stations_) {
        if (!radio->port || radio->unannounced == 0) continue;
        const bool owes = radio->tx_end < radio->next_rx + chunk_;
        if (owes || !waited_for_ || radio.get() == waited_for_) wake(*radio);
    }
}

Outcome Scheduler::inject(const std::string& name, vrf::RadioFault fault, double length_s) {
    const auto at = std::find_if(stations_.begin(), stations_.end(), [&](const auto& s) { return s->name == name; });
    if (at == stations_.end()) return failure("radio", "'" + name + "' has not attached");
    ChannelStation& radio = **at;
    if (fault == vrf::RadioFault::none) {
        radio.unplugged_until_s.reset();
        return {};
    }
    if (!radio.port) return failure("radio", "'" + name + "' is not attached");
    if (!radio.faults.add(fault, uint32_t(std::lround(length_s * radio.rate_hz))))
        return failure("fault", "too many wait already");
    if (fault == vrf::RadioFault::unplug)
        radio.unplugged_until_s = length_s > 0 ? time_s_ + length_s : std::numeric_limits<double>::infinity();
    return {};
}

AirLink* Scheduler::link(const std::string& name) {
    for (const auto& link : links_)
        if (link->from.name + "->" + link->to.name == name) return link.get();
    return nullptr;
}

}  // namespace wimax::channeld
