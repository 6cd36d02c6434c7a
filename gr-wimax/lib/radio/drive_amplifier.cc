// SPDX-License-Identifier: GPL-3.0-or-later
#include "radio/drive_amplifier.h"

#include "radio/refusal.h"

#include <uhd/exception.hpp>

namespace gr::wimax {
namespace {

void check_time(std::vector<phy::Fault>& faults, const char* key, double us) {
    if (!(us >= 0 && us <= kMaxAmplifierLeadUs))
        faults.push_back(phy::out_of_range(key, number_text(us), "0", number_text(kMaxAmplifierLeadUs)));
}

std::string banks_of(uhd::usrp::multi_usrp& usrp) {
    std::string all;
    for (const auto& bank : usrp.get_gpio_banks(0)) all += (all.empty() ? "" : ", ") + bank;
    return all.empty() ? "none" : all;
}

}  // namespace

std::vector<phy::Fault> amplifier_faults(const AmplifierLine& amplifier) {
    std::vector<phy::Fault> faults;
    if (amplifier.lines > kMaxGpioLines)
        faults.push_back(
            phy::out_of_range("lines", std::to_string(amplifier.lines), "0", std::to_string(kMaxGpioLines)));
    if (amplifier.driven() && amplifier.lines == 0)
        faults.push_back({"lines", "0", "with a bank: a bit for each line, 1 for the first"});
    if (!amplifier.driven() && amplifier.lines != 0)
        faults.push_back({"bank", "(empty)", "with lines: the GPIO bank that has them, for instance FP0"});
    check_time(faults, "lead_us", amplifier.lead_us);
    check_time(faults, "lag_us", amplifier.lag_us);
    check_time(faults, "receive_after_us", amplifier.receive_after_us);
    return faults;
}

TurnTimes turn_times(const AmplifierLine& amplifier, double edge_us) {
    if (!amplifier.driven()) return {};
    return {amplifier.lead_us + edge_us, edge_us + amplifier.lag_us + amplifier.receive_after_us};
}

void drive_amplifier(uhd::usrp::multi_usrp& usrp, const AmplifierLine& amplifier) {
    if (!amplifier.driven()) return;
    const uint32_t lines = amplifier.lines, on = amplifier.active_high ? lines : 0, off = lines & ~on;
    const auto set = [&](const char* attribute, uint32_t value) {
        usrp.set_gpio_attr(amplifier.bank, attribute, value, lines);
    };
    try {
        set("CTRL", lines);  // first: ATR levels of manually controlled lines are ignored
        set("ATR_0X", off);
        set("ATR_RX", off);
        set("ATR_TX", on);
        set("ATR_XX", on);
        set("DDR", lines);  // last: they have been inputs until now
    } catch (const std::exception& e) {
        refuse("amplifier bank '" + amplifier.bank + "': " + e.what() + "; the device has " + banks_of(usrp));
    }
}

std::string describe(const AmplifierLine& amplifier) {
    if (!amplifier.driven()) return "none";
    return amplifier.bank + " lines " + std::to_string(amplifier.lines) + (amplifier.active_high ? ", high" : ", low") +
           " while it sends, " + number_text(amplifier.lead_us) + " us before and " + number_text(amplifier.lag_us) +
           " us after a burst";
}

}  // namespace gr::wimax
