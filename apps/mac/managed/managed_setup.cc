// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/managed/managed_setup.h"

#include "common/printable.h"

#include <utility>

namespace wimax::mac {
namespace {

constexpr size_t kMostNameText = 80;

/// Name that a server has given, for a line.
std::string name_text(const std::string& name) { return printable(std::string_view(name).substr(0, kMostNameText)); }

/// The server of the file: siaddr, or an address as the server's name. Names are not resolved. 0: none.
uint32_t file_server(const DhcpLease& lease) {
    if (lease.next_server != 0) return lease.next_server;
    const uint32_t named = address_from_text(lease.server_name).value_or(0);
    return is_host_address(named) ? named : 0;
}

}  // namespace

enum class ManagedSetup::Line : uint32_t {
    lease,
    no_lease,
    lost_lease,
    time_of_day,
    no_time,
    file,
    download_failed,
    no_file
};

const char* to_string(ManagedStep step) {
    constexpr const char* kNames[] = {"idle", "address", "time", "file", "done", "failed"};
    return kNames[static_cast<size_t>(step)];
}

ManagedSetup::ManagedSetup(const ManagedSubscriber& config, const MacAddress& mac, Dependencies dependencies)
    : config_(config),
      mac_(mac),
      clock_(dependencies.clock),
      event_(dependencies.event),
      send_(std::move(dependencies.send)),
      dhcp_(config_, mac_, {clock_, [this](const UdpDatagram& datagram) { return send(datagram); }}),
      time_(config_, {clock_, [this](const UdpDatagram& datagram) { return send(datagram); }}),
      tftp_(config_, {clock_, [this](const UdpDatagram& datagram) { return send(datagram); }}) {}

void ManagedSetup::start() {
    forget();
    step_ = ManagedStep::address;
    dhcp_.start();
}

void ManagedSetup::forget() {
    dhcp_.forget();
    time_.forget();
    tftp_.forget();
    step_ = ManagedStep::idle;
    why_.clear();
    file_ = {};
    reported_failures_ = 0;
    figures_.file.clear();
    retry_.stop();
}

bool ManagedSetup::running() const {
    return step_ == ManagedStep::address || step_ == ManagedStep::time || step_ == ManagedStep::file;
}

void ManagedSetup::run_timers() {
    if (!running() && step_ != ManagedStep::done) return;
    dhcp_.run_timers();
    time_.run_timers();
    tftp_.run_timers();
    advance();
}

void ManagedSetup::receive(Octets packet) {
    ++figures_.received;
    const auto datagram = running() || step_ == ManagedStep::done ? read_udp(packet) : std::nullopt;
    if (datagram && take(*datagram)) return advance();
    ++figures_.ignored;
}

bool ManagedSetup::take(const UdpDatagram& datagram) {
    return dhcp_.receive(datagram) || time_.receive(datagram) || tftp_.receive(datagram);
}

bool ManagedSetup::send(const UdpDatagram& datagram) {
    write_udp(datagram, packet_);
    const bool sent = send_(packet_);
    figures_.sent += sent;
    return sent;
}

void ManagedSetup::advance() {
    if (dhcp_.state() == DhcpState::lost) lose_lease();
    if (step_ == ManagedStep::address) take_lease();
    if (step_ == ManagedStep::time) take_time();
    if (step_ == ManagedStep::file) take_file();
    if (step_ == ManagedStep::done) keep_lease();
}

void ManagedSetup::report(Line line, const std::string& text) { event_("managed", text, static_cast<uint32_t>(line)); }

void ManagedSetup::fail_step(bool needed, Line line, const std::string& why, void (ManagedSetup::*next)()) {
    report(line, why);
    if (!needed) return (this->*next)();
    dhcp_.forget();
    time_.forget();
    tftp_.forget();
    step_ = ManagedStep::failed;
    why_ = why;
}

void ManagedSetup::take_lease() {
    if (dhcp_.state() == DhcpState::failed)
        return fail_step(config_.needs_address, Line::no_lease, std::string("no address: ") + dhcp_.why(),
                         &ManagedSetup::begin_time);
    if (!dhcp_.has_lease()) return;
    report_lease();
    begin_time();
}

void ManagedSetup::report_lease() {
    const DhcpLease& lease = dhcp_.lease();
    report(Line::lease, "address " + address_text(lease.address) + " from " + address_text(lease.server));
}

/// A lease that has ended during set-up is not asked for again: a server that gives short ones could delay it forever.
void ManagedSetup::lose_lease() {
    ++figures_.lost_leases;
    const std::string why = std::string("address lost: ") + dhcp_.why();
    if (step_ == ManagedStep::done) {
        report(Line::lost_lease, why);
        return dhcp_.start();
    }
    dhcp_.forget();
    time_.forget();
    tftp_.forget();
    fail_step(config_.needs_address, Line::lost_lease, why,
              step_ == ManagedStep::time ? &ManagedSetup::begin_time : &ManagedSetup::begin_file);
}

/// After set-up.
void ManagedSetup::keep_lease() {
    if (dhcp_.has_lease() && !leased_) report_lease();
    leased_ = dhcp_.has_lease();
    if (dhcp_.state() != DhcpState::failed) return;
    if (retry_.expired(clock_.now)) return dhcp_.start();
    if (retry_.running()) return;
    report(Line::no_lease, std::string("no address: ") + dhcp_.why());
    retry_.start(clock_.now, clock_.from_ms(config_.longest_wait_ms));
}

void ManagedSetup::begin_time() {
    step_ = ManagedStep::time;
    if (!dhcp_.has_lease())
        return fail_step(config_.needs_time, Line::no_time, "no time: there is no address", &ManagedSetup::begin_file);
    time_.start(dhcp_.lease().address, dhcp_.lease().time_servers);
}

void ManagedSetup::take_time() {
    if (time_.state() == TimeClient::State::failed)
        return fail_step(config_.needs_time, Line::no_time, std::string("no time: ") + time_.why(),
                         &ManagedSetup::begin_file);
    const auto now_s = time_.now_s();
    if (!now_s) return;
    report(Line::time_of_day, "time " + std::to_string(*now_s) + " s since 1970 from " + address_text(time_.server()));
    begin_file();
}

void ManagedSetup::begin_file() {
    step_ = ManagedStep::file;
    const auto fail = [this](const char* why) {
        fail_step(config_.needs_file, Line::no_file, std::string("no configuration file: ") + why,
                  &ManagedSetup::finish);
    };
    if (config_.file_key.empty()) return fail("there is no key for its signature");
    if (!dhcp_.has_lease()) return fail("there is no address");
    const DhcpLease& lease = dhcp_.lease();
    if (lease.file.empty()) return fail("the DHCP server has given no file name");
    if (file_server(lease) == 0) return fail("the DHCP server has given no TFTP server");
    file_name_ = lease.file;
    reported_failures_ = 0;
    tftp_.start(lease.address, file_server(lease), lease.file);
}

void ManagedSetup::take_file() {
    if (tftp_.state() == TftpClient::State::complete) {
        auto file = read_configuration_file(tftp_.contents(), config_.file_key, mac_, time_.now_s());
        if (file) {
            file_ = std::move(*file);
            figures_.file = file_name_;
            report(Line::file, "configuration file " + name_text(file_name_) + ": " +
                                   std::to_string(file_.flows.size()) + " service flows");
            return finish();
        }
        ++figures_.refused_files;
        tftp_.refuse("the file was refused: " + file.error().reason);
    }
    if (tftp_.failures() != reported_failures_) {
        reported_failures_ = tftp_.failures();
        report(Line::download_failed, "configuration file " + name_text(file_name_) + ": " + tftp_.why());
    }
    if (tftp_.state() == TftpClient::State::failed)
        fail_step(config_.needs_file, Line::no_file, "no configuration file: " + tftp_.why(), &ManagedSetup::finish);
}

void ManagedSetup::finish() {
    step_ = ManagedStep::done;
    leased_ = dhcp_.has_lease();
    if (!leased_) dhcp_.forget();
}

ManagedFigures ManagedSetup::figures() const {
    ManagedFigures figures = figures_;
    figures.step = step_;
    figures.address = dhcp_.has_lease() ? dhcp_.lease().address : 0;
    figures.time_s = time_.now_s();
    return figures;
}

}  // namespace wimax::mac
