// SPDX-License-Identifier: GPL-3.0-or-later
#include "tools/cli/front_options.h"
#include "channel/radio_front_fields.h"
#include "tools/cli/command.h"

#include <algorithm>

namespace wimax::cli {
namespace {

std::string option_of(std::string key) {
    std::ranges::replace(key, '_', '-');
    return "--" + key;
}

struct AddOption {
    CLI::App& command;

    template <class T, class Bound>
    void operator()(const char* key, T& target, Bound low, Bound high, const std::string& unit,
                    const std::string& help) const {
        command.add_option(option_of(key), target, help + (unit.empty() ? "" : " [" + unit + "]"))
            ->transform(within(low, high))
            ->capture_default_str()
            ->group("Radio");
    }
    void operator()(const char* key, channel::PhaseMask& mask, const std::string& help) const {
        const auto take = [&mask](const std::string& text) {
            if (auto parsed = channel::parse_phase_mask(text)) mask = std::move(*parsed);
        };
        const auto fault = [](const std::string& text) {
            const auto parsed = channel::parse_phase_mask(text);
            return parsed ? std::string() : "'" + text + "'; allowed: " + parsed.error().allowed;
        };
        command.add_option_function<std::string>(option_of(key), take, help)->check(fault)->group("Radio");
    }
};

}  // namespace

void add_front(CLI::App& command, FrontOptions& options) {
    command.add_option("--front", options.end, "which radio the following options describe")
        ->check(CLI::IsMember({"receiver", "transmitter", "both"}))
        ->capture_default_str()
        ->group("Radio");
    channel::visit_front(AddOption{command}, options.config);
}

Outcome check(const FrontOptions& options) {
    auto checked = channel::check(options.config);
    if (checked) return {};
    checked.error().key = option_of(checked.error().key);
    return tl::unexpected(checked.error());
}

}  // namespace wimax::cli
