# SPDX-License-Identifier: GPL-3.0-or-later
import contextlib
import fcntl
import ipaddress
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import yaml

from wimax_tools.control import Failed, Refused
from wimax_tools.exit_status import ExitStatus
from wimax_tools.managed import server

HOST, RELAY = "10.253.0.1", "10.253.0.2"
WAIT_S = 20
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000


def lab(folder="/lab", address=f"{HOST}/16", relay=RELAY, interface="wimax-m0", netns=""):
    return server.Lab(Path(folder), interface, netns, ipaddress.IPv4Interface(address), ipaddress.IPv4Address(relay))


def ends(pid):
    """Waits for the end of a process that may be another's child."""
    until = time.monotonic() + WAIT_S
    while Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z":
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


class Configuration(unittest.TestCase):
    def test_addresses_are_the_largest_free_range(self):
        for address, relay, first, last in ((f"{HOST}/16", RELAY, "10.253.0.3", "10.253.255.254"), ("10.0.0.254/24", "10.0.0.1", "10.0.0.2", "10.0.0.253"),
                                            ("10.0.0.100/24", "10.0.0.200", "10.0.0.1", "10.0.0.99"), ("10.0.0.1/24", "10.9.0.1", "10.0.0.2", "10.0.0.254")):
            self.assertEqual(tuple(map(str, lab(address=address, relay=relay).free_addresses())), (first, last))
        self.assertIsNone(lab(address="10.0.0.1/30", relay="10.0.0.2").free_addresses())

    def test_for_dnsmasq(self):
        lines = server.configuration_of(lab(), {"station.cfg", "02-00-00-00-00-01.cfg"}, Path("/p")).splitlines()
        for line in ("port=0", "interface=wimax-m0", "bind-interfaces", "no-ping", "dhcp-range=10.253.0.3,10.253.255.254,255.255.0.0,1h", "dhcp-lease-max=65532",
                     "dhcp-leasefile=/p/leases", "tftp-root=/p/files", f"dhcp-option-force=4,{HOST}", "dhcp-mac=set:02-00-00-00-00-01,02:00:00:00:00:01",
                     f"dhcp-boot=tag:02-00-00-00-00-01,02-00-00-00-00-01.cfg,,{HOST}", f"dhcp-boot=station.cfg,,{HOST}"):
            self.assertIn(line, lines)
        self.assertNotIn("dhcp-boot", server.configuration_of(lab(), set(), Path("/p")))
        one = server.configuration_of(lab(), {"02-00-00-00-00-01.cfg"}, Path("/p"))
        self.assertEqual(one.count("dhcp-boot="), 1, "no file for the others")

    def test_where_it_is_wanted(self):
        managed = {"policy": "required", "lab_folder": "/lab"}
        for configuration, wanted in (({"role": "bs", "managed": managed}, True), ({"role": "bs", "managed": {**managed, "policy": False}}, False),
                                      ({"role": "bs", "managed": {**managed, "lab_folder": ""}}, False), ({"role": "ss", "managed": managed}, False),
                                      ({"role": "bs"}, False), ({}, False)):
            self.assertEqual(server.is_wanted(configuration), wanted, configuration)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_configuration_files_alone_are_served(self):
        for name, octets in (("station.cfg", b"all"), ("02-00-00-00-00-01.cfg", b"one"), ("key.hex", b"00"), ("02-00-00-00-00-0A.cfg", b"capital"),
                             ("02-00-00-00-00-03.cfg", bytes(server.MOST_OCTETS + 1))):
            (self.folder / name).write_bytes(octets)
        (self.folder / "02-00-00-00-00-02.cfg").symlink_to("/etc/hostname")
        os.mkfifo(self.folder / "02-00-00-00-00-04.cfg")
        said = []
        names = [name for name, *_ in server.look_at(self.folder)]
        self.assertEqual(server.files_of(self.folder, names, said.append), {"station.cfg": b"all", "02-00-00-00-00-01.cfg": b"one"})
        self.assertEqual(said, [f"{self.folder}/{text}" for text in (
            "02-00-00-00-00-02.cfg: is not served: Too many levels of symbolic links", "02-00-00-00-00-03.cfg: is not served: larger than 16384 bytes",
            "02-00-00-00-00-04.cfg: is not served: not a regular file",
            "02-00-00-00-00-0A.cfg: is not served; allowed: station.cfg, or a name such as 02-00-00-00-00-01.cfg",
            "key.hex: is not served; allowed: station.cfg, or a name such as 02-00-00-00-00-01.cfg")])

    def test_the_largest_file_is_that_of_the_stations(self):
        header = Path(__file__).parents[4] / "mac/pdu/configuration_settings.h"
        self.assertIn(f"kMostConfigurationFileOctets = {server.MOST_OCTETS:,};".replace(",", "'"), header.read_text(encoding="utf-8"))

    def test_changes_are_seen(self):
        looks = [server.look_at(self.folder)]
        for change in (lambda: (self.folder / "station.cfg").write_bytes(b"1"), lambda: (self.folder / "station.cfg").write_bytes(b"12"),
                       lambda: (self.folder / "station.cfg").unlink()):
            change()
            looks.append(server.look_at(self.folder))
        self.assertEqual((len(set(looks)), looks[0]), (3, looks[3]))
        with self.assertRaisesRegex(Failed, "/none: No such file or directory"):
            server.look_at(self.folder / "none")

    @unittest.skipUnless(os.geteuid() == 0, "needs root: gives a file to another user")
    def test_a_folder_that_a_killed_program_left_is_taken_over(self):
        with mock.patch.object(server, "PLACES", self.folder):
            for leases in (b"", b"of a station"):
                place = server.Place(lab(netns="wimax-bs"))
                place.__enter__()
                self.assertEqual((place.path / "leases").read_bytes(), leases, "they are kept")
                (place.path / "leases").write_bytes(b"of a station")
                place.write("text", {"station.cfg": b"1"})
                self.assertEqual(sorted(path.name for path in place.path.rglob("*")), ["dnsmasq.conf", "files", "leases", "station.cfg"])
                with self.assertRaisesRegex(Refused, "another wimax managed serves interface wimax-m0") as refused:
                    server.Place(lab(netns="wimax-bs")).__enter__()
                self.assertEqual(refused.exception.status, ExitStatus.SERVED_ALREADY)
                if not leases:
                    os.close(place.folder)  # as a kill does
            self.assertEqual([path.name for path in self.folder.iterdir()], ["wimax-managed-wimax-bs.wimax-m0"])
            place.write("text", {})
            self.assertEqual(list((place.path / "files").iterdir()), [])
            place.__exit__()
        self.assertEqual(list(self.folder.iterdir()), [])


