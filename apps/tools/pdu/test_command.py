#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax-pdu as a command: exit codes, one line of error, standard input."""
import json
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
REQUEST = "8005dc0021eb"


def run(*arguments, text=""):
    return subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True, timeout=20)


class Command(unittest.TestCase):
    def decoded(self, *arguments, text=""):
        result = run("decode", *arguments, text=text)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def refused(self, *arguments, text=""):
        result = run(*arguments, text=text)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual((result.stdout, result.stderr.count("\n")), ("", 1), result.stderr)
        return result.stderr

    def test_there_and_back(self):
        tree = self.decoded("--hex", REQUEST.upper())
        self.assertEqual(tree["pdus"][0]["header"]["br"], 1500)
        self.assertEqual(self.decoded("--hex", "-", text=" 8005 dc00\n21eb\n"), tree)
        self.assertEqual(run("encode", "--json", "-", text=json.dumps(tree)).stdout, REQUEST + "\n")
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(tree, file)
            file.flush()
            self.assertEqual(run("encode", "--json", file.name).stdout, REQUEST + "\n")

    def test_octets_are_never_wrong_arguments(self):
        self.assertEqual(self.decoded("--hex", ""), {"pdus": [], "padding_bytes": 0, "error": None})
        tree = self.decoded("--hex", "8005dc0021ec")
        self.assertEqual((tree["error"], tree["rest"]), ({"offset": 0, "reason": "hcs"}, "8005dc0021ec"))

    def test_kinds(self):
        self.assertEqual(self.decoded("--what", "message", "--hex", "1e800100")["name"], "DSX-RVD")
        self.assertTrue(self.decoded("--what", "dlfp", "--hex", "5A301006300A580C70143E")["hcs_ok"])
        self.assertIn("message", self.decoded("--basic-cid-max", "400", "--hex", "00000a02bc901e800100")["pdus"][0])

    def test_key(self):
        sealed = "40401a06c45abcf65721e75536c827a8d71b432ca548cbb65f48"
        key = ("--tek", "D50E18A844AC5BF38E4CD72D9B0942E5")
        tree = self.decoded("--hex", sealed, *key)
        self.assertEqual(tree["pdus"][0]["payload"], "00010203")
        for again in (("--tek", key[1].lower()), ()):
            self.assertEqual(run("encode", "--json", "-", *again, text=json.dumps(tree)).stdout, sealed + "\n")
        self.assertEqual(self.decoded("--hex", sealed)["pdus"][0]["payload"], sealed[12:-8])
        self.assertEqual(self.decoded("--hex", sealed, "--tek", "00" * 8, "--cbc-iv", "11" * 8, "--frame", "4369")["pdus"][0]["cbc_iv"],
                         "1111111111110000")

    def test_key_log(self):
        """Two stations' keys have one number; which is the one, the PDU tells."""
        sealed = "40401a06c45abcf65721e75536c827a8d71b432ca548cbb65f48"
        lines = [{"eks": 0, "mac": "02:00:00:00:00:01", "said": 1, "tek": "d50e18a844ac5bf38e4cd72d9b0942e5"},
                 {"eks": 1, "mac": "02:00:00:00:00:01", "said": 1, "tek": "11" * 16}, {"eks": 0, "mac": "02:00:00:00:00:02", "said": 2, "tek": "22" * 16}]
        with tempfile.NamedTemporaryFile("w", suffix=".log") as file:
            file.write("".join(json.dumps(line) + "\n" for line in lines))
            file.flush()
            self.assertEqual(self.decoded("--hex", sealed, "--key-log", file.name)["pdus"][0]["payload"], "00010203")
            self.assertIn("--tek", self.refused("decode", "--hex", sealed, "--key-log", file.name, "--tek", "00" * 16))
            for line, what in (("{", "line 4"), ('{"eks": 4, "tek": "%s"}' % ("11" * 16), "line 4"), ('{"eks": 1, "tek": "%s"}' % ("11" * 8), "line 4")):
                file.seek(0, 2)
                end = file.tell()
                file.write(line)
                file.flush()
                self.assertIn(what, self.refused("decode", "--hex", sealed, "--key-log", file.name))
                file.truncate(end)
        self.assertIn("cannot be read", self.refused("decode", "--hex", sealed, "--key-log", tempfile.gettempdir()))

    def test_configuration_files(self):
        with tempfile.TemporaryDirectory() as folder:
            key, other, made = f"{folder}/file.key", f"{folder}/other.key", f"{folder}/station.cfg"
            for path, digits in ((key, "5a" * 32), (other, "5b" * 32)):
                with open(path, "w", encoding="ascii") as file:
                    file.write(digits + "\n")
            tree = json.dumps({"fields": {"ss_mac": "02:00:00:00:00:07", "ul_flow": {"class": "voice", "scheduling": 6}}})
            result = run("sign-file", "-", "--key", key, "--output", made, text=tree)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
            for arguments, code, signature in (((), 0, "not verified"), (("--key", key), 0, "right"), (("--key", other), 1, "wrong")):
                result = run("show-file", made, *arguments)
                self.assertEqual((result.returncode, json.loads(result.stdout)["signature"]), (code, signature))
            self.assertEqual(json.loads(result.stdout)["fields"]["ul_flow"][0]["class"], "voice")
            again = f"{folder}/again.cfg"
            self.assertEqual(run("sign-file", "-", "--key", key, "--output", again, text=result.stdout).returncode, 0)
            with open(made, "rb") as first, open(again, "rb") as second:
                self.assertEqual(first.read(), second.read())
            self.assertEqual(run("show-file", key).returncode, 1)
            self.assertIn("--key", self.refused("show-file", made, "--key", made))
            self.assertIn("missing.key", self.refused("show-file", made, "--key", "missing.key"))
            self.assertIn("/fields/flows", self.refused("sign-file", "-", "--key", key, "--output", again, text='{"fields": {"flows": []}}'))
            self.refused("sign-file", "-", "--output", again, text=tree)
            result = run("sign-file", "-", "--key", key, "--output", f"{folder}/none/x.cfg", text=tree)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)

    def test_wrong_arguments(self):
        self.refused()
        self.refused("decode")
        self.refused("decode", "--hex", "8g")
        self.refused("decode", "--hex", "800")
        for wrong in ("00", "00" * 15, "0g" * 16, "00" * 17):
            self.assertIn("--tek", self.refused("decode", "--hex", "80", "--tek", wrong))
            self.assertNotIn(wrong, self.refused("decode", "--hex", "80", "--tek", wrong))
        self.assertIn("--cbc-iv", self.refused("decode", "--hex", "80", "--tek", "00" * 8, "--cbc-iv", "00"))
        self.refused("decode", "--hex", "80", "--cbc-iv", "00" * 8)
        self.refused("decode", "--hex", "80", "--tek", "00" * 8, "--frame", "16777216")
        self.assertIn("uplink", self.refused("decode", "--hex", "80", "--direction", "up"))
        self.refused("decode", "--hex", "80", "--what", "frames")
        self.refused("decode", "--hex", "80", "--basic-cid-max", "0")
        self.assertIn("cannot be read", self.refused("encode", "--json", tempfile.gettempdir()))
        self.assertIn("missing.json", self.refused("encode", "--json", "missing.json"))
        self.refused("encode", "--json", "-", text="{")
        self.assertIn("/pdus/0/header/cid", self.refused(
            "encode", "--json", "-", text='{"pdus":[{"header":{"ht":0,"cid":70000}}]}'))

    def test_help(self):
        for arguments in (["--help"], ["decode", "--help"], ["encode", "--help"], ["show-file", "--help"], ["sign-file", "--help"]):
            result = run(*arguments)
            self.assertEqual(result.returncode, 0)
            self.assertIn("--help", result.stdout)


unittest.main()
