// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/netns.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace wimax::macd {
namespace {

namespace fs = std::filesystem;

const char* const kDirectory = "/run/netns";
// A mark per namespace made here, so that the successor of a killed process removes what that could not.
const char* const kMarks = "/run/wimax-macd";

std::string path_of(const std::string& name) { return std::string(kDirectory) + "/" + name; }
std::string mark_of(const std::string& name) { return std::string(kMarks) + "/" + name + ".netns"; }

/// The directory must be a separate shared mount, or other mount namespaces would keep our namespaces alive.
Outcome prepare_directory() {
    if (::mkdir(kDirectory, 0755) == 0) ::chmod(kDirectory, 0755);  // as ip-netns makes it, independent of the umask
    else if (errno != EEXIST) return refused(std::string("mkdir ") + kDirectory, errno);
    if (::mount("", kDirectory, "none", MS_SHARED | MS_REC, nullptr) == 0) return {};
    if (errno != EINVAL) return refused(std::string("mount ") + kDirectory, errno);
    if (::mount(kDirectory, kDirectory, "none", MS_BIND | MS_REC, nullptr) != 0 ||
        ::mount("", kDirectory, "none", MS_SHARED | MS_REC, nullptr) != 0)
        return refused(std::string("mount ") + kDirectory, errno);
    return {};
}

/// The calling thread ends up in the new namespace.
Outcome create(const std::string& name) {
    if (const auto ready = prepare_directory(); !ready) return ready;
    const std::string path = path_of(name);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
    if (fd < 0) return refused("creating " + path, errno);
    ::close(fd);
    if (::unshare(CLONE_NEWNET) != 0 ||
        ::mount("/proc/thread-self/ns/net", path.c_str(), "none", MS_BIND, nullptr) != 0) {
        const int error = errno;
        ::unlink(path.c_str());
        return refused("network namespace " + name, error);
    }
    ::mkdir(kMarks, 0755);
    const int mark = ::open(mark_of(name).c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (mark >= 0) ::close(mark);
    return {};
}

bool in_use(const std::string& path) {
    struct stat wanted {};
    if (::stat(path.c_str(), &wanted) != 0) return false;
    std::error_code error;
    for (const auto& process : fs::directory_iterator("/proc", error)) {
        struct stat seen {};
        if (::stat((process.path() / "ns/net").c_str(), &seen) != 0) continue;
        if (seen.st_ino == wanted.st_ino && seen.st_dev == wanted.st_dev) return true;
    }
    return false;
}

}  // namespace

tl::unexpected<Fault> refused(const std::string& what, int error) {
    const std::string text = std::strerror(error);
    if (error != EPERM && error != EACCES) return failure(what, text);
    char self[4096];
    const ssize_t n = ::readlink("/proc/self/exe", self, sizeof self);
    const std::string program = n > 0 ? std::string(self, static_cast<size_t>(n)) : "wimax-macd";
    return failure(what, text +
                             ". Missing right: CAP_NET_ADMIN (with tun.netns also CAP_SYS_ADMIN). Run as root (sudo " +
                             program + " ...), or once: sudo setcap cap_net_admin,cap_sys_admin+ep " + program);
}

tl::expected<bool, Fault> enter_netns(const std::string& name) {
    const std::string path = path_of(name);
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        const bool entered = ::setns(fd, CLONE_NEWNET) == 0;
        const int error = errno;
        ::close(fd);
        if (entered) return fs::exists(mark_of(name));
        if (error != EINVAL) return refused("network namespace " + name, error);
        ::unlink(path.c_str());  // a file without a namespace, left by a crash or reboot
    }
    if (const auto made = create(name); !made) return tl::unexpected(made.error());
    return true;
}

bool remove_netns(const std::string& name) {
    const std::string path = path_of(name);
    if (in_use(path)) return false;
    ::umount2(path.c_str(), MNT_DETACH);
    ::unlink(path.c_str());
    ::unlink(mark_of(name).c_str());
    return true;
}

}  // namespace wimax::macd