class Log(unittest.TestCase):
    def test_lines_of_dnsmasq_are_limited(self):
        said, now = [], [100.0]
        with mock.patch.object(server.time, "monotonic", lambda: now[0]):
            log = server.Server(lab(), said.append, "dnsmasq").log
            log(b"first\nhal")
            log(b"f\n" + b"flood\n" * 1000)
            self.assertEqual((said[:2], len(said)), (["first", "half"], server.MOST_LINES))
            now[0] += 1
            log(b"later\n")
            self.assertEqual(said[server.MOST_LINES:], [f"{1002 - server.MOST_LINES} lines of dnsmasq are left out", "later"])
            log(b"x" * 1_000_000)
            now[0] += 1
            log(b"\n")
            self.assertEqual(len(said[-1]), server.MOST_LINE_OCTETS)


class TimeServer(unittest.TestCase):
    def test_seconds_since_1900(self):
        self.assertEqual(server.time_of_day(0), bytes.fromhex("83aa7e80"))
        self.assertEqual(server.time_of_day(2**32 - server.FROM_1900_TO_1970_S + 5.9), bytes((0, 0, 0, 5)), "they wrap in 2036")

    def test_a_request_over_udp(self):
        with server.time_socket("127.0.0.1", "lo", 0) as here, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
            there.settimeout(WAIT_S)
            there.sendto(b"any", here.getsockname())
            select.select([here], [], [], WAIT_S)
            server.answer(here)
            reply = struct.unpack(">I", there.recv(100))[0] - server.FROM_1900_TO_1970_S
            self.assertLess(abs(reply - time.time()), 2)
            server.answer(here)  # there is no request: it does not wait
            with mock.patch.object(server, "TIME_PORT", there.getsockname()[1]):
                there.sendto(b"", here.getsockname())
                select.select([here], [], [], WAIT_S)
                server.answer(here)
            there.settimeout(0.1)
            with self.assertRaises(TimeoutError, msg="another time server would respond for ever"):
                there.recv(100)

    def test_addresses(self):
        self.assertIsNone(server.time_socket("203.0.113.9", "lo", 0), "this host does not have it")
        self.assertIsNone(server.time_socket("127.0.0.1", "none0", 0), "there is no such interface")
        with server.time_socket("127.0.0.1", "lo", 0) as one, self.assertRaisesRegex(Refused, "127.0.0.1: another program serves port") as refused:
            server.time_socket("127.0.0.1", "lo", one.getsockname()[1])
        self.assertEqual(refused.exception.status, ExitStatus.SERVED_ALREADY)


