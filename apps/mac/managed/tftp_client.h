// SPDX-License-Identifier: GPL-3.0-or-later
// TFTP client (RFC 1350): downloads one small file in octet mode, without options. A download that fails is tried again
// after a pause.
#pragma once

#include "mac/managed/response_wait.h"
#include "mac/managed/udp_datagram.h"
#include "mac/pdu/configuration_settings.h"

namespace wimax::mac {

class TftpClient {
public:
    static constexpr uint16_t kServerPort = 69;
    /// Own ports of downloads, one after the other, so that late packets of one do not fit the next.
    static constexpr uint16_t kFirstPort = 50'000, kPorts = 8'192;
    static constexpr size_t kBlockOctets = 512, kMostOctets = kMostConfigurationFileOctets;
    enum class State : uint8_t { off, downloading, pausing, complete, failed };

    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        SendDatagram send;
    };
    TftpClient(const ManagedSubscriber& config, Dependencies dependencies);

    /// `file`: its name at the server, without zeros.
    void start(uint32_t own_address, uint32_t server, const std::string& file);
    void forget();
    /// The complete file is refused: it is downloaded again after a pause, or the last try has failed.
    void refuse(const std::string& why) { fail(why); }
    /// False: not awaited.
    bool receive(const UdpDatagram& datagram);
    void run_timers();

    State state() const { return state_; }
    /// Pre: complete.
    Octets contents() const { return contents_; }
    /// Downloads that failed or were refused, since the start.
    uint32_t failures() const { return failures_; }
    /// Of the last download that failed; printable.
    const std::string& why() const { return why_; }

private:
    void download();
    void send(uint32_t kind, uint32_t value);
    void send_again();
    void fail(const std::string& why);
    bool take_data(Octets data, uint16_t port);
    bool take_error(Octets error);

    const ManagedSubscriber& config_;
    const FrameClock& clock_;
    SendDatagram send_;
    ResponseWait wait_;
    State state_ = State::off;
    uint32_t own_address_ = 0, server_ = 0;
    std::string file_, why_;
    uint16_t port_ = kFirstPort;           ///< own, of this download
    std::optional<uint16_t> server_port_;  ///< of the server for this download, known from its first block on
    uint32_t downloads_ = 0, failures_ = 0, requests_ = 0;  ///< requests: sent for this block
    uint16_t last_block_ = 0;                               ///< received
    uint32_t repeats_ = 0;                                  ///< of the acknowledgement of the last block
    Buffer contents_, packet_;                              ///< packet: the one sent last
};

}  // namespace wimax::mac
