// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/streamers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>
#include <uhd/exception.hpp>
#include <uhd/version.hpp>

namespace wimax::vrf {
namespace {

enum class HostFormat : uint8_t { fc32, fc64, sc16, sc8 };

HostFormat host_format(const uhd::stream_args_t& args) {
    const std::string& name = args.cpu_format;
    if (name == "fc32") return HostFormat::fc32;
    if (name == "fc64") return HostFormat::fc64;
    if (name == "sc16") return HostFormat::sc16;
    if (name == "sc8") return HostFormat::sc8;
    throw uhd::value_error("vrf: host format '" + name + "': allowed are fc32, fc64, sc16, sc8");
}

/// Channels of the stream, in its order, each once.
std::vector<size_t> channels_of(const uhd::stream_args_t& args, const char* direction, size_t count) {
    if (args.channels.empty()) return {0};
    for (auto c = args.channels.begin(); c != args.channels.end(); ++c)
        if (*c >= count || std::find(args.channels.begin(), c, *c) != c)
            throw uhd::value_error("vrf: " + std::string(direction) + " channel " + std::to_string(*c) +
                                   (*c < count ? " twice" : ": this radio has " + std::to_string(count)) +
                                   ", counted from 0");
    return args.channels;
}

template <typename Integer> void to_integer(std::span<const Sample> in, void* out, size_t at) {
    static constexpr float kFull = float(std::numeric_limits<Integer>::max());
    auto* to = static_cast<Integer*>(out) + 2 * at;
    const auto convert = [](float v) { return Integer(std::lrint(std::clamp(v * kFull, -kFull, kFull))); };
    for (const Sample& s : in) {
        *to++ = convert(s.real());
        *to++ = convert(s.imag());
    }
}

template <typename Integer> void from_integer(const void* in, size_t at, std::span<Sample> out) {
    constexpr float kScale = 1.0F / float(std::numeric_limits<Integer>::max());
    const auto* from = static_cast<const Integer*>(in) + 2 * at;
    for (Sample& s : out) {
        s = {float(from[0]) * kScale, float(from[1]) * kScale};
        from += 2;
    }
}

void to_host(HostFormat format, std::span<const Sample> in, void* out, size_t at) {
    switch (format) {
        case HostFormat::fc32: std::copy(in.begin(), in.end(), static_cast<Sample*>(out) + at); break;
        case HostFormat::fc64: std::copy(in.begin(), in.end(), static_cast<std::complex<double>*>(out) + at); break;
        case HostFormat::sc16: to_integer<int16_t>(in, out, at); break;
        case HostFormat::sc8: to_integer<int8_t>(in, out, at); break;
    }
}

void from_host(HostFormat format, const void* in, size_t at, std::span<Sample> out) {
    switch (format) {
        case HostFormat::sc16: from_integer<int16_t>(in, at, out); break;
        case HostFormat::sc8: from_integer<int8_t>(in, at, out); break;
        case HostFormat::fc32: std::copy_n(static_cast<const Sample*>(in) + at, out.size(), out.begin()); break;
        case HostFormat::fc64: {
            const auto* from = static_cast<const std::complex<double>*>(in) + at;
            for (Sample& s : out) s = Sample(*from++);
            break;
        }
    }
}

/// The letters that UHD prints on standard error.
void print_letter(char letter) { (void)!std::fwrite(&letter, 1, 1, stderr); }

class RxStreamer : public uhd::rx_streamer {
public:
    RxStreamer(std::shared_ptr<DeviceState> host, const uhd::stream_args_t& args)
        : host_(std::move(host)),
          radio_(host_->radio.get()),
          rate_hz_(host_->check_rate(false)),
          format_(host_format(args)) {
        (void)channels_of(args, "RX", 1);
        const size_t model = host_->personality.rx.packet_samples;
        const auto spp = args.args.cast<size_t>("spp", model > 0 ? model : radio_->chunk_samples());
        const size_t most = model > 0 ? model : kAheadChunks * radio_->chunk_samples();
        radio_->set_packet_samples(std::clamp<size_t>(spp, 1, most));
        radio_->clear_rx();
    }
    ~RxStreamer() override { radio_->clear_rx(); }
    size_t get_num_channels() const override { return 1; }
    size_t get_max_num_samps() const override { return radio_->packet_samples(); }

