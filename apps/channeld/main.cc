/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * wimax-channeld: the air between virtual radios.
 */
#include <fmt/format.h>
#include "common/stop.h"

#include "channeld/server.h"

int main(int argc, char** argv) {
    using namespace wimax;
    channeld::ChannelConfig config;
    auto schema = channeld::schema_of(config);
    if (const auto done = config::configure(argc, argv, schema, [&] { return channeld::derived_of(config); }))
        return *done;
    StopSignal stop;
    const auto fail = [](const std::string& fault) {
        fmt::print(stderr, "wimax-channeld: {}\n", fault);
        return 2;
    };
    if (const auto fault = log::start(config.log); !fault.empty()) return fail(fault);
    {
        channeld::Server server(config, [&stop] { stop.raise(); });
        if (const auto fault = server.open(); !fault.empty()) return fail(fault);
        server.run([&stop] { return stop.raised(); }, stop.fd());
    }
    log::stop();
    return 0;
}
