// SPDX-License-Identifier: GPL-3.0-or-later
// Time of day from a time server (RFC 868, over UDP), as an offset to the sample clock. It is accurate to a second, and
// it is not authenticated.
#pragma once

#include "mac/managed/response_wait.h"
#include "mac/managed/udp_datagram.h"

#include <vector>

namespace wimax::mac {

class TimeClient {
public:
    static constexpr uint16_t kServerPort = 37, kClientPort = 49'189;
    enum class State : uint8_t { off, asking, known, failed };

    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        SendDatagram send;
    };
    TimeClient(const ManagedSubscriber& config, Dependencies dependencies);

    /// Sends its requests to the servers in turn. A time that it knew is forgotten.
    void start(uint32_t own_address, const std::vector<uint32_t>& servers);
    void forget();
    /// False: not awaited.
    bool receive(const UdpDatagram& datagram);
    void run_timers();

    State state() const { return state_; }
    /// Now, seconds since 1970.
    std::optional<int64_t> now_s() const;
    /// The server that is asked, or has given the time.
    uint32_t server() const { return servers_.empty() ? 0 : servers_[(tries_ - 1) % servers_.size()]; }
    const char* why() const { return why_; }

private:
    void ask();

    const ManagedSubscriber& config_;
    const FrameClock& clock_;
    SendDatagram send_;
    ResponseWait wait_;
    State state_ = State::off;
    const char* why_ = "";
    uint32_t own_address_ = 0, tries_ = 1;
    std::vector<uint32_t> servers_;
    int64_t time_s_ = 0;  ///< at `known_at_`
    Samples known_at_ = 0;
};

}  // namespace wimax::mac
