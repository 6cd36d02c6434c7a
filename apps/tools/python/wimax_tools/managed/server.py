# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers for managed stations of a laboratory: dnsmasq for addresses and configuration files, and a time server.

dnsmasq has no time server (RFC 868). The inetd packages that have one would start a daemon on the user's host.
"""
import contextlib
import ctypes
import errno
import fcntl
import ipaddress
import os
import re
import select
import shutil
import socket
import stat
import struct
import subprocess
import time
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

from wimax_tools import provenance
from wimax_tools.control import Failed, Refused
from wimax_tools.exit_status import ExitStatus
from wimax_tools.safe_files import NOBODY

COMMON_FILE = "station.cfg"
FILE_OF_ONE = re.compile(r"[0-9a-f]{2}(-[0-9a-f]{2}){5}\.cfg")
MOST_OCTETS = 16_384  # of a configuration file: kMostConfigurationFileOctets
LEASE = "1h"
LINES_PER_S, MOST_LINES, MOST_LINE_OCTETS = 5, 100, 10_000  # of dnsmasq: stations cause several for each message
TIME_PORT = 37
FROM_1900_TO_1970_S = 2_208_988_800
POLL_S = 0.2  # between two looks at the interface and the files
END_S = 2     # between SIGTERM and SIGKILL
PLACES, NAMESPACES = Path("/run"), Path("/run/netns")
CLONE_NEWNET, SIOCGIFFLAGS, IFF_UP = 0x40000000, 0x8913, 1
RIGHTS = "-all,+net_bind_service,+net_admin,+net_raw"


@dataclass(frozen=True)
class Lab:
    folder: Path  # with configuration files
    interface: str
    netns: str    # empty: that of this program
    host: ipaddress.IPv4Interface
    relay: ipaddress.IPv4Address

    def free_addresses(self):
        """First and last address of the largest range without this host's and the relay's; None: no address is left."""
        network = self.host.network
        taken = sorted(address for address in {network.network_address, self.host.ip, self.relay, network.broadcast_address} if address in network)
        first, last = max(((one + 1, other - 1) for one, other in zip(taken, taken[1:])), key=lambda ends: int(ends[1]) - int(ends[0]))
        return (first, last) if first <= last else None


def is_wanted(configuration):
    """Whether the effective configuration of a MAC asks for these servers."""
    managed = configuration.get("managed") or {}
    return configuration.get("role") == "bs" and managed.get("policy") in ("allowed", "required") and bool(managed.get("lab_folder"))


def lab_of(file, configuration):
    """From the effective configuration of a base station's MAC in `file`. Refused: these servers cannot work with it."""
    managed = configuration.get("managed") or {}

    def refused(key, value, allowed):
        return Refused(f"{file}: {key}: value {value or '(empty)'}; allowed: {allowed}")

    if configuration.get("role") != "bs":
        raise refused("role", configuration.get("role"), "bs, since only a base station has a management network")
    if managed.get("policy") not in ("allowed", "required"):
        raise refused("managed.policy", managed.get("policy") or "off", "allowed or required; off: there are no managed stations")
    folder = managed.get("lab_folder")
    if not folder or not Path(folder).is_dir():
        raise refused("managed.lab_folder", folder, f"a folder with {COMMON_FILE}, or with a file such as 02-00-00-00-00-01.cfg for one station")
    try:
        lab = Lab(Path(folder), managed["interface"], (configuration.get("tun") or {}).get("netns") or "",
                  ipaddress.IPv4Interface(managed["address"]), ipaddress.IPv4Address(managed["relay_address"]))
    except (KeyError, ValueError) as error:
        raise Refused(f"{file}: managed: interface, address and relay_address are needed: {error}") from error
    server = managed.get("server_address")
    if server and server != str(lab.host.ip):
        raise refused("managed.server_address", server, f"with lab_folder: empty, or {lab.host.ip}; otherwise the relay uses another DHCP server")
    if lab.free_addresses() is None:
        raise refused("managed.address", managed["address"], "a subnet that has addresses left for stations")
    return lab


def configuration_of(lab, names, place):
    """dnsmasq's configuration. `names`: of the configuration files; `place`: folder of dnsmasq's own files.

    Without `no-ping`, dnsmasq waits three seconds for an echo before each offer."""
    first, last = lab.free_addresses()
    lines = ["port=0", f"interface={lab.interface}", "except-interface=lo", "bind-interfaces", "no-hosts", "no-resolv", "no-ping", "pid-file",
             "log-facility=-", "dhcp-authoritative", f"dhcp-leasefile={place}/leases", f"dhcp-lease-max={int(last) - int(first) + 1}",
             f"dhcp-range={first},{last},{lab.host.netmask},{LEASE}", "dhcp-option=option:router", f"dhcp-option-force=4,{lab.host.ip}",
             "dhcp-no-override", "enable-tftp", f"tftp-root={place}/files", "tftp-no-blocksize"]
    for name in sorted(names - {COMMON_FILE}):
        mac = name.removesuffix(".cfg")
        lines += [f"dhcp-mac=set:{mac},{mac.replace('-', ':')}", f"dhcp-boot=tag:{mac},{name},,{lab.host.ip}"]
    if COMMON_FILE in names:  # dnsmasq takes it where no tag fits
        lines.append(f"dhcp-boot={COMMON_FILE},,{lab.host.ip}")
    return "\n".join(lines) + "\n"


