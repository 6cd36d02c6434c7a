// SPDX-License-Identifier: GPL-3.0-or-later
// The mock USRP, where UHD looks for devices: once for a program, however many of its files use it.
#include "radio/test_mock_usrp.h"

#include <uhd/utils/static.hpp>

namespace gr::wimax::test {
namespace {

UHD_STATIC_BLOCK(register_mock_usrp) {
    uhd::device::register_device(
        [](const uhd::device_addr_t& hint) -> uhd::device_addrs_t {
            if (hint.get("type", "") != "mock") return {};
            return {hint};
        },
        [](const uhd::device_addr_t&) -> uhd::device::sptr {
            auto made = std::make_shared<MockUsrp>(MockUsrp::next);
            MockUsrp::latest = made;
            return made;
        },
        uhd::device::USRP);
}

}  // namespace
}  // namespace gr::wimax::test
