// SPDX-License-Identifier: GPL-3.0-or-later
// Random octets as a configuration file and as an assignment: faults, never a crash; what is accepted prints and
// reloads.
#include "common/config.h"

#include <cstdlib>

namespace {

struct Item {
    std::string mac;
    uint16_t rate = 0;
    std::vector<int> levels;
};
struct Everything {
    double bandwidth_hz = 5e6;
    uint64_t session = 0;
    std::optional<int> maybe;
    bool on = false;
    std::string name = "x";
    std::string role = "bs";
    std::vector<Item> items;
    std::vector<std::vector<uint8_t>> nested;
};

void bind(wimax::config::Schema& s, Everything& c) {
    s.number("phy.bandwidth_hz", c.bandwidth_hz, {1.25e6, 28e6}, "Hz", "bandwidth");
    s.number("phy.session", c.session, {}, "", "session");
    s.number("maybe", c.maybe, {-5, 5}, "", "optional");
    s.flag("on", c.on, "flag");
    s.text("name", c.name, "text");
    s.choice("role", c.role, {"bs", "ss"}, "role");
    s.list(
        "items", c.items,
        [](wimax::config::Schema& item, Item& i) {
            item.text("mac", i.mac, "address").required();
            item.number("rate", i.rate, {0, 6}, "", "rate");
            item.list(
                "levels", i.levels, [](wimax::config::Schema& leaf, int& v) { leaf.number("", v, {}, "", "level"); },
                "levels");
        },
        "items", 0, 16);
    s.list(
        "nested", c.nested,
        [](wimax::config::Schema& row, std::vector<uint8_t>& r) {
            row.list(
                "", r, [](wimax::config::Schema& leaf, uint8_t& v) { leaf.number("", v, {}, "", "cell"); }, "row");
        },
        "rows", 0, 16);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const size_t cut = all.find('\0');
    std::vector<std::string> assignments;
    if (cut != std::string_view::npos) assignments.emplace_back(all.substr(cut + 1));
    Everything config;
    wimax::config::Schema schema("fuzz");
    bind(schema, config);
    const auto faults = schema.load(all.substr(0, cut), "fuzz", assignments);
    (void)faults.lines();
    if (!faults.empty()) return 0;

    const std::string printed = schema.print();
    Everything again;
    wimax::config::Schema second("fuzz");
    bind(second, again);
    if (!second.load(printed, "printed").empty() || second.print() != printed) std::abort();
    return 0;
}
