/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vrf/radio.h"

#include "common/realtime.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace wimax::vrf {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// The longest 802.16 frame is 20 ms; the TX queue must hold two of them or a host that sends ahead blocks.
constexpr double kQueueSeconds = 0.1;
constexpr uint32_t kUnreadChunks = 2;
constexpr std::chrono::milliseconds kReaderPatience = 250ms, kWriterPatience = 20ms, kCommittedReaderPatience = 2s;
constexpr auto kLivenessPeriod = 50ms;
constexpr int kAttachTimeoutMs = 1000;
constexpr double kNowhereHz = 1e12;  // a port without cable: tuned where no station is
constexpr std::chrono::duration<double> kStandstill = 3s, kLookAgain = 20ms, kPulsePeriod = 1s;

/// A host's timeout, see next_event().
class Timeout {
public:
    Timeout(const Radio& radio, std::chrono::duration<double> length) : radio_(radio), length_(length) {}
    bool expired() {
        const auto wall = radio_.wall();
        const int64_t tick = radio_.now();
        if (tick != tick_) {
            tick_ = tick;
            moved_ = wall;
        }
        if (wall - since_ < length_) return false;
        const bool stretched = radio_.mode() == TimeMode::commit && radio_.attached() &&
                               double(tick - first_) < length_.count() * radio_.rate_hz();
        return !stretched || wall - moved_ > kStandstill;
    }

private:
    const Radio& radio_;
    const std::chrono::duration<double> length_;
    const Clock::time_point since_ = radio_.wall();
    const int64_t first_ = radio_.now();
    int64_t tick_ = first_;
    Clock::time_point moved_ = since_;
};

size_t queue_samples(const Welcome& welcome) {
    return std::max(size_t(welcome.rate_hz * kQueueSeconds), size_t(16) * welcome.chunk_samples);
}

RadioOptions with_rate(RadioOptions options, double rate_hz) {
    options.habits.event_delay_samples = std::llround(options.event_delay_s * rate_hz);
    options.rx_habits.restart_samples = std::llround(options.restart_s * rate_hz);
    return options;
}

}  // namespace

tl::expected<std::unique_ptr<Radio>, Fault> Radio::open(RadioOptions options) {
    const auto deadline = Clock::now() + std::chrono::duration<double>(options.attach_timeout_s);
    for (bool said = false;;) {
        auto link = attach(options.address, options.hello, kAttachTimeoutMs);
        if (link) return std::unique_ptr<Radio>(new Radio(std::move(options), std::move(*link)));
        const bool final = link.error().key == kRefused && !link.error().allowed.starts_with("busy");
        if (final || Clock::now() >= deadline) return tl::unexpected(link.error());
        if (!std::exchange(said, true)) options.say(link.error().str() + ", waiting for it");
        std::this_thread::sleep_for(50ms);
    }
}

Radio::Radio(RadioOptions options, std::unique_ptr<RadioLink> link)
    : options_(with_rate(std::move(options), link->welcome().rate_hz)),
      rf_(options_.rf.ideal() ? nullptr : std::make_unique<RadioRf>(options_.rf, options_.hello.tx_channels)),
      tx_(
          queue_samples(link->welcome()), options_.hello.tx_channels, [this] { transmits(); }, options_.habits),
      rx_(queue_samples(link->welcome()), options_.rx_habits) {
    const Welcome& welcome = link->welcome();
    rate_hz_ = options_.hello.rate_hz = welcome.rate_hz;
    rx_.set_packet_samples(welcome.chunk_samples);
    join(std::move(link));
    worker_ = std::thread([this] { run(); });
}

Radio::~Radio() {
    stop_ = true;
    wake();
    worker_.join();
}

void Radio::join(std::unique_ptr<RadioLink> link) {
    const Welcome& welcome = link->welcome();
    if (rf_) rf_->join(welcome, options_.hello.name);
    std::lock_guard lock(mutex_);
    tx_power_dbm_ = welcome.tx_power_dbm;
    rx_full_scale_dbm_ = welcome.rx_full_scale_dbm;
    chunk_samples_ = welcome.chunk_samples;
    mode_ = welcome.mode;
    rx_.set_real_time(welcome.mode == TimeMode::rt);
    hold_ = welcome.hold != 0;
    rx_count_.join(welcome, count_);
    next_tx_ = count_;
    link_ = std::move(link);
    attached_ = true;
}

