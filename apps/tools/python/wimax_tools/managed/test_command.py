# SPDX-License-Identifier: GPL-3.0-or-later
import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import yaml

from wimax_tools.managed import command, server

STUB = '#!/bin/sh\nif grep -q broken "$2"; then echo "$2:1: broken: unknown key" >&2; exit 2; fi\ncat "$2"\n'  # prints the file as the effective configuration


class Refusals(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        stub = self.folder / "bin/wimax-macd"
        stub.parent.mkdir()
        stub.write_text(STUB, encoding="utf-8")
        stub.chmod(0o755)
        change = mock.patch.dict(os.environ, WIMAX_BUILD_DIR=str(self.folder))
        change.start()
        self.addCleanup(change.stop)
        self.file = self.folder / "bs.macd.yml"
        self.managed = {"policy": "allowed", "interface": "wimax-m0", "address": "10.253.0.1/16", "relay_address": "10.253.0.2",
                        "server_address": "", "lab_folder": str(self.folder)}

    def write(self, role="bs", **changes):
        self.file.write_text(yaml.safe_dump({"role": role, "tun": {"netns": "wimax-bs"}, "managed": {**self.managed, **changes}}), encoding="utf-8")

    def refusal(self, file=None):
        """Exit status and the message of a call that must not serve."""
        with mock.patch.object(server.Server, "serve", side_effect=AssertionError), contextlib.redirect_stderr(io.StringIO()) as said:
            status = command.main([str(file or self.file)])
        return status, said.getvalue()

    def test_keys_that_ask_for_nothing_or_for_the_impossible(self):
        for changes, words in (
                ({"policy": "off"}, "managed.policy: value off; allowed: allowed or required; off: there are no managed stations"),
                ({"policy": False}, "managed.policy: value off; allowed: "),  # what YAML 1.1 makes of a bare off
                ({"lab_folder": ""}, "managed.lab_folder: value (empty); allowed: a folder with station.cfg, "),
                ({"lab_folder": str(self.folder / "none")}, f"managed.lab_folder: value {self.folder}/none; allowed: a folder "),
                ({"lab_folder": str(self.file)}, f"managed.lab_folder: value {self.file}; allowed: a folder "),
                ({"server_address": "10.253.0.9"}, "managed.server_address: value 10.253.0.9; allowed: with lab_folder: empty, or 10.253.0.1; "),
                ({"address": "10.253.0.1/30"}, "managed.address: value 10.253.0.1/30; allowed: a subnet that has addresses left for stations"),
                ({"address": "x"}, "managed: interface, address and relay_address are needed: "),
                ({"role": "ss"}, "role: value ss; allowed: bs, ")):
            self.write(**changes)
            status, said = self.refusal()
            self.assertEqual((status, said[:len(f"wimax managed: {self.file}: {words}")]), (2, f"wimax managed: {self.file}: {words}"))

    def test_files(self):
        for name, words in (("none.macd.yml", "no such file"), ("bs.phyd.yml", "is for wimax-phyd; allowed: [NAME.]macd.yml of a base station")):
            if name.startswith("bs"):
                (self.folder / name).touch()
            self.assertEqual(self.refusal(self.folder / name), (2, f"wimax managed: {self.folder / name}: {words}\n"))
        self.file.write_text("broken: 1\n", encoding="utf-8")
        self.assertEqual(self.refusal(), (2, f"wimax managed: {self.file}:1: broken: unknown key\n"))

    def test_without_root(self):
        self.write()
        with mock.patch.object(os, "geteuid", lambda: 1000):
            self.assertEqual(self.refusal(), (2, f"wimax managed: ports of DHCP, TFTP and time need root; type: sudo ./wimax managed {self.file}\n"))

    def test_without_dnsmasq(self):
        self.write()
        with mock.patch.object(os, "geteuid", lambda: 0), \
                mock.patch("wimax_tools.upkeep.processes.rename"), mock.patch.object(server.shutil, "which", lambda name, path: None):
            self.assertEqual(self.refusal(), (1, "wimax managed: dnsmasq is missing; type: ./wimax setup run\n"))

    def test_server_address_of_this_host(self):
        self.write(server_address="10.253.0.1")
        self.assertEqual(command.lab(self.file), server.Lab(self.folder, "wimax-m0", "wimax-bs", server.ipaddress.IPv4Interface("10.253.0.1/16"),
                                                            server.ipaddress.IPv4Address("10.253.0.2")))

    def test_what_is_printed_is_printable(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            command.say(b"a\x1b[2Jb\xff".decode(errors="surrogateescape"))
        self.assertEqual(said.getvalue(), "a\\x1b[2Jb\\xff\n")


if __name__ == "__main__":
    unittest.main()
