# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of programs that run, over HTTP: all of them, one that is killed, one that begins anew."""
import os
import re
import subprocess
import sys
import time
import unittest
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families

from support import StackCase


def scrape(address):
    """{(sample, labels): value}"""
    with urllib.request.urlopen(urllib.request.Request(address, headers={"Accept": "application/openmetrics-text"})) as reply:
        text = reply.read().decode()
    return {(sample.name.removeprefix("wimax_"), tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(text) for sample in family.samples}


def by_daemon(samples, name):
    return {dict(labels)["daemon"]: value for (sample, labels), value in samples.items() if sample == name}


class Metrics(StackCase):
    def serve(self, stack):
        """Its address; it ends with the test, and well."""
        server = subprocess.Popen([sys.executable, "-B", "-m", "wimax_tools.metrics", "--port", "0"], stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "WIMAX_RUN": str(stack.run)})

        def end():
            server.terminate()
            self.assertEqual((server.communicate()[1], server.returncode), ("", 0))

        self.addCleanup(end)
        return re.search(r"http://\S+", server.stderr.readline())[0]

    def test_programs_come_and_go(self):
        begin = time.time()
        ends = {"bs": ("10.16.0.1", "10.16.0.2"), "ss1": ("10.16.0.2", "10.16.0.1")}
        stack = self.stack(mode="free", tun=False, traffic={site: [{"start_s": 0.5, "period_s": 0.01, "count": 1_000_000, "size_bytes": 500,
                                                                    "source": source, "destination": sink}] for site, (source, sink) in ends.items()})
        stack.start()
        stack.wait_for_entry()
        address = self.serve(stack)
        first = scrape(address)
        self.assertEqual(by_daemon(first, "up"), dict.fromkeys(stack.daemons, 1))
        self.assertEqual(by_daemon(first, "station_operational"), {"bs.macd": 1, "ss1.macd": 1})
        self.assertTrue(all(begin - 1 < when < time.time() for when in by_daemon(first, "frames_created").values()))

        self.wait_on_host("no packets", lambda: min(value for (name, _), value in scrape(address).items() if name == "sf_bytes_total") > 0)
        second = scrape(address)
        counters = {key for key in first if key[0].endswith(("_total", "_created"))}
        self.assertGreater(len(counters), 300)
        self.assertEqual({key for key in counters if second[key] < first[key]}, set(), "went back")
        self.assertEqual({key for key in counters if key[0].endswith("_created") and second[key] != first[key]}, set(), "began anew")

        stack.kill("ss1.phyd")
        self.wait_on_host("still up", lambda: by_daemon(scrape(address), "up")["ss1.phyd"] == 0)  # answers are used again for a second
        third = scrape(address)
        self.assertEqual(by_daemon(third, "up"), {**dict.fromkeys(stack.daemons, 1), "ss1.phyd": 0})
        self.assertNotIn("ss1.phyd", by_daemon(third, "frames_total"))
        stack.start_daemon("ss1.phyd")
        self.wait_on_host("not there again", lambda: "ss1.phyd" in by_daemon(scrape(address), "frames_total"))  # its radio is open
        fourth = scrape(address)
        self.assertGreater(by_daemon(fourth, "frames_created")["ss1.phyd"], by_daemon(second, "frames_created")["ss1.phyd"])
        self.assertEqual(by_daemon(fourth, "frames_created")["bs.phyd"], by_daemon(second, "frames_created")["bs.phyd"])
        stack.processes["ss1.macd"].terminate()  # which takes its socket along
        stack.processes["ss1.macd"].wait()
        self.wait_on_host("still up", lambda: by_daemon(scrape(address), "up")["ss1.macd"] == 0)


if __name__ == "__main__":
    unittest.main()