void Radio::inject(RadioFault fault, size_t samples) {
    constexpr double kJitterS = 2e-3, kLongestS = 1;
    samples = std::min(samples, size_t(kLongestS * rate_hz_));
    switch (fault) {
        case RadioFault::none: break;
        case RadioFault::overflow: rx_.overflow(samples); break;
        case RadioFault::underflow: tx_.lose(TxEvent::Kind::underflow, samples); break;
        case RadioFault::lost_rx_packet: rx_.lose(samples); break;
        case RadioFault::lost_tx_packet: tx_.lose(TxEvent::Kind::sequence, samples); break;
        case RadioFault::jitter:
            rx_.hold(std::chrono::duration<double>(samples != 0 ? double(samples) / rate_hz_ : kJitterS));
            break;
        case RadioFault::unplug:
            unplugged_ = true;
            wake();
            break;
    }
}

bool Radio::reattach() {
    if (unplugged_) return false;
    auto link = attach(options_.address, options_.hello, kAttachTimeoutMs);
    if (link && 2 * (*link)->welcome().chunk_samples > rx_.capacity())
        link = failure(kRefused, "chunks of " + std::to_string((*link)->welcome().chunk_samples) +
                                     " samples, the radio holds " + std::to_string(rx_.capacity()));
    if (link) {
        options_.say("attached again");
        join(std::move(*link));
        return true;
    }
    const bool answered = link.error().key == kRefused || link.error().key == kMalformed;
    if (answered && link.error() != last_refusal_) options_.say((last_refusal_ = link.error()).str());
    std::unique_lock lock(mutex_);
    host_.wait_for(lock, 100ms, [&] { return stop_.load(); });
    return false;
}

void Radio::run() {
    if (mode_ == TimeMode::rt && !go_as_hardware())
        options_.say("no right to real-time priority (CAP_SYS_NICE): more lates on a busy machine");
    while (!stop_) {
        if (unplugged_)
            leave("unplugged");
        else if (link_ && !link_->alive())
            leave("the channel is gone");
        if (!link_ && !reattach()) continue;
        next_tx_ = std::max<int64_t>(next_tx_, count_);
        if (next_tx_ == count_) {
            if (!wait_for_host()) continue;
            transmit();
        }
        while (may_run_ahead()) transmit();
        receive_chunk();
    }
}

/// False: check the link (or stop) and call again.
bool Radio::wait_for_host() {
    auto since = wall();
    const auto chunk_time = std::chrono::duration<double>(chunk_samples_ / rate_hz_);
    std::unique_lock lock(mutex_);
    bool waited = false;
    while (!host_ready(since)) {
        // Short waits only if patience is limited; a commit wakes this thread.
        host_.wait_for(lock, commit_tick_ == INT64_MAX ? 5ms : kLivenessPeriod);
        waited = true;
        if (stop_ || unplugged_) return false;
        lock.unlock();
        const bool alive = link_->alive();
        lock.lock();
        if (!alive) return false;
    }
    if (waited && wall() - since > chunk_time) ++stalls_;
    return true;
}

/// `since`: begin of the wait; for a held radio, begin of its time.
bool Radio::host_ready(Clock::time_point& since) {
    if (hold_) {
        if (!used_ && !rx_.streaming()) return false;
        hold_ = false;
        since = wall();
    }
    if (mode_ == TimeMode::rt) return true;
    const auto waited = wall() - since;
    const bool committed = commit_tick_ != INT64_MAX;
    if (committed) {
        // A host that waits for room in the queue cannot promise more before time continues; nor can one whose stream
        // has stopped, once it has promised all that it can.
        if (promised())
            stands_ = false;
        else if (rx_.stopped() && (stands_ || waited >= kReaderPatience))
            stands_ = true;
        else if (!tx_.blocked())
            return false;
    } else if (waited < kWriterPatience && tx_.starving(next_tx_tick(), chunk_samples_)) {
        return false;
    }
    // Limit of unread samples. A committing host limits them by its commits, so its whole queue may fill.
    const size_t uncommitted = std::max(size_t(kUnreadChunks) * chunk_samples_, rx_.packet_samples());
    const size_t allowed = committed ? rx_.capacity() - chunk_samples_ : uncommitted;
    reader_awaited_ = true;  // before reading unread(), so that no read is missed
    const bool full = rx_.unread() > allowed && given_up_reads_ != rx_.reads();
    if (full && waited < (committed ? kCommittedReaderPatience : kReaderPatience)) return false;
    reader_awaited_ = false;
    if (full) given_up_reads_ = rx_.reads();
    return true;
}