    size_t recv(const buffs_type& buffs, size_t nsamps, uhd::rx_metadata_t& metadata, double timeout,
                bool one_packet) override {
        host_->check_plug();
        RxMeta meta;
        size_t n;
        if (format_ == HostFormat::fc32) {
            n = radio_->receive({static_cast<Sample*>(buffs[0]), nsamps}, meta, limit(timeout), one_packet);
        } else {
            scratch_.resize(nsamps);
            n = radio_->receive(scratch_, meta, limit(timeout), one_packet);
            to_host(format_, {scratch_.data(), n}, buffs[0], 0);
        }
        metadata.reset();
        metadata.has_time_spec = meta.has_tick;
        if (meta.has_tick)
            metadata.time_spec = uhd::time_spec_t::from_ticks(meta.tick, rate_hz_) +
                                 uhd::time_spec_t(off_grid(meta.restarts) / rate_hz_);
        metadata.start_of_burst = meta.start_of_burst;
        metadata.end_of_burst = meta.end_of_burst;
        metadata.more_fragments = meta.more_fragments;
        metadata.fragment_offset = meta.fragment_offset;
        metadata.error_code = code(meta.error);
        metadata.out_of_sequence = meta.error == RxError::sequence;
        if (meta.error == RxError::overflow) print_letter('O');
        if (meta.error == RxError::sequence) print_letter('D');
        return n;
    }

    void issue_stream_cmd(const uhd::stream_cmd_t& cmd) override {
        RxCommand command;
        switch (cmd.stream_mode) {
            case uhd::stream_cmd_t::STREAM_MODE_START_CONTINUOUS: command.mode = RxCommand::Mode::start; break;
            case uhd::stream_cmd_t::STREAM_MODE_STOP_CONTINUOUS: command.mode = RxCommand::Mode::stop; break;
            case uhd::stream_cmd_t::STREAM_MODE_NUM_SAMPS_AND_DONE:
                command.mode = RxCommand::Mode::samples_and_done;
                break;
            case uhd::stream_cmd_t::STREAM_MODE_NUM_SAMPS_AND_MORE:
                command.mode = RxCommand::Mode::samples_and_more;
                break;
        }
        command.samples = cmd.num_samps;
        if (!cmd.stream_now) command.tick = cmd.time_spec.to_ticks(rate_hz_);
        radio_->command(command);
    }

#if UHD_VERSION >= 4080000
    void post_input_action(const std::shared_ptr<uhd::rfnoc::action_info>&, const size_t) override {}
#endif

    /// UHD passes NaN and huge timeouts; a wait needs a comparable number.
    static std::chrono::duration<double> limit(double timeout) {
        return std::chrono::duration<double>(std::isfinite(timeout) ? std::clamp(timeout, 0.0, 1e6) : 1e6);
    }

private:
    /// When a stream restarts, decimation begins at any tick of the master clock: an offset to its former grid of less
    /// than half a sample. The samples are those of the grid.
    double off_grid(uint32_t restarts) const {
        const auto decimation = uint32_t(std::lround(host_->clock_hz / rate_hz_));
        if (restarts == 0 || decimation < 2) return 0;
        constexpr uint32_t kMix = 2654435769;
        const auto phase = (restarts * kMix >> 8) % decimation;
        return (phase + 0.5) / decimation - 0.5;
    }
    static uhd::rx_metadata_t::error_code_t code(RxError error) {
        switch (error) {
            case RxError::timeout: return uhd::rx_metadata_t::ERROR_CODE_TIMEOUT;
            case RxError::late_command: return uhd::rx_metadata_t::ERROR_CODE_LATE_COMMAND;
            case RxError::broken_chain: return uhd::rx_metadata_t::ERROR_CODE_BROKEN_CHAIN;
            case RxError::overflow:
            case RxError::sequence: return uhd::rx_metadata_t::ERROR_CODE_OVERFLOW;
            default: return uhd::rx_metadata_t::ERROR_CODE_NONE;
        }
    }

    std::shared_ptr<DeviceState> host_;
    Radio* radio_;
    const double rate_hz_;
    HostFormat format_;
    std::vector<Sample> scratch_;
};

class TxStreamer : public uhd::tx_streamer {
public:
    TxStreamer(std::shared_ptr<DeviceState> host, const uhd::stream_args_t& args)
        : host_(std::move(host)),
          radio_(host_->radio.get()),
          rate_hz_(host_->check_rate(true)),
          format_(host_format(args)),
          channels_(channels_of(args, "TX", radio_->tx_channels())),
          scratch_(channels_.size()) {
        radio_->clear_tx();
    }
    ~TxStreamer() override { radio_->clear_tx(); }
    size_t get_num_channels() const override { return channels_.size(); }
    size_t get_max_num_samps() const override {
        const size_t model = host_->personality.tx.packet_samples;
        return model > 0 ? model : radio_->chunk_samples();
    }

