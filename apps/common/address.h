// SPDX-License-Identifier: GPL-3.0-or-later
// Where the programs of one host meet: sockets in a runtime folder of the user, each served by one process at a time.
#pragma once

#include "common/exit_status.h"
#include "common/safe_files.h"

#include <tl/expected.hpp>

#include <string>
#include <vector>

namespace wimax {

/// Placeholder of the runtime folder in addresses of configurations: "ipc://{run}/bs.sap".
inline constexpr const char* kRuntimeMark = "{run}";

/// WIMAX_RUN if set; /run/wimax for root; else wimax in XDG_RUNTIME_DIR or /run/user/UID, and /tmp/wimax-UID without
/// either. Under sudo it is the folder of the calling user: some programs of a station need root, others do not, and
/// they meet there. Another user may have made it: AddressClaim::take() and check_server() check it.
std::string runtime_folder();
/// The address with the folder in the mark's place.
std::string expand_address(const std::string& address);
/// Path of the UNIX socket of an expanded address (a path, shm:/path or ipc:///path); empty: no such address.
std::string socket_path(const std::string& address);

/// For a client: no other user can serve an expanded address. Makes the runtime folder if it is missing, so that no
/// other user makes it. Refuses folders as SafeFolder does, and anything but a socket of a trusted user.
Outcome check_server(const std::string& address);

/// The right of one process to serve an address of this machine: a file "PATH.lock" next to the socket, which no other
/// user can open. The destructor removes both. The kernel refuses other addresses (tcp) that are in use.
class AddressClaim {
public:
    AddressClaim() = default;
    AddressClaim(AddressClaim&&) = default;
    AddressClaim& operator=(AddressClaim&& other) noexcept;
    ~AddressClaim();

    /// `address` expanded. Makes the runtime folder if the address is in it, and removes the socket of a killed
    /// process. The fault of an address that another process serves names it (ExitStatus::served_already).
    static tl::expected<AddressClaim, DaemonFault> take(const std::string& address);

    /// Address to bind to: the address, or under sudo the same place by the descriptor of the caller's folder.
    const std::string& address() const { return address_; }
    /// User whose file rights the socket is made with (ActingAs): under sudo the caller, who may connect, too.
    uid_t acting_for() const { return folder_.acting_for(); }

private:
    tl::expected<void, DaemonFault> take_lock(const std::string& address);

    SafeFolder folder_;
    std::string name_, address_;
    Descriptor lock_;
};

}  // namespace wimax