/// The host has promised everything in the next TX chunk. Call with the lock.
bool Radio::promised() const {
    return commit_tick_ != INT64_MAX && commit_tick_ >= next_tx_tick() + chunk_samples_ &&
           tx_.bursts_queued() >= commit_bursts_;
}

/// The next TX chunk may be sent before the RX chunk of the last one arrives: it cannot change, and there is room for
/// samples received meanwhile.
bool Radio::may_run_ahead() const {
    const auto ahead = size_t(next_tx_ - count_);
    if (mode_ == TimeMode::rt || ahead >= kAheadChunks * chunk_samples_) return false;
    if (rx_.unread() + ahead + chunk_samples_ > rx_.capacity()) return false;
    std::lock_guard lock(mutex_);
    return promised();
}

void Radio::transmit() {
    const int64_t tick = next_tx_tick();
    TxChunk chunk = link_->tx_chunk();
    next_tx_ += chunk_samples_;
    if (!chunk) return;  // impossible in lock-step: the channel has consumed a chunk before it responds
    TxHeader& header = *chunk.header;
    header = {};
    header.index = rx_count_.index_of(next_tx_ - chunk_samples_);
    Tuning tuning;
    {
        std::lock_guard lock(mutex_);
        while (!timed_tuning_.empty() && timed_tuning_.begin()->first < tick + int64_t(chunk_samples_)) {
            timed_tuning_.begin()->second(tuning_);
            timed_tuning_.erase(timed_tuning_.begin());
        }
        tuning = tuning_;
    }
    note(header, tuning);
    const std::span samples(chunk.samples, tx_channels() * chunk_samples_);
    BurstSpans on;
    header.sending = options_.cores ? uint8_t(options_.cores->transmit(tick, tx_, samples, on))
                                    : tx_.assemble(tick, samples, assembled_until_ + offset_, &on);
    if (rf_) rf_->transmit(header, tuning, on, samples);
    assembled_until_ = std::max(assembled_until_, next_tx_);
    header.streaming = used_ || rx_.streaming();
    header.counters = counters();
    link_->send();
}

/// The settings of a chunk.
void Radio::note(TxHeader& header, const Tuning& tuning) const {
    const bool deaf = !options_.rf.port_isolation_db;
    header.tx_frequency_hz = tuning.tx_connected || !deaf ? tuning.tx_frequency_hz : kNowhereHz;
    header.rx_frequency_hz = tuning.rx_connected || !deaf ? tuning.rx_frequency_hz : -kNowhereHz;
    std::copy(tuning.tx_gain_db.begin(), tuning.tx_gain_db.end(), header.tx_gain_db.begin());
    header.rx_gain_db = float(tuning.rx_gain_db);
    if (rf_) rf_->note(header, tuning);
}

void Radio::receive_chunk() {
    RxChunk chunk;
    while (!(chunk = link_->receive(int(kLivenessPeriod.count()))))
        if (stop_ || !link_->alive()) return;
    const RxHeader header = *chunk.header;  // the channel may still write to it
    const auto arrival = rx_count_.take(header);
    if (!arrival) {
        leave("the channel counts to " + std::to_string(header.index) + ", which no channel does");
        return;
    }
    if (header.fault != RadioFault::none) inject(header.fault, header.fault_samples);
    if (arrival->lost_tx) tx_.lost(arrival->first + offset_);
    count_ = arrival->first;
    if (rf_) rf_->receive(header.index, {chunk.samples, chunk_samples_});
    if (options_.cores) options_.cores->receive(arrival->first + offset_, {chunk.samples, chunk_samples_});
    rx_.deliver(arrival->first + offset_, {chunk.samples, chunk_samples_}, arrival->gap);
    count_ = arrival->first + chunk_samples_;
    if (arrival->pulse) pass_pps(*arrival->pulse);
    link_->release();
}

/// A pulse per second, at this count of the radio.
void Radio::pass_pps(int64_t count) {
    std::optional<int64_t> wanted;
    {
        std::lock_guard lock(mutex_);
        wanted.swap(pending_pps_);
    }
    if (wanted) move_time(*wanted - count - offset_);
    last_pps_ = count + offset_;
    {
        std::lock_guard lock(mutex_);
        ++pulses_;
    }
    pulse_.notify_all();
}