class Tun:
    """The base station's end: a relay, in a network namespace."""

    def __init__(self, namespace, interface):
        self.fd = -1
        thread = threading.Thread(target=self._open, args=(namespace, interface))  # only this thread enters the namespace
        thread.start()
        thread.join()
        for words in (("addr", "add", f"{HOST}/16", "dev", interface), ("link", "set", interface, "up")):
            subprocess.run(["ip", "-n", namespace, *words], check=True)

    def _open(self, namespace, interface):
        server.enter(namespace)
        self.fd = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self.fd, TUNSETIFF, struct.pack("16sH22x", interface.encode(), IFF_TUN | IFF_NO_PI))

    def close(self):
        os.close(self.fd)

    def send(self, source, destination, payload):
        """From and to (address, port)."""
        header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28 + len(payload), 0, 0, 64, 17, 0, *(socket.inet_aton(end[0]) for end in (source, destination)))
        total = sum(struct.unpack(">10H", header))
        checksum = ~(total % 0xFFFF) & 0xFFFF
        os.write(self.fd, header[:10] + struct.pack(">H", checksum) + header[12:] + struct.pack(">HHHH", source[1], destination[1], 8 + len(payload), 0) + payload)

    def receive(self, until):
        """(source port, payload) of the next datagram; None: none came in time."""
        while select.select([self.fd], [], [], max(0, until - time.monotonic()))[0]:
            packet = os.read(self.fd, 2048)
            if packet[0] >> 4 == 4 and packet[9] == 17:
                return struct.unpack_from(">H", packet, 20)[0], packet[28:]
        return None

    def asked(self, source, port, payload, wait_s=0.3):
        """The response to a request, which is repeated: the server may start later."""
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            self.send((source, 67 if port == 67 else 2000), (HOST, port), payload)
            if reply := self.receive(time.monotonic() + wait_s):
                return reply
        raise AssertionError(f"no response from port {port}")


def dhcp(kind, mac, options=b""):
    head = struct.pack(">BBBBIHH12s4s16s192s", 1, 1, 6, 1, 7, 0, 0, b"", socket.inet_aton(RELAY), mac, b"")
    return head + bytes.fromhex("63825363") + bytes((53, 1, kind)) + options + b"\xff"


