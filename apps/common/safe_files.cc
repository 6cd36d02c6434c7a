// SPDX-License-Identifier: GPL-3.0-or-later
#include "common/safe_files.h"

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace wimax {
namespace {

constexpr mode_t kOthersMayWrite = S_IWGRP | S_IWOTH, kRights = 07777;
constexpr mode_t kParentMode = 0755, kRuntimeMode = 0700;
constexpr uid_t kNobody = 65534;  // owner that a user namespace shows for users that it does not have
constexpr int kMostLinks = 40, kTries = 8;
constexpr size_t kUnknown = 65536;  // bytes read of a file whose size is 0, as in /proc
constexpr const char* kRemedy = "; remove it or set WIMAX_RUN";
constexpr const char* kOtherPath = "; remove it or name another file";

std::string error_text(int error) { return std::strerror(error); }

std::string in_octal(mode_t mode) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "%04o", mode & kRights);
    return text.data();
}

template <typename Number> std::optional<Number> number_in(std::string_view text) {
    Number value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<unsigned> number_of(const char* variable) {
    const char* text = std::getenv(variable);
    return text != nullptr ? number_in<unsigned>(text) : std::nullopt;
}

std::string belongs_to(uid_t uid) {
    return "belongs to user " + std::to_string(uid) + ", not to user " +
           std::to_string(sudo_caller().value_or(::geteuid())) + " or root";
}

/// A path whose last component is split off.
struct Split {
    std::string folder, name;
};

Split split(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return {".", path};
    return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

std::vector<std::string> components(const std::string& path) {
    std::vector<std::string> parts;
    for (size_t at = 0; at < path.size();) {
        const auto end = std::min(path.find('/', at), path.size());
        if (end > at) parts.push_back(path.substr(at, end - at));
        at = end + 1;
    }
    std::ranges::reverse(parts);  // the next one is the last
    return parts;
}

std::string target_of(int link) {
    std::array<char, 4096> text{};
    const auto n = ::readlinkat(link, "", text.data(), text.size());
    return {text.data(), n > 0 ? static_cast<size_t>(n) : 0};
}

tl::expected<Descriptor, Fault> start_of(const std::string& path) {
    Descriptor at(::open(path.starts_with('/') ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!at) return failure(path, error_text(errno));
    return at;
}

/// Owner of new files in a folder: under sudo the caller, if the caller may write there.
uid_t maker_in(const struct stat& folder) {
    const auto caller = sudo_caller();
    const bool callers = caller && (folder.st_uid == *caller || (folder.st_mode & S_IWOTH) != 0);
    return callers ? *caller : ::geteuid();
}

/// 0, or errno.
int make_folder_in(int parent, const std::string& name, mode_t mode) {
    struct stat status {};
    if (::fstat(parent, &status) != 0) return errno;
    const ActingAs owner(maker_in(status));
    return ::mkdirat(parent, name.c_str(), mode) == 0 || errno == EEXIST ? 0 : errno;
}

/// The folder at the end of `path`, made where it is missing and `make` is set. Links of trusted users are followed,
/// others are refused.
tl::expected<Descriptor, Fault> walk(const std::string& path, bool make = false) {
    auto at = start_of(path);
    if (!at) return at;
    auto left = components(path);
    for (int links = 0; !left.empty();) {
        const std::string name = std::move(left.back());
        left.pop_back();
        const auto open = [&] {
            return Descriptor(::openat(at->get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        };
        Descriptor next = open();
        if (!next && errno == ENOENT && make)
            if (errno = make_folder_in(at->get(), name, kParentMode); errno == 0) next = open();
        struct stat status {};
        if (!next || ::fstat(next.get(), &status) != 0) return failure(path, error_text(errno));
        if (S_ISDIR(status.st_mode)) {
            *at = std::move(next);
            continue;
        }
        if (!S_ISLNK(status.st_mode)) return failure(path, error_text(ENOTDIR));
        if (!is_trusted(status.st_uid))
            return failure(path, "the symbolic link '" + name + "' on the way " + belongs_to(status.st_uid));
        const auto target = target_of(next.get());
        if (target.empty() || ++links > kMostLinks) return failure(path, error_text(ELOOP));
        for (auto& part : components(target)) left.push_back(std::move(part));
        if (!target.starts_with('/')) continue;
        auto root = start_of(target);
        if (!root) return root;
        *at = std::move(*root);
    }
    return at;
}

/// Whether any user could have made this folder beforehand.
bool anybody_can_make(int folder) {
    struct stat around {};
    return ::fstatat(folder, "..", &around, 0) != 0 || (around.st_mode & S_IWOTH) != 0;
}

Outcome check_folder(const std::string& path, int fd, const struct stat& status, SafeFolder::Kind kind) {
    if (!is_trusted(status.st_uid) && (kind == SafeFolder::Kind::runtime || anybody_can_make(fd)))
        return failure(path, belongs_to(status.st_uid) + kRemedy);
    const mode_t others = kind == SafeFolder::Kind::runtime ? kOthersMayWrite : S_IWOTH;
    if ((status.st_mode & others) != 0 && (status.st_mode & S_ISVTX) == 0)
        return failure(path, "other users may write it (mode " + in_octal(status.st_mode) +
                                 "), allowed after chmod go-w" + kRemedy);
    return {};
}

/// The owner of the parent, or any user that may write it, could replace `path` by another folder.
Outcome check_parent(const std::string& path, int parent) {
    struct stat status {};
    if (::fstat(parent, &status) != 0) return failure(path, error_text(errno));
    if (!is_trusted(status.st_uid) && status.st_uid != kNobody)
        return failure(path, "the folder around it " + belongs_to(status.st_uid) + kRemedy);
    if ((status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0)
        return failure(path, std::string("any user may replace it: the folder around it is writable without the "
                                         "sticky bit") +
                                 kRemedy);
    return {};
}

Outcome check_file(const std::string& path, const struct stat& status) {
    if (!S_ISREG(status.st_mode)) return failure(path, std::string("is no regular file") + kOtherPath);
    if (!is_trusted(status.st_uid)) return failure(path, belongs_to(status.st_uid) + kOtherPath);
    if (status.st_nlink != 1)
        return failure(path, std::string("is a hard link to a file with another name, too") + kOtherPath);
    if ((status.st_mode & kOthersMayWrite) != 0)
        return failure(path, "other users may write it (mode " + in_octal(status.st_mode) +
                                 "), allowed after chmod go-w" + kOtherPath);
    return {};
}

/// Readers of a pipe get the data: only the owner and the group may be among them.
Outcome check_pipe(const std::string& path, const struct stat& status) {
    if (!is_trusted(status.st_uid)) return failure(path, belongs_to(status.st_uid) + kOtherPath);
    if ((status.st_mode & (S_IWGRP | S_IRWXO)) == 0) return {};
    return failure(path, "other users may use this pipe (mode " + in_octal(status.st_mode) +
                             "), allowed after chmod g-w,o-rwx" + kOtherPath);
}

/// Removes rights of an existing file beyond `mode`.
Outcome tighten(const std::string& path, int fd, mode_t now, mode_t mode) {
    if ((now & 0777 & ~mode) == 0 || ::fchmod(fd, now & mode) == 0) return {};
    return failure(path, "its rights cannot be set to " + in_octal(now & mode) + ": " + error_text(errno));
}

/// This process's own descriptor by the names that /dev has for it.
std::optional<int> own_descriptor(std::string_view path) {
    if (path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"})
        if (path.starts_with(folder)) return number_in<int>(path.substr(folder.size()));
    return std::nullopt;
}

std::string reason_of(int error) {
    return error == ELOOP ? std::string("is a symbolic link") + kOtherPath : error_text(error);
}

/// Why a file of that name cannot be opened.
tl::unexpected<Fault> unopened(const SafeFolder& folder, const std::string& name, int error) {
    struct stat status {};
    const bool seen = error == EACCES && ::fstatat(folder.fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (seen && !is_trusted(status.st_uid))
        return failure(folder.path_of(name), belongs_to(status.st_uid) + kOtherPath);
    return failure(folder.path_of(name), reason_of(error));
}

/// O_CREAT only for a missing file: in folders with the sticky bit, the kernel refuses to open another user's file with
/// it, even for root.
Descriptor open_or_make(const SafeFolder& folder, const std::string& name, int flags, mode_t mode, bool make) {
    constexpr int kAlways = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    for (int i = 0; i < kTries; ++i) {
        Descriptor there(::openat(folder.fd(), name.c_str(), flags | kAlways));
        if (there || errno != ENOENT || !make) return there;
        const ActingAs owner(folder.acting_for());
        Descriptor made(::openat(folder.fd(), name.c_str(), flags | kAlways | O_CREAT | O_EXCL, mode));
        if (made || errno != EEXIST) return made;
    }
    return {};
}

}  // namespace

Descriptor::~Descriptor() {
    if (fd_ < 0) return;
    const int error = errno;  // errno that the caller reports
    ::close(fd_);
    errno = error;
}

std::optional<uid_t> sudo_caller() {
    if (::geteuid() != 0) return std::nullopt;
    return number_of("SUDO_UID");
}

bool is_trusted(uid_t uid) { return uid == 0 || uid == ::geteuid() || uid == sudo_caller(); }

ActingAs::ActingAs(uid_t uid) {
    if (::geteuid() != 0 || uid == 0) return;
    active_ = true;
    group_ = ::getegid();
    const auto group = uid == sudo_caller() ? number_of("SUDO_GID") : std::nullopt;
    ::setfsgid(group.value_or(group_));
    ::setfsuid(uid);
}

ActingAs::~ActingAs() {
    if (!active_) return;
    const int error = errno;
    ::setfsuid(0);
    ::setfsgid(group_);
    errno = error;
}

tl::expected<SafeFolder, Fault> SafeFolder::open(const std::string& path, Kind kind) {
    const auto [around, name] = split(path);
    const bool runtime = kind == Kind::runtime && path != "/" && !name.empty();
    SafeFolder folder;
    folder.path_ = path;
    if (runtime) {
        const auto parent = walk(around);
        if (!parent) return failure(path, parent.error().allowed);
        if (const auto good = check_parent(path, parent->get()); !good) return tl::unexpected(good.error());
        folder.fd_ = Descriptor(::openat(parent->get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        if (!folder.fd_) return failure(path, error_text(errno));
    } else {
        auto end = walk(path);
        if (!end) return tl::unexpected(end.error());
        folder.fd_ = std::move(*end);
    }
    struct stat status {};
    if (::fstat(folder.fd(), &status) != 0) return failure(path, error_text(errno));
    if (S_ISLNK(status.st_mode)) return failure(path, std::string("is a symbolic link") + kRemedy);
    if (!S_ISDIR(status.st_mode)) return failure(path, error_text(ENOTDIR));
    if (const auto good = check_folder(path, folder.fd(), status, kind); !good) return tl::unexpected(good.error());
    folder.acting_for_ = status.st_uid == sudo_caller() ? status.st_uid : ::geteuid();
    return folder;
}

tl::expected<SafeFolder, Fault> SafeFolder::make(const std::string& path) {
    const auto [around, name] = split(path);
    const auto parent = walk(around, true);
    if (!parent) return failure(path, parent.error().allowed);
    if (const int error = make_folder_in(parent->get(), name, kRuntimeMode); error != 0)
        return failure(path, error_text(error));
    return open(path, Kind::runtime);
}

std::string SafeFolder::path_of(const std::string& name) const { return path_ == "." ? name : path_ + "/" + name; }

tl::expected<Descriptor, Fault> SafeFolder::open_file(const std::string& name, mode_t mode, bool make) const {
    auto file = open_or_make(*this, name, O_RDWR, mode, make);
    if (!file && errno == ENOENT && !make) return file;
    if (!file) return unopened(*this, name, errno);
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return failure(path_of(name), error_text(errno));
    return check_file(path_of(name), status)
        .and_then([&] { return tighten(path_of(name), file.get(), status.st_mode, mode); })
        .map([&] { return std::move(file); });
}

std::optional<struct stat> SafeFolder::status_of(const std::string& name) const {
    struct stat status {};
    if (::fstatat(fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    return status;
}

bool SafeFolder::remove(const std::string& name) const {
    const ActingAs owner(acting_for_);
    return ::unlinkat(fd(), name.c_str(), 0) == 0;
}

tl::expected<OutputFile, Fault> OutputFile::open(const std::string& path, Existing existing, mode_t mode, bool fifo) {
    OutputFile file;
    file.mode_ = mode;
    if (const auto own = own_descriptor(path)) {
        file.fd_ = Descriptor(::fcntl(*own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
        if (!file.fd_) return failure(path, error_text(errno));
        return file;
    }
    auto [around, name] = split(path);
    auto folder = SafeFolder::open(around, SafeFolder::Kind::files);
    if (!folder) return failure(path, folder.error().allowed);
    file.folder_ = std::move(*folder);
    file.name_ = std::move(name);
    file.path_ = path;
    file.pipe_allowed_ = fifo;
    return file.open_named(existing).map([&] { return std::move(file); });
}

Outcome OutputFile::open_named(Existing existing) {
    const int flags = O_WRONLY | (existing == Existing::append ? O_APPEND : 0);
    fd_ = open_or_make(folder_, name_, flags, mode_, !pipe_);
    const int error = fd_ ? 0 : errno;
    struct stat status {};
    // Opening a pipe for writing fails while no process reads it.
    const bool unread = error == ENXIO && ::fstatat(folder_.fd(), name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    if (error != 0 && !unread) return unopened(folder_, name_, error);
    if (!unread && ::fstat(fd_.get(), &status) != 0) return failure(path_, error_text(errno));
    pipe_ = S_ISFIFO(status.st_mode) && pipe_allowed_;
    if (pipe_) return check_pipe(path_, status);
    if (unread && !S_ISFIFO(status.st_mode)) return failure(path_, error_text(error));
    if (S_ISCHR(status.st_mode)) {
        if (!is_trusted(status.st_uid)) return failure(path_, belongs_to(status.st_uid) + kOtherPath);
        ::fcntl(fd_.get(), F_SETFL, flags);
        return {};
    }
    if (const auto good = check_file(path_, status); !good) return good;
    if (const auto good = tighten(path_, fd_.get(), status.st_mode, mode_); !good) return good;
    regular_ = true;
    if (existing == Existing::replace && ::ftruncate(fd_.get(), 0) != 0) return failure(path_, error_text(errno));
    return {};
}

Outcome OutputFile::open_again() {
    auto opened = open_named(Existing::append);
    if (!opened) close();
    return opened;
}

std::optional<uint64_t> OutputFile::size() const {
    struct stat status {};
    if (!regular_ || ::fstat(fd_.get(), &status) != 0) return std::nullopt;
    return static_cast<uint64_t>(status.st_size);
}

Outcome OutputFile::rotate(int kept) {
    if (!regular_) return failure(path_, "is no regular file");
    {
        const ActingAs owner(folder_.acting_for());
        const auto older = [this](int i) { return i == 0 ? name_ : name_ + "." + std::to_string(i); };
        if (kept == 0) ::unlinkat(folder_.fd(), name_.c_str(), 0);
        for (int i = kept; i > 0; --i)
            if (::renameat(folder_.fd(), older(i - 1).c_str(), folder_.fd(), older(i).c_str()) != 0 && i == 1)
                return failure(path_, error_text(errno));
    }
    Descriptor old = std::move(fd_);
    auto opened = open_named(Existing::append);
    if (!opened) fd_ = std::move(old);  // the old file, now renamed, still accepts writes
    return opened;
}

Outcome OutputFile::rename(const std::string& name) {
    const ActingAs owner(folder_.acting_for());
    if (!regular_) return failure(path_, "is no regular file");
    if (::renameat(folder_.fd(), name_.c_str(), folder_.fd(), name.c_str()) != 0)
        return failure(path_, error_text(errno));
    name_ = name;
    path_ = folder_.path_of(name);
    return {};
}

void OutputFile::remove() {
    if (regular_) folder_.remove(name_);
}

tl::expected<std::string, Fault> follow_trusted_links(std::string path) {
    for (int links = 0; links < kMostLinks; ++links) {
        const Descriptor link(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        struct stat status {};
        if (!link || ::fstat(link.get(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
        if (!is_trusted(status.st_uid)) return failure(path, "the symbolic link " + belongs_to(status.st_uid));
        const auto target = target_of(link.get());
        path = target.starts_with('/') ? target : split(path).folder + "/" + target;
    }
    return failure(path, error_text(ELOOP));
}

tl::expected<Descriptor, Fault> open_regular(const std::string& path, uint64_t most_bytes) {
    struct stat status {};
    // Looked at before it is opened: opening a device may do something.
    if (::stat(path.c_str(), &status) != 0) return failure(path, error_text(errno));
    if (S_ISDIR(status.st_mode)) return failure(path, error_text(EISDIR));
    if (!S_ISREG(status.st_mode)) return failure(path, "is no regular file");
    Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    if (!file || ::fstat(file.get(), &status) != 0) return failure(path, error_text(errno));
    if (!S_ISREG(status.st_mode)) return failure(path, "is no regular file");
    if (const auto size = static_cast<uint64_t>(status.st_size); size > most_bytes)
        return failure(path, "has " + std::to_string(size) + " bytes, allowed are " + std::to_string(most_bytes));
    return file;
}

bool is_owners_alone(const Descriptor& file) {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 && is_trusted(status.st_uid) &&
           (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

tl::expected<std::string, Fault> read_whole(const Descriptor& file, const std::string& path) {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return failure(path, error_text(errno));
    std::string text(status.st_size > 0 ? static_cast<size_t>(status.st_size) : kUnknown, '\0');
    size_t have = 0;
    while (have < text.size()) {
        const auto n = ::read(file.get(), text.data() + have, text.size() - have);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failure(path, error_text(errno));
        if (n == 0) break;
        have += static_cast<size_t>(n);
    }
    text.resize(have);
    return text;
}

tl::expected<std::string, Fault> read_regular(const std::string& path, uint64_t most_bytes) {
    return open_regular(path, most_bytes).and_then([&](const Descriptor& file) { return read_whole(file, path); });
}

}  // namespace wimax
