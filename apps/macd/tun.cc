// SPDX-License-Identifier: GPL-3.0-or-later
#include "macd/tun.h"
#include "macd/netns.h"
#include "macd/text_values.h"

#include "common/log.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/ipv6.h>
#include <net/if.h>
#include <net/route.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace wimax::macd {
namespace {

constexpr size_t kBufferBytes = 65536;

sockaddr address_of(uint32_t host_order) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(host_order);
    sockaddr out{};
    std::memcpy(&out, &in, sizeof in);
    return out;
}

/// Settings of one interface through the classic ioctls; remembers the first failure.
class Settings {
public:
    explicit Settings(std::string name)
        : name_(std::move(name)), fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
    ~Settings() { ::close(fd_); }
    Settings(const Settings&) = delete;
    Settings& operator=(const Settings&) = delete;

    void address(unsigned long request, const char* what, uint32_t value) {
        ifreq r = blank();
        r.ifr_addr = address_of(value);
        run(request, &r, std::string(what) + " " + print_ipv4(value));
    }
    void value(unsigned long request, const char* what, int value) {
        ifreq r = blank();
        r.ifr_mtu = value;  // the same place as ifr_qlen
        run(request, &r, std::string(what) + " " + std::to_string(value));
    }
    void up() {
        ifreq r = blank();
        run(SIOCGIFFLAGS, &r, "flags");
        r.ifr_flags = static_cast<short>(r.ifr_flags | IFF_UP | IFF_RUNNING);
        run(SIOCSIFFLAGS, &r, "up");
    }
    void route(const RouteConfig& config) {
        const auto to = parse_subnet(config.to);
        rtentry r{};
        r.rt_dst = address_of(to->address & to->mask());
        r.rt_genmask = address_of(to->mask());
        r.rt_flags = RTF_UP;
        if (!config.via.empty()) {
            r.rt_gateway = address_of(*parse_ipv4(config.via));
            r.rt_flags |= RTF_GATEWAY;
        }
        r.rt_dev = name_.data();
        run(SIOCADDRT, &r, "route to " + config.to);
    }
    Outcome done() const { return done_; }

private:
    ifreq blank() const {
        ifreq r{};
        name_.copy(r.ifr_name, IFNAMSIZ - 1);
        return r;
    }
    void run(unsigned long request, void* argument, const std::string& what) {
        if (!done_ || ::ioctl(fd_, request, argument) == 0) return;
        done_ = refused("interface " + name_ + ", " + what, errno);
    }

    std::string name_;
    int fd_;
    Outcome done_;
};

/// Without an IPv6 address the interface has no IPv6: router solicitations would only be noise. If the kernel refuses
/// the switch, read() drops them.
void switch_ipv6(const std::string& name, bool on) {
    const std::string path = "/proc/sys/net/ipv6/conf/" + name + "/disable_ipv6";
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    [[maybe_unused]] const auto n = ::write(fd, on ? "0" : "1", 1);
    ::close(fd);
}

Outcome set_ipv6_address(const TunConfig& config) {
    const auto own = parse_ipv6_subnet(config.ipv6_address);
    in6_ifreq r{};
    std::memcpy(&r.ifr6_addr, own->octets.data(), own->octets.size());
    r.ifr6_prefixlen = static_cast<uint32_t>(own->prefix);
    r.ifr6_ifindex = static_cast<int>(::if_nametoindex(config.name.c_str()));
    const int fd = ::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool done = fd >= 0 && ::ioctl(fd, SIOCSIFADDR, &r) == 0;
    const int error = errno;
    if (fd >= 0) ::close(fd);
    return done ? Outcome() : refused("interface " + config.name + ", address " + config.ipv6_address, error);
}

tl::expected<int, Fault> create_interface(const TunConfig& config) {
    const int fd = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ENODEV ? failure("/dev/net/tun", "is missing. Type: sudo modprobe tun")
                                                  : refused("/dev/net/tun", errno);
    ifreq r{};
    r.ifr_flags = static_cast<short>((config.kind == mac::UserLink::ethernet ? IFF_TAP : IFF_TUN) | IFF_NO_PI);
    config.name.copy(r.ifr_name, IFNAMSIZ - 1);
    // A killed predecessor may not have ended completely.
    for (int attempt = 0; ::ioctl(fd, TUNSETIFF, &r) != 0; ++attempt) {
        if (errno == EBUSY && attempt < 20) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            continue;
        }
        const int error = errno;
        ::close(fd);
        if (error == EBUSY) return failure("tun.name", "interface " + config.name + " is in use by another program");
        if (error == EINVAL)
            return failure("tun.name",
                           "interface " + config.name + " exists and is of another kind, allowed: a free name");
        return refused("interface " + config.name, error);
    }
    return fd;
}

