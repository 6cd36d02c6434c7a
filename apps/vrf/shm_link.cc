// SPDX-License-Identifier: GPL-3.0-or-later
// Shared memory. A SOCK_SEQPACKET socket carries Hello and Welcome; the Welcome carries a memfd (both rings) and two
// eventfds. Wake-ups are eventfds, not futexes: one poll then waits for data and for the peer's death (socket hang-up)
// together, and the channel waits for all its radios with one call.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "common/accept_gate.h"
#include "vrf/link.h"

namespace wimax::vrf {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;
constexpr size_t kMaxStrangers = 64;                     // connections without a Hello; a new one replaces the oldest
constexpr std::chrono::milliseconds kStranger = 2000ms;  // time limit for the Hello

class Fd {
public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Fd() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }

private:
    int fd_ = -1;
};

struct RingControl {
    alignas(64) std::atomic<uint64_t> written;  ///< chunks published by the producer
    alignas(64) std::atomic<uint64_t> read;     ///< chunks released by the consumer
};

struct Control {
    RingControl tx, rx;
};

constexpr size_t slot_bytes(size_t samples) { return (128 + samples * sizeof(Sample) + 63) / 64 * 64; }
static_assert(sizeof(TxHeader) <= 128 && sizeof(RxHeader) <= 128);

/// The mapping and its two rings, the same on both ends. A ring trusts only the two counters of the peer's data.
class Memory {
public:
    /// Sizes of a radio's rings.
    struct Shape {
        uint32_t chunk;
        uint8_t tx_channels;
        size_t slots;
        size_t tx_slot() const { return slot_bytes(size_t{chunk} * tx_channels); }
        size_t rx_slot() const { return slot_bytes(chunk); }
        size_t bytes() const { return sizeof(Control) + slots * (tx_slot() + rx_slot()); }
    };

    Memory(void* base, const Shape& shape) : base_(static_cast<std::byte*>(base)), shape_(shape) {}
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory() { ::munmap(base_, shape_.bytes()); }

