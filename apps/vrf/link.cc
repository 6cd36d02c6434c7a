// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/link.h"

#include "common/address.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace wimax::vrf {
namespace {

bool is_zmq(const std::string& address) { return address.starts_with("tcp://") || address.starts_with("ipc://"); }

tl::expected<std::string, Fault> shm_path(const std::string& address) {
    const std::string path = address.starts_with("shm:") ? address.substr(4) : address;
    if (path.empty() || path[0] != '/')
        return tl::unexpected(Fault{"address", address, "/path, shm:/path, tcp://host:port, ipc:///path"});
    return path;
}

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.10g", value);
    return text;
}

/// For a log: the peer's text must not move its cursor.
std::string printable(std::string text) {
    for (char& c : text)
        if (c < ' ' || c > '~') c = '?';
    return text;
}

}  // namespace

const char* to_string(TimeMode mode) {
    switch (mode) {
        case TimeMode::commit: return "commit";
        case TimeMode::rt: return "rt";
        default: return "any";
    }
}

tl::expected<TimeMode, Fault> time_mode_from(const std::string& text) {
    for (auto mode : {TimeMode::commit, TimeMode::rt})
        if (text == to_string(mode)) return mode;
    return tl::unexpected(Fault{"mode", text, "commit, rt"});
}

void copy_text(std::span<char> to, const std::string& from) {
    const size_t n = std::min(from.size(), to.size() - 1);
    std::memcpy(to.data(), from.data(), n);
    to[n] = 0;
}

Outcome match(const Hello& hello, const Welcome& channel) {
    if (hello.magic != kLinkMagic) return failure({}, "not a virtual radio, or one of another byte order");
    const auto differ = [](const char* key, const std::string& radio, const std::string& of_channel) {
        return failure(key, "radio " + radio + ", channel " + of_channel);
    };
    if (hello.version != kLinkVersion)
        return differ("link version", std::to_string(hello.version), std::to_string(kLinkVersion));
    // Clock differences are a property of the channel; this compares the configured rates of both.
    if (hello.rate_hz != 0 && !(std::abs(hello.rate_hz - channel.rate_hz) <= 0.5))
        return differ("sample rate", number(hello.rate_hz) + " Hz", number(channel.rate_hz) + " Hz");
    if (hello.chunk_samples != 0 && hello.chunk_samples != channel.chunk_samples)
        return differ("chunk", std::to_string(hello.chunk_samples) + " samples",
                      std::to_string(channel.chunk_samples) + " samples");
    if (hello.tx_channels < 1 || hello.tx_channels > kMaxTxChannels)
        return differ("TX channels", std::to_string(hello.tx_channels), "1 to " + std::to_string(kMaxTxChannels));
    if (hello.mode != TimeMode::any && hello.mode != channel.mode)
        return differ("time mode", to_string(hello.mode), to_string(channel.mode));
    return {};
}

tl::expected<Welcome, Fault> read_welcome(std::span<const std::byte> octets, const Hello& hello) {
    Welcome w;
    const auto malformed = [](const std::string& what) { return failure(kMalformed, what); };
    if (octets.size() != sizeof w)
        return malformed(std::to_string(octets.size()) + " octets, a Welcome has " + std::to_string(sizeof w));
    std::memcpy(&w, octets.data(), sizeof w);
    if (w.magic != kLinkMagic || w.version != kLinkVersion)
        return failure(
            kRefused, "link version: radio " + std::to_string(kLinkVersion) + ", channel " + std::to_string(w.version));
    w.refusal[sizeof w.refusal - 1] = 0;
    if (!w.accepted) return failure(kRefused, printable(w.refusal));
    const auto finite = [](double dbm) { return std::abs(dbm) <= 1000; };
    if (!(w.rate_hz >= kMinRateHz && w.rate_hz <= kMaxRateHz))
        return malformed("sample rate " + number(w.rate_hz) + " Hz");
    if (w.chunk_samples == 0 || w.chunk_samples > kMaxChunkSamples)
        return malformed("chunks of " + std::to_string(w.chunk_samples) + " samples");
    if (w.mode != TimeMode::commit && w.mode != TimeMode::rt)
        return malformed("time mode " + std::to_string(int(w.mode)));
    if (w.first_index < 0 || w.first_index > kMaxIndex || w.first_index % w.chunk_samples != 0)
        return malformed("first index " + std::to_string(w.first_index));
    if (!finite(w.tx_power_dbm) || !finite(w.rx_full_scale_dbm))
        return malformed("levels " + number(w.tx_power_dbm) + " and " + number(w.rx_full_scale_dbm) + " dBm");
    if (const auto fits = match(hello, w); !fits) return malformed(fits.error().str());
    return w;
}

Welcome too_many_radios() {
    Welcome refusal;
    copy_text(refusal.refusal, "busy: " + std::to_string(kMaxRadios) + " radios are here, more are not taken");
    return refusal;
}

tl::expected<std::unique_ptr<RadioLink>, Fault> attach(const std::string& marked, const Hello& hello, int timeout_ms) {
    const auto address = expand_address(marked);
    if (const auto safe = check_server(address); !safe) return tl::unexpected(safe.error());
    if (is_zmq(address)) return zmq_attach(address, hello, timeout_ms);
    return shm_path(address).and_then([&](const std::string& path) { return shm_attach(path, hello, timeout_ms); });
}

tl::expected<std::unique_ptr<Listener>, DaemonFault> listen(const std::string& marked) {
    const auto address = expand_address(marked);
    if (is_zmq(address)) return zmq_listen(address);
    const auto path = shm_path(address);
    if (!path) return tl::unexpected(DaemonFault{path.error()});
    return shm_listen(*path);
}

}  // namespace wimax::vrf
