# SPDX-License-Identifier: GPL-3.0-or-later
"""Privacy over the whole stack: keys change under traffic, a third radio reads nothing, the file of keys opens what it recorded, and
who has no valid certificate stays outside."""
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import StackCase, needs_root
from wimax_tools.bench.traffic import in_namespace
from wimax_tools.keys.store import Store
from wimax_tools.radio.capture import capture, parser

FIRST, SECOND = b"marked for first", b"marked to second"  # sixteen octets, as ping repeats them
PROBES = 300
LIFETIMES = {"ak_lifetime_s": 12, "tek_lifetime_s": 4}
GRACE = {"authorization_grace_s": 4, "tek_grace_s": 1}


def mac_of(i):
    return f"02:00:00:00:00:{i:02x}"


class Lab:
    """An authority, and certificates of the stations of these numbers."""

    def __init__(self, folder, *numbers):
        self.store = Store(folder)
        self.store.make_authority("lab", 2048, "sha256", 30)
        for i in numbers:
            self.store.make_station(mac_of(i), 2048, "sha256", 30)

    def base(self, policy, **more):
        return {"privacy": {"policy": policy, "authorities": str(self.store.ca_pem), "revoked": str(self.store.revoked_pem), **LIFETIMES, **more}}

    def station(self, i, policy="required"):
        files = self.store.folder / "stations" / mac_of(i).replace(":", "-")
        return {"privacy": {"policy": policy, "authorities": str(self.store.ca_pem), "certificate": f"{files}.pem", "private_key": f"{files}.key",
                            **GRACE}}


class PrivacyCase(StackCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def started(self, stations, macd_extra):
        stack = self.stack(stations=stations, macd_extra=macd_extra)
        stack.start()
        return stack

    def station_of(self, stack, i):
        return next((s for s in stack.answer("bs.macd")["station"]["stations"] if s["mac"] == mac_of(i)), {})


@needs_root
class Private(PrivacyCase):
    def setUp(self):
        super().setUp()
        lab = Lab(self.folder / "keys", 1)
        self.key_log = self.folder / "tek.log"
        # The second station has no privacy, and is the third radio.
        self.running = self.started(2, {"bs": lab.base("allowed", allow_key_log=True, key_log=str(self.key_log)), "ss1": lab.station(1)})
        self.running.wait_for_entry()

    def ping(self, i, marker, count, interval_s):
        done = subprocess.run(in_namespace(self.running.bs_netns, "ping", "-c", count, "-i", interval_s, "-s", 400, "-W", 5, "-p", marker.hex(),
                                           self.running.ss_address(i)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.stdout

    def test_nothing_is_lost_while_keys_change(self):
        before = self.running.clock().simulated_s
        self.assertIn(f"{PROBES} packets transmitted, {PROBES} received", self.ping(0, FIRST, PROBES, 0.05))
        passed_s = self.running.clock().simulated_s - before
        base = self.station_of(self.running, 1)["privacy"]
        own = self.running.answer("ss1.macd")["station"]["privacy"]
        self.assertGreaterEqual(base["key_replies"], int(passed_s / 2) - 1)
        self.assertGreaterEqual(base["authorizations"], int(passed_s / 12))
        for end in (base, own):
            self.assertEqual(end["state"], "authorized")
            self.assertEqual({k: n for k, n in end["pdus"].items() if k != "opened" and n}, {})
            self.assertEqual({k: n for k, n in end["messages"].items() if n}, {})
        self.assertNotIn("privacy", self.station_of(self.running, 2))

    def test_a_third_radio_reads_what_is_not_encrypted_alone(self):
        pinging = [subprocess.Popen(in_namespace(self.running.bs_netns, "ping", "-c", 2000, "-i", 0.02, "-s", 400, "-p", marker.hex(),
                                                 self.running.ss_address(i)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                   for i, marker in enumerate((FIRST, SECOND))]
        for one in pinging:
            self.addCleanup(one.wait)
            self.addCleanup(one.kill)
        self.wait_until(self.running, "no pings yet", lambda: self.station_of(self.running, 1)["dl"]["sdus"] > 10)
        file = self.folder / "air.sigmf-data"
        capture(parser().parse_args(["--phy", "ss2.phyd", "--out", str(file)]), lambda request: self.running.ask("ss2.phyd", request))
        heard = subprocess.run([self.running.binaries / "wimax-iq", "decode", "--in", file, "--spec", "-"],
                               input='{"direction": "downlink", "bandwidth_hz": 5000000}', capture_output=True, text=True, timeout=300, check=True)
        bursts = [burst["payload"].lower() for frame in json.loads(heard.stdout)["frames"] for burst in frame["bursts"] if burst["fec_ok"]]
        self.assertTrue(any(SECOND.hex() in payload for payload in bursts))
        self.assertFalse(any(FIRST.hex() in payload for payload in bursts))
        # The keys that the base station has written open it.
        self.assertEqual(self.key_log.stat().st_mode & 0o777, 0o600)
        self.assertTrue(any(FIRST.hex() in self.opened(payload) for payload in bursts))

    def opened(self, payload):
        done = subprocess.run([self.running.binaries / "wimax-pdu", "decode", "--hex", "-", "--direction", "downlink", "--key-log", self.key_log],
                              input=payload, capture_output=True, text=True, timeout=60, check=True)
        return done.stdout


class Refused(PrivacyCase):
    def test_a_revoked_certificate(self):
        lab = Lab(self.folder / "keys", 1, 2)
        lab.store.revoke(mac_of(1))
        stack = self.started(2, {"bs": lab.base("required"), "ss1": lab.station(1), "ss2": lab.station(2)})
        self.wait_until(stack, "the second one enters", lambda: self.station_of(stack, 2).get("state") == "operational", 20)
        self.wait_until(stack, "the first one is refused", lambda: any("is not authorized: revoked" in str(event)
                                                                       for event in stack.ask("bs.macd", {"get": "events"})["events"]["events"]), 20)
        self.assertNotEqual(self.station_of(stack, 1).get("state"), "operational")
        self.assertFalse(stack.answer("ss1.macd")["station"]["operational"])


if __name__ == "__main__":
    unittest.main()
