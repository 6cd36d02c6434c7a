# SPDX-License-Identifier: GPL-3.0-or-later
"""Rubbish at every door: configuration, PHY service access point, control sockets, radio link. Nothing dies, nothing stalls."""
import os
import random
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

import zmq

from support import StackCase, needs_root

LINGER_MS = 60_000
TRANSMITTER = "/usr/libexec/uhd/examples/tx_samples_from_file"


class Configuration(unittest.TestCase):
    def run_with(self, program, text):
        binary = Path(os.environ["WIMAX_BUILD_DIR"]) / "bin" / program
        with tempfile.NamedTemporaryFile("wb", suffix=".yml") as file:
            file.write(text)
            file.flush()
            return file.name, subprocess.run([binary, "--config", file.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                             timeout=60, check=False)

    def test_all_faults_at_once_with_file_and_line(self):
        text = (b"role: bs\nair:\n  bandwidth_hz: 40000000\n  frequncy_hz: 1e9\nbs:\n  cp: 1/9\n  dl_rate_id: 7\n"
                b"  stations:\n    - mac: 02:00\n")
        name, done = self.run_with("wimax-macd", text)
        said = done.stderr.decode()
        self.assertEqual(done.returncode, 2)
        for line, key, allowed in ((3, "air.bandwidth_hz", "28"), (4, "air.frequncy_hz", "frequency_hz"), (6, "bs.cp", "1/32"),
                                   (7, "bs.dl_rate_id", "6"), (9, "bs.stations[0].mac", "")):
            row = [text for text in said.splitlines() if text.startswith(f"{name}:{line}: {key}")]
            self.assertTrue(row, f"{key} in\n{said}")
            self.assertIn(allowed, row[0])

    def test_rubbish_as_a_file(self):
        rng = random.Random(7)
        for program in ("wimax-macd", "wimax-phyd", "wimax-channeld"):
            for _ in range(5):
                _, done = self.run_with(program, rng.randbytes(rng.randrange(1, 2000)))
                self.assertEqual(done.returncode, 2, program)
                self.assertTrue(done.stderr.strip(), program)


@needs_root
class Sockets(StackCase):
    def test_random_octets_neither_crash_nor_stall(self):
        stack = self.stack()
        stack.start()
        stack.wait_for_entry()
        rng = random.Random(11)
        context = zmq.Context()
        for site in stack.sites:
            peer = context.socket(zmq.DEALER)
            peer.connect(f"ipc://{stack.run}/{site}.sap")
            for _ in range(200):
                parts = [rng.randbytes(rng.randrange(0, 300)) for _ in range(rng.randrange(1, 4))]
                peer.send_multipart(parts)
            peer.close(linger=LINGER_MS)
        for daemon in stack.daemons:
            asker = context.socket(zmq.DEALER)
            asker.connect(stack.control(daemon))
            for _ in range(50):
                asker.send_multipart([b"", rng.randbytes(rng.randrange(0, 200))])
            asker.close(linger=LINGER_MS)
        for _ in range(20):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as link:
                link.connect(f"{stack.run}/channel")
                link.send(rng.randbytes(rng.randrange(1, 500)))
        context.destroy(linger=LINGER_MS)  # until all of it is delivered
        self.wait_for_ping(stack, 3.0)
        stack.check_alive()
        self.wait_until(stack, "malformed messages counted", lambda: stack.status("bs.phyd")["sap"]["malformed"] > 0)

    def test_rubbish_on_the_air(self):
        """A radio that sends random bits as samples (huge, infinite, not a number) to both ends."""
        stack = self.stack(channel_extra={"links": [
            {"from": "bs", "to": "ss*", "snr_db": 30}, {"from": "wild", "to": "*", "path_loss_db": 60}]})
        stack.start()
        stack.wait_for_entry()
        with tempfile.NamedTemporaryFile("wb", suffix=".fc32") as file:
            file.write(random.Random(13).randbytes(8 * 2_880_000))  # 0.5 s, more than the radio queues
            file.flush()
            sent = subprocess.run(
                [TRANSMITTER, "--args", f"type=vrf,addr={stack.run}/channel,name=wild", "--file", file.name, "--type", "float",
                 "--rate", "5.76e6", "--freq", "3.5e9", "--gain", "60"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        self.assertEqual(sent.returncode, 0, sent.stdout)
        self.assertGreater(stack.status("channeld")["radios"]["wild"]["active_tx_chunks"], 100)
        self.wait_for_ping(stack, 5.0)
        stack.check_alive()


if __name__ == "__main__":
    unittest.main()
