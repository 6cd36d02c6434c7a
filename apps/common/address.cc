/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/address.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

namespace wimax {
namespace {

constexpr mode_t kFolderMode = 0755, kLockMode = 0644;
constexpr int kTries = 8;  // each fails only when another process ended in that moment

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// Who called sudo, where it was called.
std::optional<uid_t> caller() {
    const std::string text = environment("SUDO_UID");
    char* end = nullptr;
    const unsigned long uid = std::strtoul(text.c_str(), &end, 10);
    if (::geteuid() != 0 || text.empty() || *end != '\0') return std::nullopt;
    return static_cast<uid_t>(uid);
}

bool is_folder(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
}

/// Ours, or of the user in whose name root works.
void make_runtime_folder(const std::string& folder) {
    std::error_code ignored;
    if (!std::filesystem::create_directories(folder, ignored)) return;
    ::chmod(folder.c_str(), kFolderMode);
    if (const auto uid = caller()) [[maybe_unused]]
        const int done = ::chown(folder.c_str(), *uid, static_cast<gid_t>(-1));
}

/// The lock file, open; the sticky bit of /tmp lets nobody create what is there already, not even root.
int open_lock(const std::string& path) {
    const int there = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (there >= 0 || errno != ENOENT) return there;
    return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kLockMode);
}

tl::unexpected<DaemonFault> refusal(const std::string& address, std::string reason, ExitStatus status) {
    return tl::unexpected(DaemonFault{{address, {}, std::move(reason)}, status});
}

std::string holder(int lock) {
    char text[32] = {};
    const auto n = ::pread(lock, text, sizeof text - 1, 0);
    return n > 0 ? "process " + std::string(text, static_cast<size_t>(n)) : std::string("another process");
}

/// False: it was removed after it was opened, and is nobody's lock any more.
bool still_there(int lock, const std::string& path) {
    struct stat opened {
    }, named{};
    return ::fstat(lock, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

}  // namespace

std::string runtime_folder() {
    if (const auto set = environment("WIMAX_RUN"); !set.empty()) return set;
    const uid_t uid = caller().value_or(::geteuid());
    if (uid == 0) return "/run/wimax";
    if (const auto xdg = environment("XDG_RUNTIME_DIR"); !xdg.empty() && !caller()) return xdg + "/wimax";
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

tl::expected<Claim, DaemonFault> Claim::take(const std::string& address) {
    Claim claim;
    claim.path_ = socket_path(address);
    if (claim.path_.empty()) return claim;
    const auto folder = runtime_folder();
    if (claim.path_.starts_with(folder + "/")) make_runtime_folder(folder);
    const std::string path = claim.path_ + ".lock";
    for (int i = 0; i < kTries; ++i) {
        const int lock = open_lock(path);
        if (lock < 0 && errno == EEXIST) continue;
        if (lock < 0) return refusal(address, path + ": " + std::strerror(errno), exit_status_of(errno));
        if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
            auto taken = refusal(address, "served already by " + holder(lock), ExitStatus::served_already);
            ::close(lock);
            return taken;
        }
        if (!still_there(lock, path)) {
            ::close(lock);
            continue;
        }
        claim.lock_ = lock;
        const auto pid = std::to_string(::getpid());
        if (::ftruncate(lock, 0) != 0 || ::pwrite(lock, pid.data(), pid.size(), 0) < 0)
            return refusal(address, path + ": " + std::strerror(errno), exit_status_of(errno));
        ::unlink(claim.path_.c_str());  // of a process that was killed: nobody serves it
        return claim;
    }
    return refusal(address, path + ": others come and go", ExitStatus::served_already);
}

void Claim::give_to_caller() const {
    if (const auto uid = caller(); uid && !path_.empty()) [[maybe_unused]]
        const int done = ::chown(path_.c_str(), *uid, static_cast<gid_t>(-1));
}

void Claim::swap(Claim& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(lock_, other.lock_);
}

Claim::~Claim() {
    if (lock_ < 0) return;
    ::unlink(path_.c_str());
    ::unlink((path_ + ".lock").c_str());
    ::close(lock_);
}

}  // namespace wimax
