// SPDX-License-Identifier: GPL-3.0-or-later
// wimax-channeld: the air between virtual radios.
#include "channeld/server.h"
#include "common/daemon.h"

int main(int argc, char** argv) {
    using namespace wimax;
    channeld::ChannelConfig config;
    auto schema = channeld::schema_of(config);
    const auto work = [&config](DaemonParts& parts) -> tl::expected<void, DaemonFault> {
        channeld::Server server(config, parts.control, parts.status);
        if (const auto opened = server.open(); !opened) return tl::unexpected(opened.error());
        server.run([&parts] { return parts.stop.raised(); }, parts.stop.fd());
        return {};
    };
    return run_daemon(
        argc, argv, schema, config.daemon, [&] { return channeld::derived_of(config); }, work);
}
