/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gnuradio/wimax/radio_frontend.h>

#include "phy/base/decibels.h"
#include "radio/resampler.h"
#include "radio/vrf_nodes.h"

#include <gnuradio/wimax/device_arguments.h>

#include <uhd/exception.hpp>
#include <uhd/usrp/multi_usrp.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gr::wimax {
namespace {

constexpr double kDefaultHeadroomDb = 12;
constexpr double kUncalibratedTxMaximumDbm = 10;     // typical of USRPs at their highest gain
constexpr double kUncalibratedRxFullScaleDbm = -10;  // at gain 0
constexpr size_t kPieces = 16;                       // queued transmissions
constexpr int kMaxTxChannels = 2;
constexpr int64_t kPacketChunks = 8;  // lock-step: who lags reads so many chunks at once
constexpr double kPollS = 0.1;        // bound on anything that blocks, so that stop() is quick
constexpr double kGiveUpS = 2;        // a radio that takes no samples for so long has lost the burst

// The clock before the first sample: so far back that nothing is late, not so far that differences overflow.
constexpr int64_t kNothingReceived = std::numeric_limits<int64_t>::min() / 2;

std::string text(double v) {
    std::ostringstream o;
    o.precision(12);
    o << v;
    return o.str();
}

[[noreturn]] void refuse(const std::string& what) { throw std::runtime_error(what); }

void check_frequency(const std::string& way, double wanted_hz, double got_hz) {
    if (std::abs(wanted_hz - got_hz) <= 1) return;
    refuse(way + " frequency (Hz): " + text(wanted_hz) + " wanted, the device gives " + text(got_hz));
}

void check_gain(const std::string& way, double db, const uhd::gain_range_t& range) {
    if (db >= range.start() && db <= range.stop()) return;
    refuse(way + " gain: " + text(db) + " dB, the device allows " + text(range.start()) + " .. " + text(range.stop()));
}

void check_antenna(const std::string& way, const std::string& name, const std::vector<std::string>& all) {
    if (std::find(all.begin(), all.end(), name) != all.end()) return;
    std::string list;
    for (const auto& a : all) list += (list.empty() ? "" : ", ") + a;
    refuse(way + " antenna: '" + name + "', the device has " + list);
}

/// multi_usrp as plan_rate() wants it. A device whose clock cannot be changed may throw: then it is as it was.
class UsrpRates final : public RateDevice {
public:
    explicit UsrpRates(uhd::usrp::multi_usrp& usrp) : usrp_(usrp), clocks_(usrp.get_master_clock_rate_range()) {}

    double set_rate(double hz) override {
        usrp_.set_rx_rate(hz);
        usrp_.set_tx_rate(hz);
        const double rx = usrp_.get_rx_rate(), tx = usrp_.get_tx_rate();
        return same_rate(rx, tx) ? rx : 0;
    }
    std::vector<double> rates() override {
        std::vector<double> both;
        const auto tx = usrp_.get_tx_rates();
        for (const auto& range : usrp_.get_rx_rates())
            for (const double hz : {range.start(), range.stop()})
                if (same_rate(tx.clip(hz, true), hz)) both.push_back(hz);
        return both;
    }
    double master_clock() override { return usrp_.get_master_clock_rate(); }
    double set_master_clock(double hz) override {
        try {
            usrp_.set_master_clock_rate(hz);
        } catch (const uhd::exception&) {
        }
        return master_clock();
    }
    double nearest_master_clock(double hz) override { return clocks_.clip(hz); }
    double lowest_master_clock() override { return clocks_.start(); }
    double highest_master_clock() override { return clocks_.stop(); }
    std::vector<double> master_clocks() override {
        std::vector<double> fixed;
        for (const auto& range : clocks_)
            if (range.start() == range.stop()) fixed.push_back(range.start());
        return fixed;
    }

private:
    uhd::usrp::multi_usrp& usrp_;
    const uhd::meta_range_t clocks_;
};

}  // namespace

struct RadioFrontend::Impl {
    explicit Impl(const RadioConfig& c) : config(c) {}