Outcome set_up(const TunConfig& config) {
    Settings settings(config.name);
    settings.value(SIOCSIFMTU, "MTU", config.mtu);
    settings.value(SIOCSIFTXQLEN, "txqueuelen", static_cast<int>(config.txqueuelen));
    switch_ipv6(config.name, !config.ipv6_address.empty());
    if (!config.address.empty()) {
        const auto own = parse_subnet(config.address);
        settings.address(SIOCSIFADDR, "address", own->address);
        if (!config.peer.empty()) settings.address(SIOCSIFDSTADDR, "peer", *parse_ipv4(config.peer));
        settings.address(SIOCSIFNETMASK, "mask", own->mask());
    }
    settings.up();
    for (const auto& route : config.routes) settings.route(route);
    if (!config.netns.empty()) {
        Settings loopback("lo");
        loopback.up();
    }
    if (!config.ipv6_address.empty() && settings.done()) return set_ipv6_address(config);
    return settings.done();
}

/// The interface's descriptor; `made_netns`: its namespace did not exist before.
tl::expected<int, Fault> make(const TunConfig& config, bool& made_netns) {
    if (!config.netns.empty()) {
        const auto made = enter_netns(config.netns);
        if (!made) return tl::unexpected(made.error());
        made_netns = *made;
    }
    const auto fd = create_interface(config);
    if (!fd) return fd;
    if (const auto done = set_up(config); !done) {
        ::close(*fd);
        return tl::unexpected(done.error());
    }
    return fd;
}

}  // namespace

bool is_interface_name(std::string_view name) {
    if (name.empty() || name.size() >= IFNAMSIZ || name == "." || name == "..") return false;
    for (const char c : name)
        if (c == '/' || c == ':' || static_cast<unsigned char>(c) <= ' ' || c == '%') return false;
    return true;
}

bool is_netns_name(std::string_view name) {
    return !name.empty() && name.size() < 200 && name.find('/') == std::string_view::npos && name != "." &&
           name != ".." && name.find('\0') == std::string_view::npos;
}

tl::expected<std::unique_ptr<Tun>, Fault> Tun::open(const TunConfig& config) {
    tl::expected<int, Fault> fd;
    bool made_netns = false;
    // A separate thread, because a thread that enters a namespace cannot leave it.
    std::thread([&] { fd = make(config, made_netns); }).join();
    if (fd) return std::unique_ptr<Tun>(new Tun(*fd, config, made_netns));
    if (made_netns) (void)remove_netns(config.netns);
    return tl::unexpected(fd.error());
}

Tun::Tun(int fd, const TunConfig& config, bool remove)
    : fd_(fd),
      netns_(config.netns),
      remove_netns_(remove),
      ipv6_(!config.ipv6_address.empty()),
      frames_(config.kind == mac::UserLink::ethernet),
      buffer_(kBufferBytes) {}

Tun::~Tun() {
    ::close(fd_);
    if (remove_netns_ && !remove_netns(netns_))
        log::layer("cs").warn(log::kNoFrame, "network namespace {} stays: programs run in it", netns_);
}

/// True for every frame of a TAP interface.
bool Tun::takes(std::span<const uint8_t> packet) const {
    const int version = packet[0] >> 4;
    return frames_ || version == 4 || (version == 6 && ipv6_);
}

std::span<const uint8_t> Tun::read() {
    for (;;) {
        const ssize_t n = ::read(fd_, buffer_.data(), buffer_.size());
        if (n <= 0) return {};
        if (!takes(std::span(buffer_).first(static_cast<size_t>(n)))) {
            ++counters_.not_ipv4;
            continue;
        }
        ++counters_.packets_in;
        counters_.bytes_in += static_cast<uint64_t>(n);
        return {buffer_.data(), static_cast<size_t>(n)};
    }
}

bool Tun::write(std::span<const uint8_t> packet) {
    if (::write(fd_, packet.data(), packet.size()) != static_cast<ssize_t>(packet.size())) {
        ++counters_.write_errors;
        return false;
    }
    ++counters_.packets_out;
    counters_.bytes_out += packet.size();
    return true;
}

}  // namespace wimax::macd