void Radio::wait_for_pulse(uint64_t seen) {
    Timeout limit(*this, kPulsePeriod);
    std::unique_lock lock(mutex_);
    const auto passed = [&] { return pulses_ != seen || stop_; };
    const bool idle = mode_ == TimeMode::commit && !hold_ && !used_ && !rx_.streaming();
    while (idle && !passed() && !limit.expired()) pulse_.wait_for(lock, kLookAgain, passed);
}

/// Temporary: run() attaches again.
void Radio::leave(const std::string& why) {
    if (std::exchange(link_, nullptr)) options_.say(why + ", time has stopped");
    attached_ = false;
    std::unique_lock lock(mutex_);
    host_.wait_for(lock, kLookAgain, [&] { return stop_.load(); });
}

void Radio::move_time(int64_t delta) {
    offset_ += delta;
    tx_.rebase(delta);
}

void Radio::set_now(int64_t tick) { move_time(tick - now()); }

void Radio::set_at_next_pps(int64_t tick) {
    std::unique_lock lock(mutex_);
    pending_pps_ = tick;
    const uint64_t seen = pulses_;
    lock.unlock();
    wait_for_pulse(seen);
}

int64_t Radio::last_pps() {
    std::unique_lock lock(mutex_);
    const uint64_t seen = pulses_;
    const bool again = pulses_asked_ == seen;
    lock.unlock();
    if (again) wait_for_pulse(seen);
    lock.lock();
    pulses_asked_ = pulses_;
    return last_pps_;
}

void Radio::wake() {
    { std::lock_guard lock(mutex_); }
    host_.notify_one();
}

void Radio::tune(std::function<void(Tuning&)> change, std::optional<int64_t> tick) {
    std::lock_guard lock(mutex_);
    if (tick && *tick > now())
        timed_tuning_.emplace(*tick, std::move(change));
    else
        change(tuning_);
}

Tuning Radio::tuning() const {
    std::lock_guard lock(mutex_);
    return tuning_;
}

double Radio::tx_reference_dbm() const {
    std::lock_guard lock(mutex_);
    return tx_power_dbm_ - (kMaxTxGainDb - tuning_.tx_gain_db[0]);
}

double Radio::rx_reference_dbm() const {
    std::lock_guard lock(mutex_);
    return rx_full_scale_dbm_ - tuning_.rx_gain_db;
}

size_t Radio::send(const TxSamples& samples, const TxMeta& meta, std::chrono::duration<double> timeout) {
    const size_t n = tx_.push(samples, meta, timeout);
    if (n > 0)
        transmits();
    else
        wake();
    return n;
}

/// The host's first samples are queued, or wait for room in the queue. The clock of a held channel may run now, but not
/// earlier: its first chunk would be sent without them.
void Radio::transmits() {
    used_ = true;
    wake();
}

void Radio::clear_tx() {
    tx_.clear();
    commit(INT64_MAX, 0);
}

void Radio::command(const RxCommand& command) {
    rx_.command(command);
    wake();
}

size_t Radio::receive(std::span<Sample> out, RxMeta& meta, std::chrono::duration<double> timeout, bool one_packet) {
    Timeout limit(*this, timeout);
    for (auto wait = timeout;; wait = kLookAgain) {
        const size_t n = rx_.receive(out, meta, wait, one_packet);
        if (reader_awaited_) wake();
        if (n > 0 || meta.error != RxError::timeout || limit.expired()) return n;
    }
}

bool Radio::next_event(TxEvent& event, std::chrono::duration<double> timeout) {
    Timeout limit(*this, timeout);
    for (auto wait = timeout;; wait = kLookAgain) {
        if (tx_.next_event(event, wait)) return true;
        if (limit.expired()) return false;
    }
}

void Radio::set_wire_bits(bool tx, int bits) {
    if (rf_) rf_->set_wire_bits(tx, bits);
}

void Radio::commit(int64_t tick, uint64_t bursts) {
    {
        std::lock_guard lock(mutex_);
        commit_tick_ = tick;
        commit_bursts_ = bursts;
    }
    host_.notify_one();
}

std::pair<int64_t, uint64_t> Radio::committed() const {
    std::lock_guard lock(mutex_);
    return {commit_tick_, commit_bursts_};
}

RadioCounters Radio::counters() const {
    RadioCounters counters;
    tx_.count(counters);
    counters.overflow = rx_.overflows();
    counters.stalls = stalls_;
    if (rf_) rf_->count(counters);
    return counters;
}

}  // namespace wimax::vrf