    RadioConfig config;
    uhd::usrp::multi_usrp::sptr usrp;
    uhd::rx_streamer::sptr rx;
    uhd::tx_streamer::sptr tx;
    int64_t rate = 0;  // of the channel
    RatePlan plan;
    std::optional<TransmitResampler> to_device;  // both or none
    std::optional<ReceiveResampler> to_channel;
    std::vector<const void*> buffers;                          // the sender's: where a piece goes on, by channel
    std::vector<std::complex<float>> packet;                   // at device rate
    std::vector<std::complex<float>> second;                   // the second channel's part of a piece
    int64_t sent_until = std::numeric_limits<int64_t>::min();  // tick behind the newest burst, resampling only
    double tx_reference = 0, rx_reference = 0;
    float tx_scale = 1;
    bool lock_step = false;
    int64_t chunk = 0;
    std::atomic<int64_t> newest{kNothingReceived};
    std::atomic<bool> streaming{false};

    struct Piece {
        int64_t start = 0;
        int64_t tick = 0;  // of samples[0]; same as start unless resampled
        // Of each channel, equally long; they keep their capacity: no allocation in the steady state.
        std::array<std::vector<std::complex<float>>, kMaxTxChannels> samples;
    };
    std::mutex mutex;
    std::condition_variable wake;
    std::array<Piece, kPieces> pieces;
    size_t head = 0, queued = 0;
    bool sending = false;
    std::atomic<bool> quit{false};
    int64_t committed = std::numeric_limits<int64_t>::min();
    bool commit_due = false;
    uint64_t bursts_sent = 0;
    RadioCounters counters;
    std::thread sender;

    void open();
    void set_rate();
    void choose_channels();
    void tune();
    void tune_tx(size_t channel);
    size_t tx_channels() const { return static_cast<size_t>(config.tx_channels); }
    void fill(Piece& piece, const TransmitPiece& from);
    void wait_for_lock();
    void set_levels();
    void send_loop();
    void send(const Piece& piece);
    size_t overlap(const Piece& piece) const;
    bool fetch(std::span<std::complex<float>> out, double timeout_s, Received& r, uhd::rx_metadata_t& md);
    void collect_async();
    void write_commit();
    void count_lost(int64_t samples);
};

void RadioFrontend::Impl::open() {
    check_device_arguments(config.device_args);
    try {
        usrp = uhd::usrp::multi_usrp::make(uhd::device_addr_t(config.device_args));
    } catch (const std::exception& e) {
        std::string why = e.what();  // UHD lists addresses line by line
        std::replace(why.begin(), why.end(), '\n', ' ');
        throw DeviceUnavailable(
            "device '" + config.device_args + "': " + why +
            "; 'uhd_find_devices' lists what is there, the virtual radio needs wimax-channeld and UHD_MODULE_PATH");
    }
    if (!config.clock_source.empty()) usrp->set_clock_source(config.clock_source);
    if (!config.time_source.empty()) usrp->set_time_source(config.time_source);
    choose_channels();
    set_rate();
    tune();
    chunk = vrf_chunk_samples(usrp->get_tree());
    lock_step = chunk > 0;
    uhd::stream_args_t args("fc32", "sc16");
    args.channels.resize(tx_channels());
    buffers.resize(tx_channels());
    std::iota(args.channels.begin(), args.channels.end(), size_t{0});
    tx = usrp->get_tx_stream(args);
    args.channels = {0};
    if (lock_step) args.args["spp"] = std::to_string(kPacketChunks * chunk);
    rx = usrp->get_rx_stream(args);
    wait_for_lock();
    if (lock_step && !plan.exact())  // commits are counted in samples of the device
        refuse("sample rate " + text(config.sample_rate_hz) + " S/s: the device offers " +
               std::to_string(plan.device_rate_hz) + " S/s nearest, and in lock-step nothing is resampled");
    set_levels();
}

void RadioFrontend::Impl::set_rate() {
    UsrpRates device(*usrp);
    const auto planned = plan_rate(config.sample_rate_hz, device);
    if (!planned) refuse(planned.error().str());
    plan = *planned;
    rate = plan.channel_rate_hz;
    if (plan.exact()) return;
    to_device.emplace(plan);
    to_channel.emplace(plan);
}

