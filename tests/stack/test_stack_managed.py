# SPDX-License-Identifier: GPL-3.0-or-later
"""Managed stations over the whole stack: dnsmasq and the time server of `wimax managed`, no server, and configuration files that a station refuses."""
import hmac
import ipaddress
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support import StackCase, needs_root

ENTRY_S = 5    # of simulated time
FAILURE_S = 10
SUBNET = ipaddress.IPv4Network("10.253.0.0/16")
KEY = bytes(range(32))
SS_MAC_ADDRESS, SIGNATURE, END = 1, 254, 255
SHORT = {"first_wait_ms": 100, "longest_wait_ms": 200, "address_tries": 3, "file_request_tries": 3, "file_download_tries": 1}


def mac_of(i):
    return f"02:00:00:00:00:{i:02x}"


def padded(octets):
    return octets + bytes(-len(octets) % 4)


def settings_for(i):
    """The file is valid for this station alone."""
    return bytes((SS_MAC_ADDRESS, 6)) + bytes.fromhex(mac_of(i).replace(":", ""))


def signed(settings, key=KEY):
    return padded(settings + bytes((SIGNATURE, 32)) + hmac.digest(key, settings, "sha256") + bytes((END,)))


@needs_root
class Managed(StackCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.lab, self.key = Path(scratch.name, "lab"), Path(scratch.name, "key.hex")
        self.lab.mkdir()
        self.key.touch(mode=0o600)
        self.key.write_text(KEY.hex() + "\n", encoding="ascii")

    def started(self, stations, server=True):
        """`stations`: keys of each one."""
        base = {"policy": "required", "interface": "wimax-m0", "address": "10.253.0.1/16", "relay_address": "10.253.0.2", "lab_folder": str(self.lab)}
        own = {"offered": True, "needs_file": True, "file_key": str(self.key)}
        stack = self.stack(stations=len(stations), macd_extra={
            "bs": {"managed": base}, **{f"ss{i + 1}": {"managed": {**own, **keys}} for i, keys in enumerate(stations)}})
        if server:  # it waits for the base station
            stack.write_configuration()
            stack.start_program("bs.managed", [sys.executable, "-B", "-m", "wimax_tools.managed", str(stack.folder / "bs.macd.yml")], {**os.environ})
        stack.start()
        return stack

    def station(self, stack, i):
        return stack.answer(f"ss{i}.macd")["station"]

    def wait_for_event(self, stack, i, *words):
        """An event of the station's set-up with these words."""
        def reported():
            events = (stack.ask(f"ss{i}.macd", {"get": "events"}) or {}).get("events", {}).get("events", [])
            return any("managed" in str(event) and all(word in str(event) for word in words) for event in events)

        self.wait_until(stack, f"no event with {words}", reported, FAILURE_S)

    def test_address_time_and_file_by_dnsmasq(self):
        (self.lab / "station.cfg").write_bytes(signed(b""))
        (self.lab / "02-00-00-00-00-02.cfg").write_bytes(signed(settings_for(2)))
        stack = self.started([{}, {"needs_time": True}])
        self.assertLessEqual(stack.wait_for_entry(), ENTRY_S)
        found = [self.station(stack, i)["managed"] for i in (1, 2)]
        self.assertEqual([(one["step"], one["file"]) for one in found], [("done", "station.cfg"), ("done", "02-00-00-00-00-02.cfg")])
        addresses = {ipaddress.IPv4Address(one["address"]) for one in found}
        self.assertEqual((len(addresses), [address for address in addresses if address not in SUBNET]), (2, []))
        for one in found:
            self.assertLess(abs(one["time_s"] - time.time()), 30)
        self.wait_until(stack, "packets of users are not delivered", lambda: self.pings(stack))

    def test_without_a_server(self):
        stack = self.started([SHORT, {**SHORT, "needs_address": False, "needs_file": False}], server=False)
        self.wait_for_event(stack, 1, "no address")
        self.wait_until(stack, "the second one enters", lambda: self.station(stack, 2)["operational"], FAILURE_S)
        self.assertEqual(self.station(stack, 2)["managed"]["step"], "done")
        self.assertFalse(self.station(stack, 1)["operational"])

    def test_files_without_a_valid_signature(self):
        (self.lab / "station.cfg").write_bytes(padded(settings_for(1) + bytes((END,))))
        (self.lab / "02-00-00-00-00-02.cfg").write_bytes(signed(settings_for(2), key=b"another key of a lab"))
        stack = self.started([SHORT, SHORT])
        for i, file, reason in ((1, "station.cfg", "no signature"), (2, "02-00-00-00-00-02.cfg", "wrong signature")):
            self.wait_for_event(stack, i, file, reason)
            self.wait_for_event(stack, i, "no configuration file")
            self.assertFalse(self.station(stack, i)["operational"])


if __name__ == "__main__":
    unittest.main()
