// SPDX-License-Identifier: GPL-3.0-or-later
#include <gnuradio/wimax/signal_tap.h>

#include <gnuradio/wimax/phy/carriers/ofdm.h>
#include <gnuradio/wimax/phy/stc/stc.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numbers>
#include <numeric>

namespace gr::wimax {
namespace {

constexpr size_t kBlock = phy::kFftSize;
constexpr size_t kMostCarriers = 2 * 201;  // of two antennas
constexpr float kNothing = 1e-20F;         // -200 dBFS

void reserve(BurstPicture& picture) {
    picture.points.reserve(SignalTap::kMostPoints);
    picture.response.reserve(kMostCarriers);
}

/// True for bursts of one sender. The DIUC distinguishes downlink bursts.
bool same_source(const BurstPicture& a, const BurstPicture& b) {
    const bool downlink = a.direction == phy::Direction::downlink;
    return a.direction == b.direction && a.kind == b.kind && a.cid == b.cid &&
           (!downlink || (a.format.iuc == b.format.iuc && (a.index == 1) == (b.index == 1)));
}

/// Interval of collected points. It has no divisor in common with the carriers, so that each is collected in turn.
size_t stride_of(const phy::SymbolObservation& seen) {
    const size_t all = seen.points.size() * static_cast<size_t>(std::max(seen.format.data_symbols, 1));
    size_t stride = (all + SignalTap::kMostPoints - 1) / SignalTap::kMostPoints;
    while (std::gcd(std::max<size_t>(stride, 1), seen.points.size()) > 1) ++stride;
    return std::max<size_t>(stride, 1);
}

}  // namespace

struct SignalTap::Impl {
    struct Slot {
        BurstPicture picture;
        uint64_t age = 0;  ///< number of the burst; 0: empty
    };

    std::atomic<bool> watched{false};
    // The receiver's own.
    BurstPicture at_hand;
    int burst_index = -1;
    size_t seen_points = 0;
    uint64_t bursts = 0;
    std::vector<phy::Complex> look = std::vector<phy::Complex>(kBlocks * kBlock);
    size_t block = 0, filled = 0;
    int64_t part = 0;      ///< samples between the blocks' places
    int64_t position = 0;  ///< in the part at hand

    mutable std::mutex mutex;  ///< the receiver only tries it
    std::vector<Slot> slots = std::vector<Slot>(kMostSources);
    std::vector<phy::Complex> last_look = std::vector<phy::Complex>(kBlocks * kBlock);
    bool looked = false;

    mutable std::mutex spectrum_mutex;  ///< of those who ask
    mutable phy::OfdmTransform transform;