void RadioFrontend::Impl::choose_channels() {
    if (config.tx_channels < 1 || config.tx_channels > kMaxTxChannels)
        refuse("tx channels: " + std::to_string(config.tx_channels) + ", allowed 1 .. " +
               std::to_string(kMaxTxChannels));
    if (!config.tx_subdevice.empty()) {
        try {
            usrp->set_tx_subdev_spec(uhd::usrp::subdev_spec_t(config.tx_subdevice), 0);
        } catch (const uhd::exception& e) {
            refuse("tx subdevice '" + config.tx_subdevice + "': " + e.what());
        }
    }
    if (const size_t there = usrp->get_tx_num_channels(); there < tx_channels())
        refuse("tx channels: " + std::to_string(config.tx_channels) + " wanted, the device has " +
               std::to_string(there) + " with the subdevices '" + usrp->get_tx_subdev_spec(0).to_string() +
               "'; the virtual radio has 2 with the device argument tx_channels=2");
}

void RadioFrontend::Impl::tune() {
    usrp->set_rx_freq(uhd::tune_request_t(config.frequency_hz));
    check_frequency("rx", config.frequency_hz, usrp->get_rx_freq());
    check_gain("rx", config.rx_gain_db, usrp->get_rx_gain_range());
    usrp->set_rx_gain(config.rx_gain_db);
    if (!config.rx_antenna.empty()) {
        check_antenna("rx", config.rx_antenna, usrp->get_rx_antennas());
        usrp->set_rx_antenna(config.rx_antenna);
    }
    for (size_t channel = 0; channel < tx_channels(); ++channel) tune_tx(channel);
}

void RadioFrontend::Impl::tune_tx(size_t channel) {
    const std::string what = channel == 0 ? "tx" : "second tx";
    usrp->set_tx_freq(uhd::tune_request_t(config.frequency_hz), channel);
    check_frequency(what, config.frequency_hz, usrp->get_tx_freq(channel));
    check_gain(what, config.tx_gain_db, usrp->get_tx_gain_range(channel));
    usrp->set_tx_gain(config.tx_gain_db, channel);
    const std::string& antenna = channel == 0 ? config.tx_antenna : config.second_tx_antenna;
    if (antenna.empty()) return;
    check_antenna(what, antenna, usrp->get_tx_antennas(channel));
    usrp->set_tx_antenna(antenna, channel);
}

