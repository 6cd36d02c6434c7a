// SPDX-License-Identifier: GPL-3.0-or-later
#include "mac/bs/station_privacy.h"

namespace wimax::mac {

std::optional<uint16_t> SaidPool::take() {
    const size_t all = size_t{kLast} - first_ + 1;
    if (taken_.size() >= all) return std::nullopt;
    const auto after = [this](uint16_t said) { return said == kLast ? first_ : static_cast<uint16_t>(said + 1); };
    while (taken_.contains(next_)) next_ = after(next_);
    const uint16_t said = next_;
    next_ = after(said);
    taken_.insert(said);
    return said;
}

StationPrivacy::StationPrivacy(const privacy::PkmServerConfig& config, const MacAddress& mac, uint16_t basic_cid,
                               const FrameClock& clock, std::shared_ptr<SaidPool> saids)
    : pkm(config, mac, basic_cid), primary_said(basic_cid), clock_(clock), saids_(std::move(saids)) {}

StationPrivacy::~StationPrivacy() {
    for (const uint16_t said : own_) saids_->give_back(said);
}

std::optional<uint16_t> StationPrivacy::add(privacy::SaType type) {
    const auto said = saids_->take();
    if (!said) return std::nullopt;
    own_.insert(*said);
    pkm.add_association(clock_.now, *said, type);
    return said;
}

void StationPrivacy::announce_association() {
    if (const auto said = add(privacy::SaType::fixed)) announced_.insert(*said);
}

std::optional<uint16_t> StationPrivacy::new_association() {
    if (announced_.empty()) return add(privacy::SaType::dynamic);
    return announced_.extract(announced_.begin()).value();
}

void StationPrivacy::release(uint16_t said) {
    if (own_.erase(said) == 0) return;
    sealers_.erase(said);
    pkm.remove_association(said);
    saids_->give_back(said);
}

PayloadSealer* StationPrivacy::sealer(uint16_t said) {
    const auto find = [this, said] { return pkm.association(said); };
    return &sealers_.try_emplace(said, find, suite(), clock_.frame).first->second;
}

}  // namespace wimax::mac