    size_t send(const buffs_type& buffs, size_t nsamps, const uhd::tx_metadata_t& metadata, double timeout) override {
        host_->check_plug();
        TxMeta meta;
        if (metadata.has_time_spec) meta.tick = metadata.time_spec.to_ticks(rate_hz_);
        meta.start_of_burst = metadata.start_of_burst;
        meta.end_of_burst = metadata.end_of_burst;
        std::array<const Sample*, kMaxTxChannels> samples{};
        for (size_t i = 0; i < channels_.size() && nsamps != 0; ++i)
            samples[channels_[i]] = as_fc32(buffs[i], i, nsamps);
        if (host_->personality.late_packets) return send_packets(samples, nsamps, meta, RxStreamer::limit(timeout));
        return radio_->send({samples, nsamps}, meta, RxStreamer::limit(timeout));
    }

    bool recv_async_msg(uhd::async_metadata_t& metadata, double timeout) override {
        return recv_async(*radio_, rate_hz_, metadata, timeout);
    }

#if UHD_VERSION >= 4080000
    void post_output_action(const std::shared_ptr<uhd::rfnoc::action_info>&, const size_t) override {}
#endif

private:
    /// Like UHD: each packet has its time.
    size_t send_packets(std::array<const Sample*, kMaxTxChannels> samples, size_t count, const TxMeta& meta,
                        std::chrono::duration<double> timeout) {
        size_t sent = 0;
        do {
            const size_t n = std::min(count - sent, get_max_num_samps());
            TxMeta packet = meta;
            packet.start_of_burst = meta.start_of_burst && sent == 0;
            packet.end_of_burst = meta.end_of_burst && sent + n == count;
            if (meta.tick) packet.tick = *meta.tick + int64_t(sent);
            const size_t taken = radio_->send({samples, n}, packet, timeout);
            sent += taken;
            if (taken < n) break;
            for (auto& of_channel : samples)
                if (of_channel) of_channel += n;
        } while (sent < count);
        return sent;
    }

    const Sample* as_fc32(const void* samples, size_t stream, size_t n) {
        if (format_ == HostFormat::fc32) return static_cast<const Sample*>(samples);
        auto& converted = scratch_[stream];
        converted.resize(n);
        from_host(format_, samples, 0, converted);
        return converted.data();
    }

    std::shared_ptr<DeviceState> host_;
    Radio* radio_;
    const double rate_hz_;
    const HostFormat format_;
    const std::vector<size_t> channels_;        ///< of the radio, from those of the stream
    std::vector<std::vector<Sample>> scratch_;  ///< in units of the stream
};

}  // namespace

double DeviceState::check_rate(bool tx) const {
    constexpr double kAsGood = 1e-6;  // less than the error of clocks
    const double model_hz = rate_hz[tx], channel_hz = radio->rate_hz();
    if (std::abs(model_hz - channel_hz) <= kAsGood * channel_hz) return model_hz;
    std::ostringstream text;
    text.precision(12);
    text << "vrf: the channel runs at " << channel_hz << " S/s, this " << personality.board << " at " << model_hz
         << ": set sample_rate_hz of the channel";
    throw uhd::runtime_error(text.str());
}

void DeviceState::check_plug() const {
    if (radio->unplugged()) throw uhd::io_error("vrf: the device is gone (unplugged)");
}

bool recv_async(Radio& radio, double rate_hz, uhd::async_metadata_t& metadata, double timeout_s) {
    TxEvent event;
    if (!radio.next_event(event, RxStreamer::limit(timeout_s))) return false;
    metadata.channel = 0;
    metadata.has_time_spec = true;
    metadata.time_spec = uhd::time_spec_t::from_ticks(event.tick, rate_hz);
    switch (event.kind) {
        case TxEvent::Kind::burst_ack: metadata.event_code = uhd::async_metadata_t::EVENT_CODE_BURST_ACK; break;
        case TxEvent::Kind::underflow: metadata.event_code = uhd::async_metadata_t::EVENT_CODE_UNDERFLOW; break;
        case TxEvent::Kind::late: metadata.event_code = uhd::async_metadata_t::EVENT_CODE_TIME_ERROR; break;
        case TxEvent::Kind::sequence: metadata.event_code = uhd::async_metadata_t::EVENT_CODE_SEQ_ERROR; break;
    }
    return true;
}

uhd::rx_streamer::sptr make_rx_streamer(std::shared_ptr<DeviceState> host, const uhd::stream_args_t& args) {
    return std::make_shared<RxStreamer>(std::move(host), args);
}

uhd::tx_streamer::sptr make_tx_streamer(std::shared_ptr<DeviceState> host, const uhd::stream_args_t& args) {
    return std::make_shared<TxStreamer>(std::move(host), args);
}

}  // namespace wimax::vrf
