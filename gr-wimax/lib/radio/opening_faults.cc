// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/opening_faults.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace gr::wimax {
namespace {

struct Known {
    std::string_view words;  ///< part of the driver's text, in any case
    bool again;
    std::string_view advice;  ///< ARGS: the device arguments
};

// The first match is used. Texts are those of UHD 4.3's drivers.
constexpr std::array kKnown{
    Known{"claimed by another process", true, "another program has the device"},
    Known{"libusb_error_busy", true, "another program has the device"},
    Known{"could not find path for image", false, "images are missing; type: sudo uhd_images_downloader"},
    Known{"expected firmware compatibility", false,
          "images are of another version of UHD; type: sudo uhd_images_downloader, then plug the device out and in"},
    Known{"mpm major compat", false,
          "the device's MPM is of another version; write this version's file system to it: sudo uhd_images_downloader "
          "-t mender -t n3xx, then on the device: mender install usrp_n3xx_fs.mender"},
    Known{"fpga compat", false,
          "the FPGA's image is of another version of UHD; type: sudo uhd_images_downloader && uhd_image_loader --args "
          "'ARGS', then restart the device"},
    Known{
        "insufficient permissions", false,
        "no rights for the USB device; type: sudo cp /usr/libexec/uhd/utils/uhd-usrp.rules /etc/udev/rules.d/ && sudo "
        "udevadm control --reload-rules && sudo udevadm trigger"},
    Known{
        "libusb_error_access", false,
        "no rights for the USB device; type: sudo cp /usr/libexec/uhd/utils/uhd-usrp.rules /etc/udev/rules.d/ && sudo "
        "udevadm control --reload-rules && sudo udevadm trigger"},
};

std::string with_args(std::string_view advice, const std::string& args) {
    std::string text(advice);
    constexpr std::string_view kArgs = "ARGS";
    if (const size_t at = text.find(kArgs); at != std::string::npos) text.replace(at, kArgs.size(), args);
    return text;
}

}  // namespace

OpeningFault opening_fault(const std::string& driver_text, const std::string& device_args) {
    std::string small = driver_text;
    std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const auto& known : kKnown)
        if (small.find(known.words) != std::string::npos) return {known.again, with_args(known.advice, device_args)};
    return {true, "'uhd_find_devices' lists what is there, the virtual radio needs wimax-channeld and UHD_MODULE_PATH"};
}

}  // namespace gr::wimax
