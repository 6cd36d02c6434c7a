/* SPDX-License-Identifier: GPL-3.0-or-later */
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
                               std::shared_ptr<SaidPool> saids)
    : pkm(config, mac, basic_cid), primary_said(basic_cid), saids_(std::move(saids)) {
    sealers_.try_emplace(primary_said, [this] { return pkm.association(primary_said); });
}

StationPrivacy::~StationPrivacy() {
    for (const auto& [said, sealer] : sealers_)
        if (said != primary_said) saids_->give_back(said);
}

std::optional<uint16_t> StationPrivacy::add(Samples now, privacy::SaType type) {
    const auto said = saids_->take();
    if (!said) return std::nullopt;
    pkm.add_association(now, *said, type);
    sealers_.try_emplace(*said, [this, own = *said] { return pkm.association(own); });
    return said;
}

void StationPrivacy::announce_association(Samples now) {
    if (const auto said = add(now, privacy::SaType::fixed)) announced_.insert(*said);
}

std::optional<uint16_t> StationPrivacy::new_association(Samples now) {
    if (announced_.empty()) return add(now, privacy::SaType::dynamic);
    return announced_.extract(announced_.begin()).value();
}

void StationPrivacy::release(uint16_t said) {
    if (said == primary_said || sealers_.erase(said) == 0) return;
    pkm.remove_association(said);
    saids_->give_back(said);
}

PayloadSealer* StationPrivacy::sealer(uint16_t said) {
    const auto found = sealers_.find(said);
    return found == sealers_.end() ? nullptr : &found->second;
}

}  // namespace wimax::mac
