// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/ss/managed_entry.h"

#include "mac/capabilities.h"
#include "mac/pdu/cid.h"

namespace wimax::mac {
namespace {

constexpr uint32_t kCompleteTries = 16;  // TFTP-CPLT: 3 to 16 retries
constexpr double kArqRetryMs = 60;       // offered; the base station knows the length of its frames

ArqConfig offered_arq() {
    ArqConfig arq;
    arq.enable = true;
    arq.retry_timeout_ms = kArqRetryMs;
    return arq;
}

}  // namespace

ManagedEntry::ManagedEntry(const ManagedSubscriber& config, FeedbackTypes arq_feedback, const MacAddress& mac,
                           const Dependencies& dependencies)
    : config_(config),
      arq_feedback_(arq_feedback),
      to_(dependencies),
      setup_(config, mac, {to_.clock, to_.event, [this](Octets packet) {
                               auto& secondary = to_.management.secondary;
                               return secondary && secondary->push(packet, to_.clock.now);
                           }}) {}

void ManagedEntry::offer(RegReq& request) const {
    request.managed = config_.offered ? capability::kManaged : uint8_t{0};
    request.ip_version = capability::kIpv4;
    if (!config_.offered) return;
    request.ip_mode = capability::kIpManaged;
    if (config_.arq) put_arq(offered_arq(), request.secondary_arq.emplace());
}

bool ManagedEntry::open(const RegRsp& answer, uint16_t basic_cid, uint16_t primary_cid) {
    const uint16_t cid = answer.secondary_cid.value_or(0);
    const bool managed = config_.offered && answer.managed.value_or(0) == capability::kManaged;
    if (!managed || !cid::may_be_transport(cid) || cid == basic_cid || cid == primary_cid) {
        if (config_.offered) to_.event("managed", "the base station gives no secondary management connection");
        return false;
    }
    SecondaryConnection::Terms terms{cid, {}, arq_feedback_};
    if (config_.arq && answer.secondary_arq) terms.arq = arq_of(*answer.secondary_arq);
    if (terms.arq.enable && terms.arq.retry_timeout_ms == 0) terms.arq.retry_timeout_ms = kArqRetryMs;
    if (to_.privacy.active()) {
        terms.said = basic_cid;
        terms.sealer = to_.privacy.sealer(basic_cid);
    }
    to_.management.secondary = std::make_unique<SecondaryConnection>(terms, to_.clock.sample_rate_hz);
    primary_cid_ = primary_cid;
    sent_ = 0;
    response_.reset();
    t26_.stop();
    setup_.start();
    return true;
}

ManagedEntry::Progress ManagedEntry::fail(const std::string& why) {
    why_ = why;
    return Progress::failed;
}

ManagedEntry::Progress ManagedEntry::run() {
    if (!to_.management.secondary) return Progress::complete;
    setup_.run_timers();
    if (response_) return *response_ == 0 ? Progress::complete : fail("TFTP-RSP refuses the configuration file");
    if (setup_.step() == ManagedStep::failed) return fail(setup_.why());
    if (setup_.step() != ManagedStep::done) return Progress::waiting;
    return sent_ == 0 || t26_.expired(to_.clock.now) ? send_complete() : Progress::waiting;
}

ManagedEntry::Progress ManagedEntry::send_complete() {
    if (sent_++ == kCompleteTries) return fail("no TFTP-RSP (T26)");
    TftpCplt message;
    message.hmac = HmacTuple{};
    to_.management.queue.push(primary_cid_, message);
    t26_.start(to_.clock.now, to_.clock.from_ms(config_.t26_ms));
    return Progress::waiting;
}

void ManagedEntry::on_response(const TftpRsp& rsp) {
    if (sent_ > 0 && !response_) response_ = rsp.response;
}

void ManagedEntry::request_flows() {
    for (const auto& flow : setup_.flows())
        if (!to_.agent.add(flow, FlowState::active, 0))
            to_.event("managed", "a service flow of the configuration file is not requested: too many at once");
}

void ManagedEntry::forget() {
    setup_.forget();
    t26_.stop();
    sent_ = 0;
    response_.reset();
}

}  // namespace wimax::mac