def look_at(folder):
    """What changes when a file of the folder changes."""
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError):  # removed meanwhile
                    found.append((entry.name, entry.stat(follow_symlinks=False)))
    except OSError as error:
        raise Failed(f"{folder}: {error.strerror}") from error
    return tuple(sorted((name, status.st_ino, status.st_mtime_ns, status.st_size) for name, status in found))


def octets_of(path):
    """Of a regular file. A link could lead root to any file of this host."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        octets = file.read(MOST_OCTETS + 1)
    if len(octets) > MOST_OCTETS:
        raise OSError(errno.EFBIG, f"larger than {MOST_OCTETS} bytes")
    return octets


def files_of(folder, names, say):
    """Contents by name. Reports and leaves out the others: TFTP has no password, and a key may be in the folder, too."""
    files = {}
    for name in names:
        if name != COMMON_FILE and not FILE_OF_ONE.fullmatch(name):
            say(f"{folder / name}: is not served; allowed: {COMMON_FILE}, or a name such as 02-00-00-00-00-01.cfg")
            continue
        try:
            files[name] = octets_of(folder / name)
        except OSError as error:
            say(f"{folder / name}: is not served: {error.strerror}")
    return files


def time_of_day(now_s):
    """RFC 868: seconds since 1900."""
    return struct.pack(">I", (int(now_s) + FROM_1900_TO_1970_S) % (1 << 32))


def time_socket(address, interface, port=TIME_PORT):
    """For requests that arrive on the interface. None: this host does not have the address yet."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
        sock.bind((str(address), port))
        return sock
    except OSError as error:
        sock.close()
        if error.errno in (errno.EADDRNOTAVAIL, errno.ENODEV):
            return None
        if error.errno == errno.EADDRINUSE:
            raise Refused(f"{address}: another program serves port {port}", ExitStatus.SERVED_ALREADY) from error
        raise Failed(f"{address}: port {port}: {error.strerror}; type: {provenance.to_type('sudo ./wimax managed')}") from error


def answer(sock):
    """One request. Two time servers would respond to each other for ever: a request from their port gets no response."""
    with contextlib.suppress(OSError):
        _, peer = sock.recvfrom(1)
        if peer[1] != TIME_PORT:
            sock.sendto(time_of_day(time.time()), peer)


def enter(name):
    """Enters a network namespace. Returns its inode number; None: there is none of that name yet. Empty: this program stays where it is."""
    try:
        if not name:
            return os.stat("/proc/self/ns/net").st_ino
        descriptor = os.open(NAMESPACES / name, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        inode = os.fstat(descriptor).st_ino
        if inode == os.stat("/proc/self/ns/net").st_ino:
            return inode
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.setns(descriptor, CLONE_NEWNET) == 0:
            return inode
        if ctypes.get_errno() == errno.EINVAL:  # its maker has not finished
            return None
        raise Failed(f"network namespace {name}: {os.strerror(ctypes.get_errno())}; type: {provenance.to_type('sudo ./wimax managed')}")
    finally:
        os.close(descriptor)


def index_of(interface):
    """Number of an interface that is up: dnsmasq refuses one that is down. None: there is none yet."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        reply = fcntl.ioctl(sock, SIOCGIFFLAGS, struct.pack("16sH22x", interface.encode(), 0))
        if struct.unpack_from("H", reply, 16)[0] & IFF_UP:
            return socket.if_nametoindex(interface)
    return None


def program():
    """Path of dnsmasq. The PATH of some users lacks its folder."""
    found = shutil.which("dnsmasq", path=os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin")
    if found is None:
        raise Failed(f"dnsmasq is missing; type: {provenance.to_type('./wimax setup run')}")
    return found


def unprivileged(command):
    """The command as a user without files, with the rights that DHCP and TFTP need. The kernel kills it when this program ends, however that ends.

    dnsmasq must not change its user itself: a process that does so loses the kernel's signal."""
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", f"--bounding-set={RIGHTS}", f"--inh-caps={RIGHTS}",
            f"--ambient-caps={RIGHTS}", "--no-new-privs", "--pdeathsig=KILL", *command]


