// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/address.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

namespace wimax {
namespace {

constexpr mode_t kLockMode = 0600;  // any user that can open the file could take its lock
constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
constexpr int kLockTries = 8;  // each fails only when another process ended in that moment

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

bool is_folder(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
}

tl::unexpected<DaemonFault> refusal(const std::string& address, std::string reason, ExitStatus status) {
    return tl::unexpected(DaemonFault{{address, {}, std::move(reason)}, status});
}

pid_t holder(const Descriptor& lock) {
    char text[32] = {};
    const auto n = ::pread(lock.get(), text, sizeof text - 1, 0);
    return n > 0 ? static_cast<pid_t>(std::strtol(text, nullptr, 10)) : 0;
}

std::string name_of(pid_t process) {
    return process > 0 ? "process " + std::to_string(process) : std::string("another process");
}

bool is_same(const struct stat& one, const struct stat& other) {
    return one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

/// False: the file was removed after it was opened, and locks nothing any more.
bool still_there(const Descriptor& lock, const SafeFolder& folder, const std::string& name) {
    struct stat opened {};
    const auto named = folder.status_of(name);
    return ::fstat(lock.get(), &opened) == 0 && named && is_same(opened, *named);
}

/// Whether the process has this file open; true as well where its descriptors cannot be seen.
bool has_open(pid_t process, const Descriptor& file) {
    struct stat wanted {
    }, owner{};
    const std::string folder = "/proc/" + std::to_string(process);
    if (process <= 0 || ::fstat(file.get(), &wanted) != 0 || ::stat(folder.c_str(), &owner) != 0) return false;
    if (!is_trusted(owner.st_uid)) return false;
    std::error_code hidden;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/fd", hidden)) {
        struct stat seen {};
        if (::stat(entry.path().c_str(), &seen) == 0 && is_same(seen, wanted)) return true;
    }
    return static_cast<bool>(hidden);
}

/// Opens the folder of `path`; makes the runtime folder if it is missing.
tl::expected<SafeFolder, Fault> folder_of(const std::string& path) {
    const auto folder = path.substr(0, std::max<size_t>(path.rfind('/'), 1));
    return folder == runtime_folder() ? SafeFolder::make(folder) : SafeFolder::open(folder, SafeFolder::Kind::runtime);
}

std::string last_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// A file at the place of a socket must be a socket of a trusted user; it may also be missing.
Outcome check_socket(const SafeFolder& folder, const std::string& name) {
    const auto status = folder.status_of(name);
    if (!status) return {};
    if (!S_ISSOCK(status->st_mode)) return failure(folder.path_of(name), "is no socket; remove it or set WIMAX_RUN");
    if (!is_trusted(status->st_uid))
        return failure(folder.path_of(name),
                       "belongs to user " + std::to_string(status->st_uid) + "; remove it or set WIMAX_RUN");
    return {};
}

}  // namespace

std::string runtime_folder() {
    if (auto set = environment("WIMAX_RUN"); !set.empty()) {
        while (set.size() > 1 && set.back() == '/') set.pop_back();
        return set;
    }
    const auto caller = sudo_caller();
    const uid_t uid = caller.value_or(::geteuid());
    if (uid == 0) return "/run/wimax";
    if (const auto xdg = environment("XDG_RUNTIME_DIR"); !xdg.empty() && !caller) return xdg + "/wimax";
    const auto users = "/run/user/" + std::to_string(uid);
    return is_folder(users) ? users + "/wimax" : "/tmp/wimax-" + std::to_string(uid);
}

std::string expand_address(const std::string& address) {
    const auto at = address.find(kRuntimeMark);
    if (at == std::string::npos) return address;
    return address.substr(0, at) + runtime_folder() + address.substr(at + std::strlen(kRuntimeMark));
}

std::string socket_path(const std::string& address) {
    for (const char* scheme : {"ipc://", "shm:"})
        if (address.starts_with(scheme)) {
            auto path = address.substr(std::strlen(scheme));
            return path.starts_with('/') ? path : std::string();
        }
    return address.starts_with('/') ? address : std::string();
}

Outcome check_server(const std::string& address) {
    const auto path = socket_path(address);
    if (path.empty()) return {};
    const auto folder = folder_of(path);
    struct stat ignored {};
    if (!folder && ::stat(path.substr(0, path.rfind('/')).c_str(), &ignored) != 0 && errno == ENOENT) return {};
    if (!folder) return tl::unexpected(folder.error());
    return check_socket(*folder, last_of(path));
}

tl::expected<AddressClaim, DaemonFault> AddressClaim::take(const std::string& address) {
    AddressClaim claim;
    claim.address_ = address;
    const auto path = socket_path(address);
    if (path.empty()) return claim;
    errno = 0;
    auto folder = folder_of(path);
    if (!folder) return refusal(address, folder.error().str(), exit_status_of(errno));
    claim.folder_ = std::move(*folder);
    claim.name_ = last_of(path);
    // The caller of sudo could replace the folder while the socket is made in it, or before it is removed.
    if (claim.folder_.acting_for() != ::geteuid())
        claim.address_ = address.substr(0, address.size() - path.size()) + "/proc/self/fd/" +
                         std::to_string(claim.folder_.fd()) + "/" + claim.name_;
    if (const auto locked = claim.take_lock(address); !locked) return tl::unexpected(locked.error());
    if (const auto replaceable = check_socket(claim.folder_, claim.name_); !replaceable)
        return refusal(address, replaceable.error().str(), ExitStatus::configuration_refused);
    claim.folder_.remove(claim.name_);  // left by a process that was killed; no process serves it
    return claim;
}

tl::expected<void, DaemonFault> AddressClaim::take_lock(const std::string& address) {
    const std::string name = name_ + ".lock", path = folder_.path_of(name);
    for (int i = 0; i < kLockTries; ++i) {
        const auto before = folder_.status_of(name);
        errno = 0;
        auto lock = folder_.open_file(name, kLockMode, true);
        if (!lock) return refusal(address, lock.error().str(), exit_status_of(errno));
        if (::flock(lock->get(), LOCK_EX | LOCK_NB) != 0) {
            // Any user could open, and so lock, the files of older versions.
            const bool was_open_to_others = before && (before->st_mode & kOthers) != 0;
            if (!was_open_to_others || has_open(holder(*lock), *lock))
                return refusal(address, "served already by " + name_of(holder(*lock)), ExitStatus::served_already);
            folder_.remove(name);
            continue;
        }
        if (!still_there(*lock, folder_, name)) continue;
        lock_ = std::move(*lock);
        const auto pid = std::to_string(::getpid());
        if (::ftruncate(lock_.get(), 0) == 0 && ::pwrite(lock_.get(), pid.data(), pid.size(), 0) >= 0) return {};
        return refusal(address, path + ": " + std::strerror(errno), exit_status_of(errno));
    }
    return refusal(address, path + ": others come and go", ExitStatus::served_already);
}

AddressClaim& AddressClaim::operator=(AddressClaim&& other) noexcept {
    std::swap(folder_, other.folder_);
    std::swap(name_, other.name_);
    std::swap(address_, other.address_);
    std::swap(lock_, other.lock_);
    return *this;
}

AddressClaim::~AddressClaim() {
    if (!lock_) return;
    if (check_socket(folder_, name_)) folder_.remove(name_);
    folder_.remove(name_ + ".lock");
}

}  // namespace wimax