    /// Position of a block in its part: a different one each time, so that all of a frame is covered.
    int64_t place() const {
        const double golden = std::numbers::phi - 1;
        const double turn = static_cast<double>(block) * golden;
        return static_cast<int64_t>((turn - std::floor(turn)) *
                                    static_cast<double>(part - static_cast<int64_t>(kBlock)));
    }
    void hand_over_look() {
        const std::unique_lock guard(mutex, std::try_to_lock);
        if (!guard) return;
        look.swap(last_look);
        looked = true;
    }
};

SignalTap::SignalTap(int64_t sample_rate_hz) : impl_(std::make_unique<Impl>()) {
    impl_->part = std::max<int64_t>(sample_rate_hz / (kLooksPerSecond * static_cast<int64_t>(kBlocks)), 2 * kBlock);
    reserve(impl_->at_hand);
    for (auto& slot : impl_->slots) reserve(slot.picture);
}
SignalTap::~SignalTap() = default;

bool SignalTap::watched() const { return impl_->watched.load(std::memory_order_relaxed); }

void SignalTap::watch(bool on) {
    if (on == watched()) return;
    const std::lock_guard guard(impl_->mutex);
    for (auto& slot : impl_->slots) slot.age = 0;
    impl_->looked = false;
    impl_->watched = on;
}

std::vector<BurstPicture> SignalTap::bursts() const {
    std::vector<BurstPicture> all;
    const std::lock_guard guard(impl_->mutex);
    for (const auto& slot : impl_->slots)
        if (slot.age > 0) all.push_back(slot.picture);
    return all;
}

std::vector<float> SignalTap::spectrum_dbfs() const {
    std::vector<phy::Complex> samples;
    {
        const std::lock_guard guard(impl_->mutex);
        if (!impl_->looked) return {};
        samples = impl_->last_look;
    }
    // A Hann window, of mean power 1.
    std::array<float, kBlock> window{};
    for (size_t i = 0; i < kBlock; ++i) {
        const double turn = 2 * std::numbers::pi * static_cast<double>(i) / kBlock;
        window[i] = static_cast<float>((1 - std::cos(turn)) * std::sqrt(2.0 / 3.0));
    }
    const std::lock_guard guard(impl_->spectrum_mutex);
    std::array<phy::Complex, kBlock> bins{};
    std::vector<float> power(kBlock);
    const float scale = 1 / (kBlock * kBlock * phy::kDemodulateScale * phy::kDemodulateScale * kBlocks);
    for (size_t b = 0; b < kBlocks; ++b) {
        const auto body = std::span(samples).subspan(b * kBlock).first<kBlock>();
        for (size_t i = 0; i < kBlock; ++i) body[i] *= window[i];
        impl_->transform.demodulate(body, bins);
        for (size_t i = 0; i < kBlock; ++i) power[(i + kBlock / 2) % kBlock] += scale * std::norm(bins[i]);
    }
    for (float& p : power) p = 10 * std::log10(std::max(p, kNothing));
    return power;
}

void SignalTap::begin_frame() { impl_->burst_index = -1; }

void SignalTap::on_symbol(const phy::SymbolObservation& seen) {
    // A frame prefix, that of the frame or of an STC zone, is no burst.
    if (seen.direction == phy::Direction::downlink && seen.burst_index % phy::kStcZoneIndex == 0) return;
    auto& picture = impl_->at_hand;
    if (seen.burst_index != impl_->burst_index) {
        picture.points.clear();
        impl_->burst_index = seen.burst_index;
        impl_->seen_points = 0;
    }
    const size_t stride = stride_of(seen);
    const size_t first = (stride - impl_->seen_points % stride) % stride;
    for (size_t i = first; i < seen.points.size() && picture.points.size() < kMostPoints; i += stride)
        picture.points.push_back(seen.points[i]);
    impl_->seen_points += seen.points.size();
    picture.response.assign(seen.response.begin(), seen.response.end());
    const size_t n = std::min(seen.second_response.size(), kMostCarriers - picture.response.size());
    picture.response.insert(picture.response.end(), seen.second_response.begin(),
                            seen.second_response.begin() + static_cast<std::ptrdiff_t>(n));
}

void SignalTap::end_burst(const BurstReport& report) {
    auto& picture = impl_->at_hand;
    const bool seen = impl_->burst_index == report.burst.index && report.burst.detected && !picture.points.empty();
    impl_->burst_index = -1;
    if (!seen) return;
    picture.direction = report.direction;
    picture.frame_number = report.frame_number;
    picture.kind = report.kind;
    picture.cid = report.cid;
    picture.index = report.burst.index;
    picture.format = report.burst.format;
    picture.fec_ok = report.burst.fec_ok;
    picture.measured = report.burst.measured;
    const std::unique_lock guard(impl_->mutex, std::try_to_lock);
    if (!guard) return;
    auto& slots = impl_->slots;
    auto slot = std::find_if(slots.begin(), slots.end(),
                             [&](const auto& s) { return s.age > 0 && same_source(s.picture, picture); });
    if (slot == slots.end())
        slot = std::min_element(slots.begin(), slots.end(), [](const auto& a, const auto& b) { return a.age < b.age; });
    std::swap(slot->picture, picture);
    slot->age = ++impl_->bursts;
}

void SignalTap::on_samples(std::span<const phy::Complex> samples) {
    auto& m = *impl_;
    while (!samples.empty()) {
        const int64_t begin = m.place() + static_cast<int64_t>(m.filled);  // of the samples that the block still needs
        const int64_t wanted = m.filled < kBlock ? begin : m.part;
        const auto skipped =
            static_cast<size_t>(std::clamp<int64_t>(wanted - m.position, 0, static_cast<int64_t>(samples.size())));
        samples = samples.subspan(skipped);
        m.position += static_cast<int64_t>(skipped);
        if (m.filled < kBlock) {
            const size_t n = std::min(samples.size(), kBlock - m.filled);
            std::copy_n(samples.begin(), n, m.look.begin() + static_cast<std::ptrdiff_t>(m.block * kBlock + m.filled));
            m.filled += n;
            m.position += static_cast<int64_t>(n);
            samples = samples.subspan(n);
        }
        if (m.position < m.part || m.filled < kBlock) continue;
        m.position = 0;
        m.filled = 0;
        if (++m.block < kBlocks) continue;
        m.block = 0;
        m.hand_over_look();
    }
}

}  // namespace gr::wimax