class Place:
    """Folder of dnsmasq's files, of one program at a time. The leases of a program that was killed are kept: stations still have their addresses."""

    def __init__(self, lab):
        self.path = PLACES / f"wimax-managed-{urllib.parse.quote(f'{lab.netns}.{lab.interface}', safe='')}"
        self.interface, self.folder = lab.interface, -1

    def __enter__(self):
        self.path.mkdir(mode=0o755, exist_ok=True)
        self.folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            fcntl.flock(self.folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self.folder)
            raise Refused(f"another wimax managed serves interface {self.interface}", ExitStatus.SERVED_ALREADY) from error
        self.path.chmod(0o755)
        leases = self.path / "leases"
        leases.touch()
        os.chown(leases, NOBODY, -1)
        return self

    def __exit__(self, *_):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(self.path)
        os.close(self.folder)

    def write(self, configuration, files):
        """Configuration and files to serve; leases stay."""
        folder = self.path / "files"
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(folder)
        folder.mkdir()
        folder.chmod(0o755)
        for path, octets in ((self.path / "dnsmasq.conf", configuration.encode()), *((folder / name, octets) for name, octets in files.items())):
            path.write_bytes(octets)
            path.chmod(0o644)


class Server:
    """Serves while the interface exists, and waits for it otherwise. wimax-macd makes the interface; it is removed with that process."""

    def __init__(self, lab, say, dnsmasq=None):
        self.lab, self.say, self.dnsmasq = lab, say, dnsmasq or program()
        self.child = self.clock = self.served = None
        self.rest, self.reported = b"", None
        self.lines, self.counted_at, self.left_out = MOST_LINES, time.monotonic(), 0

    def serve(self):
        """Until an exception."""
        try:
            with Place(self.lab) as place:
                while True:
                    self.follow(place)
                    self.wait()
        finally:
            self.end()

    def follow(self, place):
        """Starts dnsmasq if the interface or the files are new, ends it if the interface has gone."""
        namespace = enter(self.lab.netns)
        index = None if namespace is None else index_of(self.lab.interface)
        now = None if index is None else (namespace, index, look_at(self.lab.folder))
        if self.child is not None and now == self.served and self.child.poll() is not None:
            raise Failed(f"dnsmasq has ended with status {self.child.returncode}")
        if now == self.served is not None:
            return
        self.end()
        if now is not None:
            self.clock = time_socket(self.lab.host.ip, self.lab.interface)
        if self.clock is None:
            self.report(f"waiting for {self.lab.host.ip} on interface {self.lab.interface}" + (f" in {self.lab.netns}" if self.lab.netns else ""))
        else:
            self.start(place, now)

    def start(self, place, now):
        files = files_of(self.lab.folder, [name for name, *_ in now[2]], self.say)
        place.write(configuration_of(self.lab, set(files), place.path), files)
        self.report(f"serving {self.lab.interface}: {', '.join(sorted(files)) or f'addresses only, since no configuration file is in {self.lab.folder}'}")
        self.child = subprocess.Popen(unprivileged([self.dnsmasq, "--keep-in-foreground", f"--conf-file={place.path}/dnsmasq.conf"]),
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.served = now

    def report(self, text):
        """Prints a line that differs from the one before."""
        if text != self.reported:
            self.say(text)
        self.reported = text

    def wait(self):
        """For a request, a line of dnsmasq, or the next look."""
        sources = [source for source in (self.clock, self.child and self.child.stdout) if source]
        ready, _, _ = select.select(sources, [], [], POLL_S)
        if self.clock in ready:
            answer(self.clock)
        if self.child and self.child.stdout in ready and not self.log(os.read(self.child.stdout.fileno(), 1 << 16)):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.child.wait(POLL_S)  # it has closed its output

    def log(self, octets):
        """Passes on complete lines of dnsmasq, as many as LINES_PER_S allows, and the number of the others. Returns the octets."""
        *lines, self.rest = (self.rest + octets).split(b"\n")
        self.rest = self.rest[-MOST_LINE_OCTETS:]
        now = time.monotonic()
        self.lines = min(MOST_LINES, self.lines + (now - self.counted_at) * LINES_PER_S)
        self.counted_at = now
        for line in lines:
            if self.lines < 1:
                self.left_out += 1
                continue
            if self.left_out:
                self.say(f"{self.left_out} lines of dnsmasq are left out")
            self.lines, self.left_out = self.lines - 1, 0
            self.say(line.decode(errors="surrogateescape"))
        return octets

    def end(self):
        if self.clock is not None:
            self.clock.close()
        if self.child is not None:
            self.child.terminate()
            try:
                self.child.wait(END_S)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
            self.child.stdout.close()
        self.child = self.clock = self.served = None
        self.rest = b""
