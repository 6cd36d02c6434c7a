// SPDX-License-Identifier: GPL-3.0-or-later
// Set-up of a managed subscriber station over its secondary management connection (6.3.9.10 to 6.3.9.12): DHCP, then
// the time of day, then the configuration file. Later it keeps the lease of the address. The servers may be silent,
// late, wrong or hostile: each step ends in bounded time, with a reason.
#pragma once

#include "mac/managed/configuration_file.h"
#include "mac/managed/dhcp_client.h"
#include "mac/managed/tftp_client.h"
#include "mac/managed/time_client.h"
#include "mac/managed_config.h"
#include "mac/report/events.h"

#include <string>
#include <vector>

namespace wimax::mac {

enum class ManagedStep : uint8_t { idle, address, time, file, done, failed };
const char* to_string(ManagedStep step);

struct ManagedFigures {
    ManagedStep step = ManagedStep::idle;
    uint32_t address = 0;           ///< host order; 0: none
    std::optional<int64_t> time_s;  ///< now, seconds since 1970; nullopt: not known
    std::string file;               ///< name of the last file taken; received from a server: not always UTF-8
    uint64_t sent = 0, received = 0, ignored = 0;  ///< packets; ignored: not awaited, not for it, or unreadable
    uint64_t refused_files = 0;                    ///< without a valid signature, for another station, out of date
    uint64_t lost_leases = 0;
};

class ManagedSetup {
public:
    /// Sends an IP packet. False: no room.
    using Send = std::function<bool(Octets packet)>;
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        EventSink& event;
        Send send;
    };
    ManagedSetup(const ManagedSubscriber& config, const MacAddress& mac, Dependencies dependencies);
    ManagedSetup(const ManagedSetup&) = delete;
    ManagedSetup& operator=(const ManagedSetup&) = delete;

    /// The secondary management connection is there.
    void start();
    /// Once per frame.
    void run_timers();
    /// An IP packet of the secondary management connection.
    void receive(Octets packet);
    /// The network is left.
    void forget();

    bool running() const;
    ManagedStep step() const { return step_; }
    /// Why it has failed.
    const std::string& why() const { return why_; }
    /// Service flows that the file requests.
    const std::vector<ServiceFlowConfig>& flows() const { return file_.flows; }
    ManagedFigures figures() const;

private:
    enum class Line : uint32_t;  ///< kinds of event lines

    bool take(const UdpDatagram& datagram);
    bool send(const UdpDatagram& datagram);
    void advance();
    void take_lease();
    void report_lease();
    void lose_lease();
    void keep_lease();
    void begin_time();
    void take_time();
    void begin_file();
    void take_file();
    void finish();
    /// Continues with `next` if the step is not needed.
    void fail_step(bool needed, Line line, const std::string& why, void (ManagedSetup::*next)());
    void report(Line line, const std::string& text);

    const ManagedSubscriber& config_;
    MacAddress mac_;
    const FrameClock& clock_;
    EventSink& event_;
    Send send_;
    DhcpClient dhcp_;
    TimeClient time_;
    TftpClient tftp_;
    ManagedStep step_ = ManagedStep::idle;
    std::string why_;
    ConfigurationFile file_;
    std::string file_name_;           ///< at the server
    uint32_t reported_failures_ = 0;  ///< of downloads
    ManagedFigures figures_;          ///< counters and the name of the file
    bool leased_ = false;             ///< after set-up, when looked at last
    Timer retry_;                     ///< until the next search, after a lease was lost
    Buffer packet_;
};

}  // namespace wimax::mac
