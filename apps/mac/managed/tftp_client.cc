// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/managed/tftp_client.h"

#include "common/printable.h"

#include <utility>

namespace wimax::mac {
namespace {

enum TftpKind : uint16_t { read_request = 1, data_packet = 3, acknowledgement = 4, error_packet = 5 };
constexpr uint16_t kDiskFull = 3;
constexpr size_t kTftpHeaderOctets = 4, kMostErrorText = 80;

std::string error_text(uint16_t code, Octets text) {
    std::string read;
    for (size_t i = 0; i < text.size() && i < kMostErrorText && text[i] != 0; ++i)
        read.push_back(static_cast<char>(text[i]));
    return "the TFTP server reported error " + std::to_string(code) + (read.empty() ? "" : ": " + printable(read));
}

}  // namespace

TftpClient::TftpClient(const ManagedSubscriber& config, Dependencies dependencies)
    : config_(config), clock_(dependencies.clock), send_(std::move(dependencies.send)), wait_(config_, clock_) {}

void TftpClient::start(uint32_t own_address, uint32_t server, const std::string& file) {
    forget();
    own_address_ = own_address;
    server_ = server;
    file_ = file;
    download();
}

void TftpClient::forget() {
    state_ = State::off;
    downloads_ = failures_ = 0;
    file_.clear();
    why_.clear();
    contents_.clear();
    wait_.stop();
}

void TftpClient::download() {
    ++downloads_;
    state_ = State::downloading;
    port_ = static_cast<uint16_t>(kFirstPort + (port_ - kFirstPort + 1) % kPorts);
    server_port_.reset();
    last_block_ = 0;
    repeats_ = 0;
    contents_.clear();
    wait_.reset();
    packet_.clear();
    BitWriter out(packet_);
    out.put(read_request, 16);
    packet_.insert(packet_.end(), file_.begin(), file_.end());
    packet_.push_back(0);
    for (const char c : std::string("octet")) packet_.push_back(static_cast<uint8_t>(c));
    packet_.push_back(0);
    requests_ = 0;
    send_again();
}

void TftpClient::send(uint32_t kind, uint32_t value) {
    packet_.clear();
    BitWriter out(packet_);
    out.put(kind, 16);
    out.put(value, 16);
    if (kind == error_packet) packet_.push_back(0);  // no text
    requests_ = 0;
    wait_.reset();
    send_again();
}

void TftpClient::send_again() {
    ++requests_;
    // Without room the packet is lost, as others are on their way.
    (void)send_({own_address_, server_, port_, server_port_.value_or(kServerPort), packet_});
    wait_.start();
}

void TftpClient::fail(const std::string& why) {
    ++failures_;
    why_ = why;
    contents_.clear();
    wait_.stop();
    state_ = downloads_ < config_.file_download_tries ? State::pausing : State::failed;
    if (state_ == State::pausing) wait_.start(config_.file_pause_ms);
}

bool TftpClient::receive(const UdpDatagram& datagram) {
    if ((state_ != State::downloading && state_ != State::complete) || datagram.source != server_ ||
        datagram.destination != own_address_ || datagram.destination_port != port_ || datagram.source_port == 0 ||
        (server_port_ && datagram.source_port != *server_port_) || datagram.payload.size() < kTftpHeaderOctets)
        return false;
    switch (BitReader(datagram.payload).get16()) {
        case data_packet: return take_data(datagram.payload.subspan(2), datagram.source_port);
        case error_packet: return state_ == State::downloading && take_error(datagram.payload.subspan(2));
        default: return false;
    }
}

bool TftpClient::take_data(Octets data, uint16_t port) {
    const uint16_t block = BitReader(data).get16();
    data = data.subspan(2);
    if (data.size() > kBlockOctets) return false;
    if (state_ == State::complete) {  // the server did not receive the last acknowledgement
        if (block != last_block_ || ++repeats_ >= config_.file_request_tries) return false;
        (void)send_({own_address_, server_, port_, *server_port_, packet_});
        return true;
    }
    // An old block is not acknowledged again: the own wait repeats the acknowledgement.
    if (block != last_block_ + 1) return false;
    server_port_ = port;
    if (contents_.size() + data.size() > kMostOctets) {
        send(error_packet, kDiskFull);
        fail("the file is longer than " + std::to_string(kMostOctets) + " bytes");
        return true;
    }
    contents_.insert(contents_.end(), data.begin(), data.end());
    last_block_ = block;
    send(acknowledgement, block);
    if (data.size() < kBlockOctets) {
        state_ = State::complete;
        wait_.stop();
    }
    return true;
}

bool TftpClient::take_error(Octets error) {
    fail(error_text(BitReader(error).get16(), error.subspan(2)));
    return true;
}

void TftpClient::run_timers() {
    if ((state_ != State::downloading && state_ != State::pausing) || !wait_.over()) return;
    if (state_ == State::pausing) return download();
    if (requests_ < config_.file_request_tries) return send_again();
    fail("the TFTP server did not respond");
}

}  // namespace wimax::mac