    /// Nothing if the file is too short for its rings, or may become so: an access would kill the process.
    static std::unique_ptr<Memory> map(int fd, const Shape& shape) {
        struct stat file {};
        if (::fstat(fd, &file) != 0 || size_t(file.st_size) < shape.bytes()) return nullptr;
        if (const int seals = ::fcntl(fd, F_GET_SEALS); seals < 0 || !(seals & F_SEAL_SHRINK)) return nullptr;
        void* base = ::mmap(nullptr, shape.bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        return base == MAP_FAILED ? nullptr : std::make_unique<Memory>(base, shape);
    }

    RingControl& tx() { return reinterpret_cast<Control*>(base_)->tx; }
    RingControl& rx() { return reinterpret_cast<Control*>(base_)->rx; }

    template <typename Header> Chunk<Header> slot(uint64_t count) {
        std::byte* at = base_ + sizeof(Control);
        if constexpr (std::is_same_v<Header, TxHeader>) at += count % shape_.slots * shape_.tx_slot();
        else at += shape_.slots * shape_.tx_slot() + count % shape_.slots * shape_.rx_slot();
        return {reinterpret_cast<Header*>(at), reinterpret_cast<Sample*>(at + 128)};
    }
    template <typename Header> Chunk<Header> readable(RingControl& ring) {
        const uint64_t read = ring.read.load(std::memory_order_relaxed);
        const uint64_t written = ring.written.load(std::memory_order_acquire);
        return written == read ? Chunk<Header>{} : slot<Header>(read);
    }
    template <typename Header> Chunk<Header> writable(RingControl& ring) {
        const uint64_t written = ring.written.load(std::memory_order_relaxed);
        const uint64_t read = ring.read.load(std::memory_order_acquire);
        return written - read >= shape_.slots ? Chunk<Header>{} : slot<Header>(written);
    }

private:
    std::byte* base_;
    const Shape shape_;
};

void signal(int event) {
    const uint64_t one = 1;
    (void)!::write(event, &one, sizeof one);
}
void drain(int event) {
    uint64_t count = 0;
    (void)!::read(event, &count, sizeof count);
}

bool hung_up(int socket) {
    char octet;
    const ssize_t n = ::recv(socket, &octet, 1, MSG_DONTWAIT | MSG_PEEK);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

tl::expected<sockaddr_un, Fault> unix_address(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return failure(path, "longer than the path of a socket may be");
    copy_text(address.sun_path, path);
    return address;
}

/// Welcome with descriptors: memfd, event towards the channel, event towards the radio.
bool send_welcome(int socket, const Welcome& welcome, std::span<const int> fds) {
    iovec data{const_cast<Welcome*>(&welcome), sizeof welcome};
    alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    if (!fds.empty()) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(fds.size_bytes());
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(fds.size_bytes());
        std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
    }
    return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == ssize_t(sizeof welcome);
}

/// Octets of one message, "" for none; descriptors only if all three are present.
std::string receive_welcome(int socket, Fd (&fds)[3]) {
    std::string octets(sizeof(Welcome) + 1, 0);  // detects longer ones
    iovec data{octets.data(), octets.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t n = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    octets.resize(size_t(std::max<ssize_t>(n, 0)));
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS) return octets;
    Fd got[3];
    for (size_t i = 0; i < (header->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++i) {
        int raw;
        std::memcpy(&raw, CMSG_DATA(header) + i * sizeof raw, sizeof raw);
        got[i] = Fd(raw);
    }
    if (got[2].get() >= 0) std::swap(got, fds);
    return octets;
}

// ---- radio's end

class ShmRadioLink : public RadioLink {
public:
    ShmRadioLink(Fd socket, Fd to_channel, Fd to_radio, std::unique_ptr<Memory> memory, const Welcome& welcome)
        : socket_(std::move(socket)),
          to_channel_(std::move(to_channel)),
          to_radio_(std::move(to_radio)),
          descriptors_{to_radio_.get(), socket_.get()},
          memory_(std::move(memory)),
          welcome_(welcome) {}

    const Welcome& welcome() const override { return welcome_; }
    TxChunk tx_chunk() override { return memory_->writable<TxHeader>(memory_->tx()); }
    bool send() override {
        memory_->tx().written.fetch_add(1, std::memory_order_release);
        return alive_;
    }
    void wake() override { signal(to_channel_.get()); }
    RxChunk receive(int timeout_ms) override {
        if (auto chunk = next()) return chunk;
        pollfd fds[2] = {{to_radio_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}};
        if (::poll(fds, 2, timeout_ms) > 0) {
            if (fds[0].revents) drain(to_radio_.get());
            if (fds[1].revents) alive_ = false;  // the channel sends nothing on the socket after the Welcome
        }
        return next();
    }
    RxChunk next() override { return memory_->readable<RxHeader>(memory_->rx()); }
    void release() override { memory_->rx().read.fetch_add(1, std::memory_order_release); }
    bool alive() override {
        alive_ = alive_ && !hung_up(socket_.get());
        return alive_;
    }
    std::span<const int> descriptors() const override { return descriptors_; }

private:
    const Fd socket_, to_channel_, to_radio_;
    const std::array<int, 2> descriptors_;
    std::unique_ptr<Memory> memory_;
    Welcome welcome_;
    bool alive_ = true;
};

// ---- channel's end

/// The descriptors of all radios behind one: the channel polls one more, for any number of radios.
class Epoll {
public:
    Epoll() : fd_(::epoll_create1(EPOLL_CLOEXEC)) {}
    int fd() const { return fd_.get(); }
    /// wait() returns `key`.
    bool add(int fd, void* key) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.ptr = key;
        return ::epoll_ctl(fd_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
    }
    /// Closing the descriptor is not enough: the radio has descriptors of the same files.
    void remove(int fd) {
        if (fd >= 0) ::epoll_ctl(fd_.get(), EPOLL_CTL_DEL, fd, nullptr);
    }
    std::span<const epoll_event> ready() {
        const int n = ::epoll_wait(fd_.get(), events_.data(), int(events_.size()), 0);
        return std::span(events_).first(size_t(std::max(n, 0)));
    }

private:
    Fd fd_;
    std::array<epoll_event, 64> events_{};
};

/// State shared between a port (owned by the scheduler) and the listener that polls for it.
struct ShmPeer {
    std::shared_ptr<Epoll> epoll;
    Fd socket, to_channel, to_radio;
    Hello hello;
    std::unique_ptr<Memory> memory;
    bool greeted = false, alive = true;
    Clock::time_point since = Clock::now();
};

class ShmRadioPort : public RadioPort {
public:
    explicit ShmRadioPort(std::shared_ptr<ShmPeer> peer) : peer_(std::move(peer)) {}
    ~ShmRadioPort() override {
        ::shutdown(peer_->socket.get(), SHUT_RDWR);
        peer_->alive = false;
    }
    const Hello& hello() const override { return peer_->hello; }
    bool alive() override { return peer_->alive; }

    bool answer(const Welcome& welcome) override {
        if (!welcome.accepted) return send_welcome(peer_->socket.get(), welcome, {});
        Fd fd(::memfd_create("wimax-vrf", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        peer_->to_channel = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        peer_->to_radio = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        const Memory::Shape shape{welcome.chunk_samples, peer_->hello.tx_channels, ring_slots(welcome.mode)};
        if (fd.get() < 0 || ::ftruncate(fd.get(), off_t(shape.bytes())) != 0) return false;
        // Sealed: a radio that shrinks the file cannot crash the channel.
        ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
        peer_->memory = Memory::map(fd.get(), shape);
        if (!peer_->epoll->add(peer_->to_channel.get(), peer_.get())) return false;
        const int fds[] = {fd.get(), peer_->to_channel.get(), peer_->to_radio.get()};
        return peer_->memory && send_welcome(peer_->socket.get(), welcome, fds);
    }
    TxChunk front() override { return peer_->memory->readable<TxHeader>(peer_->memory->tx()); }
    void pop() override { peer_->memory->tx().read.fetch_add(1, std::memory_order_release); }
    RxChunk rx_chunk() override { return peer_->memory->writable<RxHeader>(peer_->memory->rx()); }
    void push() override { peer_->memory->rx().written.fetch_add(1, std::memory_order_release); }
    void wake() override { signal(peer_->to_radio.get()); }

private:
    std::shared_ptr<ShmPeer> peer_;
};

class ShmListener : public Listener {
public:
    ShmListener(Fd socket, std::string path) : socket_(std::move(socket)), path_(std::move(path)) {
        epoll_->add(socket_.get(), nullptr);
    }
    ~ShmListener() override { ::unlink(path_.c_str()); }
    int max_wait_ms() const override { return -1; }

    void add_poll(std::vector<pollfd>& fds) override { fds.push_back({epoll_->fd(), POLLIN, 0}); }

    std::vector<std::unique_ptr<RadioPort>> process() override {
        std::vector<std::unique_ptr<RadioPort>> fresh;
        for (const auto& event : epoll_->ready()) {
            const auto of_event = [&](const auto& peer) { return peer.get() == event.data.ptr; };
            const auto peer = std::find_if(peers_.begin(), peers_.end(), of_event);
            if (peer == peers_.end()) accept_all();
            else if (!(*peer)->greeted) greet(*peer, fresh);
            else look_after(**peer);
        }
        const auto now = Clock::now();
        std::erase_if(peers_, [&](const auto& peer) {
            if (peer->alive && (peer->greeted || now - peer->since < kStranger)) return false;
            epoll_->remove(peer->socket.get());
            epoll_->remove(peer->to_channel.get());
            return true;
        });
        return fresh;
    }

private:
    void accept_all() {
        for (size_t i = 0; i < kMaxStrangers; ++i) {
            Fd socket(accept_connection(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (socket.get() < 0 && errno == ECONNABORTED) continue;
            if (socket.get() < 0) return;
            if (count(false) >= kMaxStrangers) drop_oldest_stranger();
            auto peer = std::make_shared<ShmPeer>();
            peer->epoll = epoll_;
            peer->socket = std::move(socket);
            if (epoll_->add(peer->socket.get(), peer.get())) peers_.push_back(std::move(peer));
        }
    }

    /// Peers are in the order in which they connected.
    void drop_oldest_stranger() {
        const auto oldest =
            std::find_if(peers_.begin(), peers_.end(), [](const auto& peer) { return peer->alive && !peer->greeted; });
        if (oldest != peers_.end()) (*oldest)->alive = false;
    }

    static void look_after(ShmPeer& peer) {
        if (peer.to_channel.get() >= 0) drain(peer.to_channel.get());
        if (peer.alive) peer.alive = !hung_up(peer.socket.get());
    }

    size_t count(bool greeted) const {
        return size_t(std::count_if(peers_.begin(), peers_.end(),
                                    [=](const auto& peer) { return peer->alive && peer->greeted == greeted; }));
    }

    void greet(std::shared_ptr<ShmPeer>& peer, std::vector<std::unique_ptr<RadioPort>>& fresh) {
        const ssize_t n = ::recv(peer->socket.get(), &peer->hello, sizeof peer->hello, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n != ssize_t(sizeof peer->hello)) {
            peer->alive = false;
            return;
        }
        peer->hello.name[sizeof peer->hello.name - 1] = 0;
        if (count(true) >= kMaxRadios) {
            send_welcome(peer->socket.get(), too_many_radios(), {});
            peer->alive = false;
            return;
        }
        peer->greeted = true;
        fresh.push_back(std::make_unique<ShmRadioPort>(peer));
    }

    Fd socket_;
    std::string path_;
    std::shared_ptr<Epoll> epoll_ = std::make_shared<Epoll>();
    std::vector<std::shared_ptr<ShmPeer>> peers_;
};

}  // namespace

tl::expected<std::unique_ptr<RadioLink>, Fault> shm_attach(const std::string& path, const Hello& hello,
                                                           int timeout_ms) {
    const auto address = unix_address(path);
    if (!address) return tl::unexpected(address.error());
    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (socket.get() < 0) return failure("socket", std::strerror(errno));
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
        return failure("no wimax-channeld at " + path, std::strerror(errno));
    if (::send(socket.get(), &hello, sizeof hello, MSG_NOSIGNAL) != ssize_t(sizeof hello))
        return failure("hello", std::strerror(errno));
    pollfd fd{socket.get(), POLLIN, 0};
    if (::poll(&fd, 1, timeout_ms) <= 0) return failure("wimax-channeld at " + path, "does not answer");
    Fd fds[3];
    const std::string octets = receive_welcome(socket.get(), fds);
    if (octets.empty()) return failure("wimax-channeld at " + path, "gave no answer");
    const auto welcome = read_welcome(std::as_bytes(std::span(octets)), hello);
    if (!welcome) return tl::unexpected(welcome.error());
    if (fds[2].get() < 0) return failure(kMalformed, "no descriptors of shared memory");
    auto memory = Memory::map(fds[0].get(), {welcome->chunk_samples, hello.tx_channels, ring_slots(welcome->mode)});
    if (!memory) return failure(kMalformed, "shared memory that is too short or may shrink");
    return std::make_unique<ShmRadioLink>(std::move(socket), std::move(fds[1]), std::move(fds[2]), std::move(memory),
                                          *welcome);
}

tl::expected<std::unique_ptr<Listener>, DaemonFault> shm_listen(const std::string& path) {
    const auto refused = [](std::string key, int error) {
        return tl::unexpected(DaemonFault{{std::move(key), {}, std::strerror(error)}, exit_status_of(error)});
    };
    const auto address = unix_address(path);
    if (!address) return tl::unexpected(DaemonFault{address.error()});
    const auto* generic = reinterpret_cast<const sockaddr*>(&*address);
    Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket.get() < 0) return refused("socket", errno);
    // A socket file left by a killed channel is replaced, one with a listening channel is not.
    Fd probe(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    if (::connect(probe.get(), generic, sizeof *address) == 0)
        return tl::unexpected(
            DaemonFault{{path, {}, "another wimax-channeld listens there"}, ExitStatus::served_already});
    if (errno == ECONNREFUSED) ::unlink(path.c_str());
    if (::bind(socket.get(), generic, sizeof *address) != 0 || ::listen(socket.get(), 64) != 0)
        return refused("cannot listen at " + path, errno);
    guard_descriptors();
    return std::make_unique<ShmListener>(std::move(socket), path);
}

}  // namespace wimax::vrf
