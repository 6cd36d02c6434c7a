// SPDX-License-Identifier: GPL-3.0-or-later
// Folders and files that no other local user can have prepared. The one owner of these rules in C++;
// wimax_tools/safe_files.py has them for Python, docs/security.md describes them.
//
// Trusted users are root, the user of this process and, for root under sudo, the user who called it. A folder is opened
// once, and files are opened relative to its descriptor, so that a folder that is renamed or replaced later changes
// nothing. Symbolic links are not followed, except those of trusted users on the way to a folder.
#pragma once

#include <gnuradio/wimax/phy/base/fault.h>

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace wimax {

using gr::wimax::phy::Fault, gr::wimax::phy::Outcome, gr::wimax::phy::failure;

/// An open file, closed at the end of its owner's life.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor();

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }

private:
    int fd_ = -1;
};

/// The user who called sudo, if this process is root's.
std::optional<uid_t> sudo_caller();

/// Root, the user of this process or the caller of sudo.
bool is_trusted(uid_t uid);

/// While it lives, the calling thread has the file rights of `uid` and not those of root. For all others than root, and
/// for `uid` 0, it does nothing.
class ActingAs {
public:
    explicit ActingAs(uid_t uid);
    ~ActingAs();
    ActingAs(const ActingAs&) = delete;
    ActingAs& operator=(const ActingAs&) = delete;

private:
    bool active_ = false;
    gid_t group_ = 0;
};

/// A checked folder, open. Keys of faults are paths, their texts say what to do.
class SafeFolder {
public:
    enum class Kind {
        runtime,  ///< sockets and locks: only its owner may write it, or it has the sticky bit, as /tmp has
        files,    ///< files that each are checked as well: its group may write it, and its owner may be another user,
                  ///< but not where any user could have made it (/tmp)
    };

    SafeFolder() = default;
    /// An existing folder. Refuses a folder of an untrusted user, one that others may write, and a link of an untrusted
    /// user; of kind runtime, refuses any link.
    static tl::expected<SafeFolder, Fault> open(const std::string& path, Kind kind);
    /// A folder of kind runtime, made if it is missing: for its owner alone, and under sudo for the caller where the
    /// caller may make it.
    static tl::expected<SafeFolder, Fault> make(const std::string& path);

    const std::string& path() const { return path_; }
    int fd() const { return fd_.get(); }
    /// User that makes files in the folder: its owner if root acts for that user, else this process's user.
    uid_t acting_for() const { return acting_for_; }
    std::string path_of(const std::string& name) const;

    /// The open regular file of this name in the folder, made with `mode` if it is missing and `make` is set. Refuses
    /// links, files with more names (hard links), of untrusted users and those that others may write. Removes rights
    /// beyond `mode`. Without `make`, a missing file is an empty descriptor.
    tl::expected<Descriptor, Fault> open_file(const std::string& name, mode_t mode, bool make) const;
    /// Status of the entry itself, also of a link; nullopt: there is none.
    std::optional<struct stat> status_of(const std::string& name) const;
    /// False: it is missing already, or cannot be removed.
    bool remove(const std::string& name) const;

private:
    std::string path_;
    Descriptor fd_;
    uid_t acting_for_ = 0;
};

/// A file that a program writes while it runs: log, events, status, capture, recording, keys.
class OutputFile {
public:
    enum class Existing { append, replace };
    static constexpr mode_t kGroupReads = 0640, kOwnerOnly = 0600;  ///< independent of the umask

    OutputFile() = default;
    /// A regular file, checked as SafeFolder::open_file() does, a character device (/dev/null, a terminal), or
    /// /dev/stdout, /dev/stderr and /dev/fd/N, which are this process's own. `fifo`: also a pipe of a trusted user that
    /// others can neither read nor write. It is non-blocking, and without a descriptor while no process reads it.
    static tl::expected<OutputFile, Fault> open(const std::string& path, Existing existing, mode_t mode = kGroupReads,
                                                bool fifo = false);

    int fd() const { return fd_.get(); }
    int release() { return fd_.release(); }
    bool is_pipe() const { return pipe_; }
    /// For a pipe without a reader, and for its next reader.
    void close() { fd_ = Descriptor(); }
    Outcome open_again();
    /// Size of a regular file; others have none.
    std::optional<uint64_t> size() const;
    /// Renames the file to NAME.1, older ones to NAME.2 and so on, of which `kept` stay, and opens a new one in its
    /// place. Only for regular files. After a fault the old one is still open.
    Outcome rotate(int kept);
    /// Gives the regular file this name in its folder, in the place of another one.
    Outcome rename(const std::string& name);
    /// Removes the regular file's name.
    void remove();

private:
    Outcome open_named(Existing existing);

    SafeFolder folder_;
    std::string path_, name_;
    mode_t mode_ = kGroupReads;
    bool pipe_allowed_ = false, pipe_ = false, regular_ = false;
    Descriptor fd_;
};

/// The path that `path` leads to through links of trusted users in its place; links of others are refused.
tl::expected<std::string, Fault> follow_trusted_links(std::string path);

inline constexpr uint64_t kAnyLength = UINT64_MAX;
inline constexpr uint64_t kMostConfigurationBytes = 1 << 20;

/// A regular file of at most `most_bytes`, open for reading. Pipes, devices and folders are refused at once.
tl::expected<Descriptor, Fault> open_regular(const std::string& path, uint64_t most_bytes = kAnyLength);
/// The file belongs to a trusted user, and no other user has any right to it.
bool is_owners_alone(const Descriptor& file);
/// Contents of a file that open_regular() has opened.
tl::expected<std::string, Fault> read_whole(const Descriptor& file, const std::string& path);
tl::expected<std::string, Fault> read_regular(const std::string& path, uint64_t most_bytes);

}  // namespace wimax