void RadioFrontend::Impl::wait_for_lock() {
    struct Sensor {
        const char* name;
        std::vector<std::string> names;
        std::function<bool()> locked;
    };
    std::vector sensors{Sensor{"lo_locked (rx)", usrp->get_rx_sensor_names(0),
                               [&] { return usrp->get_rx_sensor("lo_locked").to_bool(); }}};
    for (size_t c = 0; c < tx_channels(); ++c)
        sensors.push_back({c == 0 ? "lo_locked (tx)" : "lo_locked (second tx)", usrp->get_tx_sensor_names(c),
                           [this, c] { return usrp->get_tx_sensor("lo_locked", c).to_bool(); }});
    sensors.push_back({"ref_locked", usrp->get_mboard_sensor_names(0),
                       [&] { return usrp->get_mboard_sensor("ref_locked").to_bool(); }});
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(config.lock_timeout_s);
    for (const auto& sensor : sensors) {
        const std::string name = std::string(sensor.name).substr(0, std::string(sensor.name).find(' '));
        if (std::find(sensor.names.begin(), sensor.names.end(), name) == sensor.names.end()) continue;
        while (!sensor.locked()) {
            if (std::chrono::steady_clock::now() > end)
                refuse(std::string(sensor.name) + ": not locked after " + text(config.lock_timeout_s) +
                       " s; clock source '" + usrp->get_clock_source(0) + "'");
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
}

void RadioFrontend::Impl::set_levels() {
    const auto levels = vrf_levels(usrp->get_tree());
    const double headroom = config.headroom_db.value_or(levels ? 0 : kDefaultHeadroomDb);
    tx_scale = static_cast<float>(phy::amplitude_of_db(-headroom));
    const double tx_guess = kUncalibratedTxMaximumDbm - (usrp->get_tx_gain_range().stop() - usrp->get_tx_gain());
    const double rx_guess = kUncalibratedRxFullScaleDbm - usrp->get_rx_gain();
    tx_reference = config.tx_full_scale_dbm.value_or(levels ? levels->tx_dbm : tx_guess) - headroom;
    rx_reference = config.rx_full_scale_dbm.value_or(levels ? levels->rx_dbm : rx_guess);
}

void RadioFrontend::Impl::write_commit() {
    commit_due = false;
    if (lock_step) vrf_commit(usrp->get_tree(), committed, bursts_sent);
}

void RadioFrontend::Impl::send_loop() {
    std::unique_lock lock(mutex);
    for (;;) {
        wake.wait(lock, [&] { return quit || queued > 0; });
        if (quit) return;
        const Piece& piece = pieces[head];
        sending = true;
        lock.unlock();
        send(piece);
        collect_async();
        lock.lock();
        sending = false;
        head = (head + 1) % kPieces;
        --queued;
        if (queued == 0 && commit_due) write_commit();
    }
}

/// Leading samples of a piece that the ringing of the one before has taken already.
size_t RadioFrontend::Impl::overlap(const Piece& piece) const {
    if (!to_device || sent_until < piece.tick) return 0;
    const int64_t samples = sent_until - piece.tick;
    if (samples > plan.tick_at(2 * TransmitResampler::kRingingSamples) + 1) return 0;  // not ringing: the device's say
    return std::min(static_cast<size_t>(samples), piece.samples[0].size());
}

/// One UHD burst from its start to its end, whatever happens on the way.
void RadioFrontend::Impl::send(const Piece& piece) {
    if (const int64_t now = newest.load(std::memory_order_relaxed); now != kNothingReceived) {
        const int64_t slack = piece.start - now;
        const std::lock_guard guard(mutex);
        counters.least_slack_samples = std::min(counters.least_slack_samples, slack);
        if (slack < 0) {  // lock-step: samples right behind those received are not late
            ++counters.late;
            return;
        }
    }
    uhd::tx_metadata_t md;
    md.start_of_burst = true;
    md.end_of_burst = true;
    md.has_time_spec = true;
    const size_t skipped = overlap(piece);
    md.time_spec = uhd::time_spec_t::from_ticks(piece.tick + static_cast<int64_t>(skipped),
                                                static_cast<double>(plan.device_rate_hz));
    size_t sent = skipped;
    const size_t length = piece.samples[0].size();
    sent_until = piece.tick + static_cast<int64_t>(length);
    auto progress = std::chrono::steady_clock::now();
    while (sent < length && !quit) {
        for (size_t c = 0; c < buffers.size(); ++c) buffers[c] = piece.samples[c].data() + sent;
        const size_t n = tx->send(buffers, length - sent, md, kPollS);
        const auto t = std::chrono::steady_clock::now();
        if (n > 0) {
            progress = t;
            sent += n;
            md.start_of_burst = md.has_time_spec = false;
        } else if (!lock_step && std::chrono::duration<double>(t - progress).count() > kGiveUpS) {
            break;
        }
    }
    const std::lock_guard guard(mutex);
    if (sent > skipped) ++bursts_sent;
    ++counters.pieces;
    if (sent == length) return;
    ++counters.underflows;
    md.end_of_burst = true;
    if (sent > skipped) tx->send(buffers, 0, md, kPollS);
}

void RadioFrontend::Impl::collect_async() {
    uhd::async_metadata_t md;
    while (tx->recv_async_msg(md, 0)) {
        const std::lock_guard guard(mutex);
        if (md.event_code &
            (uhd::async_metadata_t::EVENT_CODE_UNDERFLOW | uhd::async_metadata_t::EVENT_CODE_UNDERFLOW_IN_PACKET))
            ++counters.underflows;
        if (md.event_code & uhd::async_metadata_t::EVENT_CODE_TIME_ERROR) ++counters.late;
    }
}

RadioFrontend::RadioFrontend(const RadioConfig& config) : impl_(std::make_unique<Impl>(config)) {
    impl_->open();
    impl_->sender = std::thread([this] { impl_->send_loop(); });
}

RadioFrontend::~RadioFrontend() {
    stop();
    {
        const std::lock_guard guard(impl_->mutex);
        impl_->quit = true;
    }
    impl_->wake.notify_all();
    if (impl_->sender.joinable()) impl_->sender.join();
}

std::shared_ptr<RadioFrontend> RadioFrontend::open(const RadioConfig& config) {
    return std::shared_ptr<RadioFrontend>(new RadioFrontend(config));
}

void RadioFrontend::start() {
    if (impl_->streaming.exchange(true)) return;
    uhd::stream_cmd_t command(uhd::stream_cmd_t::STREAM_MODE_START_CONTINUOUS);
    command.stream_now = false;
    const double rate = static_cast<double>(impl_->plan.device_rate_hz);
    const int64_t begin = impl_->usrp->get_time_now().to_ticks(rate) + std::llround(impl_->config.start_delay_s * rate);
    command.time_spec = uhd::time_spec_t::from_ticks(begin, rate);
    impl_->rx->issue_stream_cmd(command);
}

void RadioFrontend::stop() {
    if (!impl_->streaming.exchange(false)) return;
    impl_->rx->issue_stream_cmd(uhd::stream_cmd_t(uhd::stream_cmd_t::STREAM_MODE_STOP_CONTINUOUS));
}

/// Received samples at the channel's rate, into `r`; false if none.
bool RadioFrontend::Impl::fetch(std::span<std::complex<float>> out, double timeout_s, Received& r,
                                uhd::rx_metadata_t& md) {
    const double device_rate = static_cast<double>(plan.device_rate_hz);
    if (!to_channel) {
        r.samples = rx->recv(out.data(), out.size(), md, timeout_s, true);
        if (r.samples > 0) r.first_sample = md.time_spec.to_ticks(device_rate);
        return r.samples > 0;
    }
    if (const size_t room = to_channel->room(out.size()); room > 0) {
        if (packet.size() < room) packet.resize(room);
        const size_t n = rx->recv(packet.data(), room, md, timeout_s, true);
        if (n > 0) to_channel->push(md.time_spec.to_ticks(device_rate), std::span(packet).first(n));
    }
    r.samples = to_channel->pull(out, r.first_sample);
    return r.samples > 0;
}

RadioFrontend::Received RadioFrontend::receive(std::span<std::complex<float>> out, double timeout_s) {
    Received r;
    uhd::rx_metadata_t md;
    const bool any = impl_->fetch(out, timeout_s, r, md);
    switch (md.error_code) {
        case uhd::rx_metadata_t::ERROR_CODE_NONE: break;
        case uhd::rx_metadata_t::ERROR_CODE_TIMEOUT: r.timed_out = true; break;
        case uhd::rx_metadata_t::ERROR_CODE_LATE_COMMAND:  // set-up took longer than the start delay: once more
            impl_->streaming = false;
            start();
            break;
        default: {
            const std::lock_guard guard(impl_->mutex);
            ++impl_->counters.overflows;
        }
    }
    if (!any) return r;
    const int64_t end = r.first_sample + static_cast<int64_t>(r.samples);
    const int64_t previous = impl_->newest.exchange(end);
    if (previous != kNothingReceived && r.first_sample > previous) {
        const std::lock_guard guard(impl_->mutex);
        impl_->counters.lost_samples += static_cast<uint64_t>(r.first_sample - previous);
    }
    return r;
}

/// At the device's rate and level; every channel as long as the first.
void RadioFrontend::Impl::fill(Piece& piece, const TransmitPiece& from) {
    auto& first = piece.samples[0];
    piece.tick = piece.start;
    if (to_device)
        piece.tick = to_device->convert(piece.start, from.first, first);
    else
        first.assign(from.first.begin(), from.first.end());
    if (tx_channels() > 1) {
        auto& other = piece.samples[1];
        other.assign(first.size(), {});
        TransmitPiece::Samples part = from.second;
        int64_t offset = static_cast<int64_t>(from.second_from);
        if (to_device && !part.empty()) {
            offset = to_device->convert(piece.start + offset, part, second) - piece.tick;
            part = second;
        }
        std::copy_n(part.begin(), std::min(part.size(), first.size() - static_cast<size_t>(offset)),
                    other.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    if (tx_scale == 1) return;
    for (auto& channel : piece.samples)
        for (auto& s : channel) s *= tx_scale;
}

bool RadioFrontend::transmit(int64_t start_sample, const TransmitPiece& from, int64_t& deficit_samples) {
    const auto samples = from.first;
    deficit_samples = 0;
    if (samples.empty()) return true;
    const bool fits = from.second.empty() || (antennas() > 1 && from.second_from <= samples.size() &&
                                              from.second.size() <= samples.size() - from.second_from);
    if (!fits) return false;
    size_t free_slot = 0;
    {
        const std::lock_guard guard(impl_->mutex);
        const int64_t deficit = now() - start_sample;
        if (deficit > 0) {
            ++impl_->counters.late;
            deficit_samples = deficit;
            return false;
        }
        if (impl_->queued == kPieces || samples.size() > static_cast<size_t>(impl_->config.max_piece_samples))
            return false;
        if (impl_->queued == 0) impl_->head = 0;  // where nothing waits, the same memory stays in the cache
        free_slot = (impl_->head + impl_->queued) % kPieces;
    }
    // Only this caller touches the free slot behind the queue's end: transmit() has one user, the transmitter block.
    Impl::Piece& piece = impl_->pieces[free_slot];
    piece.start = start_sample;
    impl_->fill(piece, from);
    {
        const std::lock_guard guard(impl_->mutex);
        ++impl_->queued;
    }
    impl_->wake.notify_one();
    return true;
}

void RadioFrontend::commit(int64_t sample) {
    if (!impl_->lock_step) return;
    const std::lock_guard guard(impl_->mutex);
    if (sample <= impl_->committed) return;
    impl_->committed = sample;
    impl_->commit_due = true;
    if (impl_->queued == 0 && !impl_->sending) impl_->write_commit();
}

int RadioFrontend::antennas() const { return impl_->config.tx_channels; }
bool RadioFrontend::lock_step() const { return impl_->lock_step; }
int64_t RadioFrontend::chunk_samples() const { return impl_->chunk; }
int64_t RadioFrontend::now() const { return impl_->newest.load(std::memory_order_relaxed); }
int64_t RadioFrontend::sample_rate_hz() const { return impl_->rate; }
double RadioFrontend::tx_reference_dbm() const { return impl_->tx_reference; }
double RadioFrontend::rx_reference_dbm() const { return impl_->rx_reference; }

RadioCounters RadioFrontend::counters() const {
    const std::lock_guard guard(impl_->mutex);
    return impl_->counters;
}

std::string RadioFrontend::describe() const {
    auto& u = *impl_->usrp;
    const auto& plan = impl_->plan;
    const std::string resampling = plan.exact() ? ""
                                                : ", resampled from " + std::to_string(plan.device_rate_hz) + " x " +
                                                      std::to_string(plan.down) + "/" + std::to_string(plan.up);
    std::ostringstream o;
    o.precision(12);
    o << "device        " << u.get_mboard_name() << " (" << impl_->config.device_args << ")\n"
      << "master clock  " << u.get_master_clock_rate() << " Hz, sample rate " << impl_->rate << " S/s" << resampling
      << "\n"
      << "frequency     " << u.get_rx_freq() << " Hz\n"
      << "gains         tx " << u.get_tx_gain() << " dB, rx " << u.get_rx_gain() << " dB\n"
      << "antennas      tx " << u.get_tx_antenna() << (impl_->tx_channels() > 1 ? " and " + u.get_tx_antenna(1) : "")
      << ", rx " << u.get_rx_antenna() << "\n"
      << "clock, time   " << u.get_clock_source(0) << ", " << u.get_time_source(0) << "\n"
      << "0 dBFS        tx " << impl_->tx_reference << " dBm, rx " << impl_->rx_reference << " dBm\n"
      << "time          " << (impl_->lock_step ? "lock-step (commit)" : "runs by itself") << "\n";
    return o.str();
}

}  // namespace gr::wimax