@unittest.skipUnless(os.geteuid() == 0, "needs root: TUN interfaces and network namespaces")
class Served(unittest.TestCase):
    """The real dnsmasq, for a relay at a TUN interface."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        (self.folder / "lab").mkdir()
        (self.folder / "bin").mkdir()
        stub = self.folder / "bin/wimax-macd"
        stub.write_text('#!/bin/sh\ncat "$2"\n', encoding="utf-8")
        stub.chmod(0o755)
        self.namespace, self.log = f"wmxm{os.getpid() % 100000}", self.folder / "log"
        managed = {"policy": "allowed", "interface": "wimax-m0", "address": f"{HOST}/16", "relay_address": RELAY, "lab_folder": str(self.folder / "lab")}
        (self.folder / "bs.macd.yml").write_text(yaml.safe_dump({"role": "bs", "tun": {"netns": self.namespace}, "managed": managed}), encoding="utf-8")

    def start(self):
        with open(self.log, "ab") as log:
            process = subprocess.Popen([sys.executable, "-B", "-m", "wimax_tools.managed", self.folder / "bs.macd.yml"], stdout=log, stderr=log,
                                       env={**os.environ, "WIMAX_BUILD_DIR": str(self.folder)})
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process

    def base(self):
        """The interface, as the base station makes it, in a new namespace."""
        subprocess.run(["ip", "netns", "add", self.namespace], check=True)
        self.addCleanup(subprocess.run, ["ip", "netns", "delete", self.namespace], stderr=subprocess.DEVNULL, check=False)
        return Tun(self.namespace, "wimax-m0")

    def child(self, process):
        """Number of dnsmasq's process."""
        until = time.monotonic() + WAIT_S
        while time.monotonic() < until:
            for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split():
                with contextlib.suppress(OSError):
                    if Path(f"/proc/{pid}/comm").read_text(encoding="utf-8") == "dnsmasq\n":
                        return int(pid)
            time.sleep(0.02)
        raise AssertionError(self.log.read_text(encoding="utf-8"))

    def enter(self, tun, mac):
        """Address and name of the file that a station gets."""
        _, offer = tun.asked(RELAY, 67, dhcp(1, mac))
        address, file = offer[16:20], offer[108:236].rstrip(b"\0").decode()
        self.assertIn(bytes((4, 4)) + socket.inet_aton(HOST), offer, "the time server")
        _, ack = tun.asked(RELAY, 67, dhcp(3, mac, bytes((50, 4)) + address + bytes((54, 4)) + socket.inet_aton(HOST)))
        self.assertIn(bytes((53, 1, 5)), ack)
        self.assertEqual((ack[16:20], ack[20:24]), (address, socket.inet_aton(HOST)))
        return socket.inet_ntoa(address), file

    def download(self, tun, address, name):
        port, block = tun.asked(address, 69, b"\0\1" + name.encode() + b"\0octet\0")
        octets = block[4:]
        while len(block) == 516:
            tun.send((address, 2000), (HOST, port), b"\0\4" + block[2:4])
            _, block = tun.receive(time.monotonic() + WAIT_S)
            octets += block[4:]
        return octets

    def test_stations_get_address_time_and_file_also_after_a_restart_of_the_base_station(self):
        process = self.start()  # before the base station
        (self.folder / "lab/station.cfg").write_bytes(bytes(range(256)) * 4)
        tun = self.base()
        first, second = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
        address, file = self.enter(tun, first)
        self.assertEqual((file, self.download(tun, address, file)), ("station.cfg", bytes(range(256)) * 4))
        _, now = tun.asked(address, 37, b"")
        self.assertLess(abs(struct.unpack(">I", now)[0] - server.FROM_1900_TO_1970_S - time.time()), 2)
        (self.folder / "lab/02-00-00-00-00-02.cfg").write_bytes(b"only")
        dnsmasq = self.child(process)
        self.assertTrue(ends(dnsmasq), "a new file")
        self.assertNotEqual(self.enter(tun, second)[0], address)
        self.assertEqual(self.enter(tun, second)[1], "02-00-00-00-00-02.cfg")
        self.assertEqual(self.enter(tun, first), (address, "station.cfg"), "leases stay")
        dnsmasq = self.child(process)
        tun.close()
        subprocess.run(["ip", "netns", "delete", self.namespace], check=True)
        self.assertTrue(ends(dnsmasq))
        again = self.base()
        self.addCleanup(again.close)
        self.assertEqual(self.enter(again, first), (address, "station.cfg"))
        dnsmasq = self.child(process)
        process.terminate()
        self.assertEqual(process.wait(WAIT_S), 0)
        self.assertTrue(ends(dnsmasq))
        self.assertEqual(list(Path("/run").glob(f"wimax-managed-{self.namespace}*")), [])

    def test_dnsmasq_ends_with_the_program(self):
        tun = self.base()
        self.addCleanup(tun.close)
        process = self.start()
        self.enter(tun, bytes(6))  # no file: an address alone
        dnsmasq = self.child(process)
        status = Path(f"/proc/{dnsmasq}/status").read_text(encoding="ascii")
        self.assertIn(f"Uid:\t{server.NOBODY}\t", status)
        process.kill()
        self.assertTrue(ends(dnsmasq))
        process.wait()
        process = self.start()
        os.kill(self.child(process), signal.SIGKILL)
        self.assertEqual(process.wait(WAIT_S), ExitStatus.FAILED, self.log.read_text(encoding="utf-8"))
        self.assertIn("wimax managed: dnsmasq has ended with status -9", self.log.read_text(encoding="utf-8"))
        self.assertEqual(list(Path("/run").glob(f"wimax-managed-{self.namespace}*")), [])


if __name__ == "__main__":
    unittest.main()
