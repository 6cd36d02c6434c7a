// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/radio.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace wimax::vrf {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

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
    : parts_(std::move(options), link->welcome()), worker_(parts_, std::move(link)) {}

void Radio::set_at_next_pps(int64_t tick) {
    const uint64_t seen = parts_.pulses.request_time(tick);
    if (parts_.idle()) parts_.pulses.wait(seen, parts_.clock);
}

int64_t Radio::last_pps() {
    const auto [seen, again] = parts_.pulses.seen();
    if (again && parts_.idle()) parts_.pulses.wait(seen, parts_.clock);
    return parts_.pulses.query();
}

size_t Radio::send(const TxSamples& samples, const TxMeta& meta, std::chrono::duration<double> timeout) {
    const size_t n = parts_.tx.push(samples, meta, timeout);
    if (n > 0) parts_.pace.host_transmits();
    else parts_.pace.wake();
    return n;
}

void Radio::commit(int64_t tick, uint64_t bursts) {
    parts_.pace.commit(tick, bursts);
    worker_.host_changes();
}

void Radio::clear_tx() {
    parts_.tx.clear();
    commit(INT64_MAX, 0);
}

void Radio::command(const RxCommand& command) {
    parts_.rx.command(command);
    parts_.pace.wake();
    worker_.host_changes();
}

/// The thread of a host that polls exchanges chunks also while it waits.
std::chrono::duration<double> Radio::first_wait(std::chrono::duration<double> timeout) const {
    return worker_.polled() ? std::min<std::chrono::duration<double>>(timeout, kLookAgain) : timeout;
}

size_t Radio::receive(std::span<Sample> out, RxMeta& meta, std::chrono::duration<double> timeout, bool one_packet) {
    Timeout limit(parts_.clock, timeout);
    for (auto wait = first_wait(timeout);; wait = kLookAgain) {
        const size_t n = parts_.rx.receive(out, meta, wait, one_packet);
        parts_.pace.host_has_read();
        if (n > 0 || meta.error != RxError::timeout || limit.expired()) return n;
    }
}

bool Radio::next_event(TxEvent& event, std::chrono::duration<double> timeout) {
    Timeout limit(parts_.clock, timeout);
    for (auto wait = first_wait(timeout);; wait = kLookAgain) {
        if (parts_.tx.next_event(event, wait)) return true;
        if (limit.expired()) return false;
        worker_.host_looks();
    }
}

void Radio::set_wire_bits(bool tx, int bits) {
    if (parts_.rf) parts_.rf->set_wire_bits(tx, bits);
}

}  // namespace wimax::vrf
