/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the programs of one host meet: sockets in a runtime folder of the user, each served by one process at a time.
 */
#pragma once

#include "common/exit_status.h"

#include <tl/expected.hpp>

#include <string>
#include <vector>

namespace wimax {

/// What stands for the runtime folder in addresses of configurations: "ipc://{run}/bs.sap".
inline constexpr const char* kRuntimeMark = "{run}";

/// WIMAX_RUN where it is set; /run/wimax for root; else wimax in XDG_RUNTIME_DIR or /run/user/UID, and /tmp/wimax-UID
/// where there is neither. Under sudo it is that of the user who called it: some programs of a station need root,
/// others do not, and they meet there.
std::string runtime_folder();
/// The address with the folder in the mark's place.
std::string expand_address(const std::string& address);
/// Of the UNIX socket behind an expanded address (a path, shm:/path or ipc:///path); empty: it is no such address.
std::string socket_path(const std::string& address);

/// The right to serve an address of this machine, held by one process at a time: a file "PATH.lock" beside the socket.
/// With it go the socket and the file. Other addresses (tcp) are the kernel's to refuse.
class Claim {
public:
    Claim() = default;
    Claim(Claim&& other) noexcept { swap(other); }
    Claim& operator=(Claim&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Claim();

    /// `address` expanded. Makes the runtime folder where the address lies in it, and removes a socket that a killed
    /// process left. The fault names the process that serves the address already; its status says so, too.
    static tl::expected<Claim, DaemonFault> take(const std::string& address);
    /// Of a socket that is there by now: under sudo the user who called it may connect, too.
    void give_to_caller() const;

private:
    void swap(Claim& other) noexcept;

    std::string path_;
    int lock_ = -1;
};

}  // namespace wimax
