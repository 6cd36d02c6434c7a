// SPDX-License-Identifier: GPL-3.0-or-later
// Random octets as a tap file: a fault with its reason, or a channel within its limits.
#include "channel/channel_profile.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace {

using namespace wimax::channel;

void require(bool condition) {
    if (!condition) std::abort();
}

void require_limits(const ChannelProfile& profile) {
    require(!profile.taps.empty() && profile.taps.size() <= kMaxTaps);
    double power = 0;
    for (const auto& tap : profile.taps) {
        require(tap.delay_s >= 0 && tap.delay_s <= kMaxTapDelayS * (1 + 1e-9));
        require(tap.k_factor >= 0 && tap.k_factor <= 1e6);
        require(tap.doppler_hz >= 0 && tap.doppler_hz <= kMaxDopplerHz);
        power += tap.power;
    }
    require(std::abs(power - 1) < 1e-9);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const int fd = ::memfd_create("taps", MFD_CLOEXEC);
    static const std::string path = "/proc/self/fd/" + std::to_string(fd);
    require(::ftruncate(fd, 0) == 0 && ::pwrite(fd, data, size, 0) == static_cast<ssize_t>(size));
    const auto profile = load_profile(path);
    if (!profile) require(!profile.error().str().empty());
    if (profile) require_limits(*profile);
    return 0;
}
