// SPDX-License-Identifier: GPL-3.0-or-later
#include "vrf/front_keys.h"

#include "channel/radio_front_fields.h"

namespace wimax::vrf {
namespace {

struct Declare {
    config::Schema& schema;
    const std::string& prefix;
    bool lo_offset;

    template <class T, class Bound>
    void operator()(const std::string& key, T& target, Bound low, Bound high, const char* unit,
                    const char* help) const {
        if (key != "lo_offset_hz" || lo_offset)
            schema.number(prefix + key, target, {double(low), double(high)}, unit, help);
    }
    void operator()(const std::string& key, channel::PhaseMask& mask, const char* help) const {
        schema.value(
            prefix + key,
            [&mask](std::string_view text) {
                mask.clear();
                if (text.empty()) return true;
                auto parsed = channel::parse_phase_mask(std::string(text));
                if (parsed) mask = std::move(*parsed);
                return parsed.has_value();
            },
            [&mask] { return config::quote(channel::print_phase_mask(mask)); },
            "OFFSET_HZ:DBC_PER_HZ with commas between, ascending; or empty", "", help);
    }
};

}  // namespace

void declare_front(config::Schema& schema, const std::string& prefix, channel::FrontConfig& front, bool lo_offset) {
    channel::visit_front(Declare{schema, prefix, lo_offset}, front);
    schema.check([&front, prefix](config::LocatedFaults& faults) {
        auto checked = channel::check(front);
        if (checked) return;
        checked.error().key = prefix + checked.error().key;
        faults.add(checked.error());
    });
}

}  // namespace wimax::vrf
