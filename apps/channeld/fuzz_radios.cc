// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of radios with arbitrary contents: a Hello each, then chunk headers and samples from the input. The channel
// must accept or refuse them, keep time running for the others, and be able to report.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>

#include "channeld/channel_control.h"
#include "channeld/scheduler.h"

namespace {

using namespace wimax;
using namespace wimax::channeld;

constexpr uint32_t kChunk = 32;
constexpr int kSteps = 64;

/// Removes octets from the input; zeros after its end.
struct Input {
    std::span<const uint8_t> octets;
    template <typename T> void read(T& value) {
        const size_t n = std::min(sizeof value, octets.size());
        std::memcpy(static_cast<void*>(&value), octets.data(), n);
        octets = octets.subspan(n);
    }
    uint8_t octet() {
        uint8_t value = 0;
        read(value);
        return value;
    }
};

struct Queued {
    vrf::TxHeader header;
    std::vector<vrf::Sample> samples = std::vector<vrf::Sample>(vrf::kMaxTxChannels * kChunk);
};

/// Parameters shared by radio and channel; the radio may leave first.
struct Shared {
    vrf::Hello hello;
    vrf::Welcome welcome;
    bool alive = true;
    std::deque<Queued> sent;
    vrf::RxHeader rx;
    std::vector<vrf::Sample> received = std::vector<vrf::Sample>(kChunk);
};

class Port final : public vrf::RadioPort {
public:
    explicit Port(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
    ~Port() override { shared_->alive = false; }
    const vrf::Hello& hello() const override { return shared_->hello; }
    bool answer(const vrf::Welcome& welcome) override {
        shared_->welcome = welcome;
        return true;
    }
    bool alive() override { return shared_->alive; }
    vrf::TxChunk front() override {
        if (shared_->sent.empty()) return {};
        return {&shared_->sent.front().header, shared_->sent.front().samples.data()};
    }
    void pop() override { shared_->sent.pop_front(); }
    vrf::RxChunk rx_chunk() override { return {&shared_->rx, shared_->received.data()}; }
    void push() override {}
    void wake() override {}

private:
    std::shared_ptr<Shared> shared_;
};

std::shared_ptr<Shared> say_hello(Input& input, Scheduler& scheduler) {
    auto shared = std::make_shared<Shared>();
    const uint8_t honest = input.octet();
    if (honest < 200) {
        vrf::copy_text(shared->hello.name, std::string(1, static_cast<char>('a' + honest % 4)));
        shared->hello.tx_channels = uint8_t(1 + honest / 4 % 2);
    } else {
        input.read(shared->hello);
        shared->hello.name[sizeof shared->hello.name - 1] = 0;  // like the listeners
        if (honest < 230) shared->hello.magic = vrf::kLinkMagic, shared->hello.version = vrf::kLinkVersion;
    }
    scheduler.admit(std::make_unique<Port>(shared));
    return shared;
}

void send(Input& input, Shared& radio, int64_t next) {
    Queued& queued = radio.sent.emplace_back();
    if (input.octet() < 128) {
        queued.header.index = next;
        queued.header.sending = input.octet() & 3;
        queued.header.streaming = 1;
    } else {
        input.read(queued.header);
    }
    if (queued.header.sending != 0)
        for (size_t i = 0; i < 4; ++i) input.read(queued.samples[i]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Input input{{data, size}};
    ChannelConfig config;
    config.sample_rate_hz = 1e5;
    config.chunk_samples = kChunk;
    config.pace = Pace::free;
    config.mode = input.octet() & 1 ? vrf::TimeMode::rt : vrf::TimeMode::commit;
    Scheduler scheduler(config);
    const StatusReport report(config, scheduler);
    std::vector<std::shared_ptr<Shared>> radios;
    for (int step = 0; step < kSteps && !input.octets.empty(); ++step) {
        const uint8_t what = input.octet();
        if (radios.empty() || what < 32) {
            radios.push_back(say_hello(input, scheduler));
        } else {
            Shared& radio = *radios[what % radios.size()];
            const auto known = std::find_if(scheduler.stations().begin(), scheduler.stations().end(),
                                            [&](const auto& s) { return s->name == radio.hello.name; });
            if (what < 48) radio.alive = false;
            if (radio.welcome.accepted && radio.alive && known != scheduler.stations().end())
                send(input, radio, (*known)->tx_end);
        }
        scheduler.collect();
        const double before = scheduler.time_s();
        for (int i = 0; i < 4 && scheduler.serve(); ++i) continue;
        if (!std::isfinite(scheduler.time_s()) || scheduler.time_s() < before) std::abort();
    }
    (void)report.line();
    (void)report.json().dump();
    return 0;
}
