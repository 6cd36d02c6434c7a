# SPDX-License-Identifier: GPL-3.0-or-later
"""The live page in a browser: what it shows of a cell that runs, what it changes, and for whom."""
import http.client
import json
import os
import re
import subprocess
import sys
import time
import unittest
import urllib.request
from pathlib import Path

import yaml
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from support import StackCase

SHOWN_S = 2.0  # of the wall clock: what happens is on the page by then
STATION = "02:00:00:00:00:01"


def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,1700"):
        options.add_argument(word)
    return webdriver.Chrome(service=webdriver.chrome.service.Service("/usr/bin/chromedriver"), options=options)


def mean(levels):
    return sum(levels) / len(levels)


def spread_db(burst):
    """Between the carriers of its channel."""
    known = [level for level in burst["channels"][0]["power_dbm"] if level is not None]
    return max(known) - min(known)


class Watch(StackCase):
    def setUp(self):
        flow = {"name": "up", "direction": "uplink", "scheduling": "best_effort", "max_sustained_rate_bps": 1_000_000, "rules": []}
        bs = {"bs": {"service_flows": [flow, {"name": "down", "direction": "downlink"}],
                     "stations": [{"mac": STATION, "name": "house", "flows": ["up", "down"]}]}}
        traffic = {site: [{"start_s": 0.5, "period_s": 0.02, "count": 1_000_000, "size_bytes": 500, "source": a, "destination": b}]
                   for site, a, b in (("bs", "10.16.0.1", "10.16.0.2"), ("ss1", "10.16.0.2", "10.16.0.1"))}
        self.cell = self.stack(mode="paced", tun=False, traffic=traffic, macd_extra={"bs": bs})
        self.cell.start()
        self.cell.wait_for_entry()
        self.file = Path(self.cell.folder) / "bs.macd.yml"  # which the base station reads again
        self.file.write_text("# who is served\n" + self.file.read_text(encoding="utf-8"), encoding="utf-8")
        self.server = subprocess.Popen([sys.executable, "-B", "-m", "wimax_tools.watch", "--port", "0", "--file", str(self.file)],
                                       stderr=subprocess.PIPE, text=True, env={**os.environ, "WIMAX_RUN": str(self.cell.run)})
        self.addCleanup(self.end)
        said = self.server.stderr.readline()
        self.address = re.search(r"http://\S+", said)[0]
        self.port = int(re.search(r":(\d+)/", self.address)[1])
        self.browser = browser()
        self.addCleanup(self.browser.quit)
        self.browser.get(self.address)

    def end(self):
        self.server.terminate()
        self.server.communicate()
        self.assertEqual(self.server.returncode, 0)

    def text(self, place):
        return self.browser.execute_script(f"return document.getElementById('{place}').textContent")

    def shown(self, what, condition, limit_s=SHOWN_S):
        """What the condition says when it holds."""
        return WebDriverWait(self.browser, 5 * limit_s, 0.05).until(lambda _: condition(), what)

    def fill(self, form, **values):
        """Selects and enters as a user does, one field after the other."""
        for name, value in values.items():
            field = self.browser.find_element(By.CSS_SELECTOR, f"#{form} [name={name}]")
            if field.tag_name == "select":
                self.shown(f"no {value} to select", lambda: value in [one.get_attribute("value") for one in field.find_elements(By.TAG_NAME, "option")])
                self.browser.execute_script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))", field, value)
            else:
                field.clear()
                field.send_keys(value)
        self.browser.execute_script("document.getElementById('answer').textContent = ''")
        self.browser.find_element(By.CSS_SELECTOR, f"#{form} button:not([type=button])").click()
        self.shown("no answer", lambda: self.text("answer"), 5)
        return self.text("answer")

    def write_file(self, text):
        """As a user does: show, change, write."""
        self.browser.execute_script("document.getElementById('file-details').open = true")
        self.browser.find_element(By.ID, "file-show").click()
        area = self.browser.find_element(By.CSS_SELECTOR, "#file-form textarea")
        self.shown("no file", lambda: area.get_property("value"))
        self.assertEqual(area.get_property("value"), self.file.read_text(encoding="utf-8"))
        self.browser.execute_script("arguments[0].value = arguments[1]; document.getElementById('answer').textContent = ''", area, text)
        self.browser.find_element(By.CSS_SELECTOR, "#file-form button:not([type])").click()
        self.shown("no answer", lambda: self.text("answer"), 5)
        self.browser.execute_script("arguments[0].value = ''", area)
        return self.text("answer")

    def reloads(self):
        """Done and refused."""
        reload = self.cell.ask("bs.macd", {"get": "reload"})["reload"]
        return reload["done"], reload["refused"]

    def flows(self):
        return {flow["name"]: flow for flow in self.cell.ask("bs.macd", {"get": "flows"})["flows"]["flows"]}

    def post(self, value, token=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        self.addCleanup(connection.close)
        connection.request("POST", "/change", json.dumps(value), {"Authorization": f"Bearer {token}"} if token else {})
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())

    def picture(self, name, place="body", after_s=0):
        """To look at, where they are asked for: of the page as far as it goes, or of a part, some time later."""
        if not (folder := os.environ.get("WIMAX_PICTURES")):
            return
        time.sleep(after_s)
        height, around = self.browser.execute_script("return [document.documentElement.scrollHeight, outerHeight - innerHeight]")
        self.browser.set_window_size(1400, height + around)
        self.browser.find_element(By.CSS_SELECTOR, place).screenshot(f"{folder}/{name}.png")

    def cpu_s(self, pid=None):
        fields = Path(f"/proc/{pid or self.server.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def shares(self, seconds):
        """Of a core: the server and the base station's PHY, over so much time."""
        pids = {"server": self.server.pid, "bs.phyd": self.cell.processes["bs.phyd"].pid}
        begin, cpu = time.monotonic(), {name: self.cpu_s(pid) for name, pid in pids.items()}
        time.sleep(seconds)
        return {name: (self.cpu_s(pid) - cpu[name]) / (time.monotonic() - begin) for name, pid in pids.items()}

    def questions(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/status") as reply:
            return json.loads(reply.read())

    def link(self, name, **values):
        self.assertEqual(self.cell.ask("channeld", {"set": {"link": {"name": name, **values}}}), {"ok": True})

    def choose(self, select, value):
        self.browser.execute_script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))",
                                    self.browser.find_element(By.ID, select), value)

    def heard(self, condition):
        """What the panel has of the chosen burst, once that is so."""
        def look():
            burst = self.browser.execute_script("return signalPanel.heard && signalPanel.heard.burst")
            return burst if burst and condition(burst) else None
        return WebDriverWait(self.browser, 5 * SHOWN_S, 0.05).until(lambda _: look(), "not heard")

    def drawn(self, place):
        """Blue pixels of a canvas: lines and points are, axes, ideal points and phase are not; of the waterfall's colours many are."""
        return self.browser.execute_script("""
            const canvas = document.querySelector(arguments[0]), {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            let pixels = 0;
            for (let at = 0; at < data.length; at += 4)
              if (data[at + 3] > 100 && data[at + 2] - data[at] > 60) ++pixels;
            return pixels""", place)

    def test_shows_and_changes_a_cell(self):
        self.shown("no station", lambda: "house" in self.text("stations") and "operational" in self.text("stations"))
        self.shown("no burst", lambda: "house" in self.text("frames") and "burst by burst" in self.text("frames"))
        self.shown("no events", lambda: self.text("events"))
        self.assertIn("64-QAM 3/4", self.text("stations"))
        self.shown("not two charts", lambda: self.browser.execute_script("return document.querySelectorAll('.uplot').length") == 2)

        with self.subTest("a station fades"):
            begin = time.monotonic()
            self.link("bs->ss1", snr_db=15)
            level = "return Number(document.querySelector('#stations tbody tr').cells[3].textContent.split(' ')[0])"
            self.shown("no fade", lambda: 10 < self.browser.execute_script(level) < 17)
            print(f"a fade is shown after {time.monotonic() - begin:.2f} s")
            self.picture("fade")
            self.link("bs->ss1", snr_db=30)

        flow = self.flows()["up"]
        with self.subTest("without the token"):
            order = {"program": "bs.macd", "key": "flows.change", "value": {"sfid": flow["sfid"], "max_sustained_rate_bps": 1}}
            for token in (None, "wrong"):
                status, answer = self.post(order, token)
                self.assertEqual((status, answer), (403, {"error": ["a change needs the token that wimax watch has printed at its start"]}))
            self.assertEqual(self.flows()["up"]["max_sustained_rate_bps"], 1_000_000)

        with self.subTest("a flow changes"):
            sfid, begin = str(flow["sfid"]), time.monotonic()
            said = self.fill("flow-form", verb="change", sfid=sfid, max_sustained_rate_bps="500000")
            self.assertEqual(self.flows()["up"]["max_sustained_rate_bps"], 500_000, said)
            print(f"a flow is changed after {time.monotonic() - begin:.2f} s")
            self.assertIn(f"not written to {self.file}", said)
            self.shown("not shown", lambda: "500000" in self.text("flows"))
            self.browser.find_element(By.ID, "write").click()
            said = self.fill("flow-form", verb="change", sfid=sfid, max_sustained_rate_bps="600000")
            self.assertIn(f"written to {self.file}", said)
            text = self.file.read_text(encoding="utf-8")
            self.assertTrue(text.startswith("# who is served\n"), text)
            self.assertEqual(yaml.safe_load(text)["bs"]["service_flows"][0]["max_sustained_rate_bps"], 600_000)

        with self.subTest("wrong values"):
            was = self.file.read_bytes()
            said = self.fill("flow-form", verb="change", sfid=sfid, max_sustained_rate_bps="-1")
            refused = self.cell.ask("bs.macd", {"set": {"flows.change": {"sfid": int(sfid), "max_sustained_rate_bps": -1}}})
            self.assertEqual(said.splitlines(), refused["error"])
            said = self.fill("profile-form", request_backoff_end="99")
            self.assertEqual(said.splitlines(), self.cell.ask("bs.macd", {"set": {"profile": {"request_backoff_end": 99}}})["error"])
            self.assertEqual(self.file.read_bytes(), was)

        with self.subTest("the fields of the profile are what the program lets change"):
            keys = set(self.browser.execute_script("return [...document.querySelectorAll('#profile-form [data-type]')].map(one => one.name)"))
            words, = self.cell.ask("bs.macd", {"set": {"profile": {"no such key": 1}}})["error"]
            self.assertEqual(set(re.search("only (.*) may change", words)[1].split(", ")), keys)

        with self.subTest("a station is added in the file, and deleted"):
            was = self.file.read_text(encoding="utf-8")
            whole = yaml.safe_load(was)
            whole["bs"]["stations"].append({"mac": "02:00:00:00:00:09", "name": "barn", "flows": ["up", "down"]})
            self.assertEqual(self.write_file(yaml.safe_dump(whole)), f"{self.file} written and read again")
            self.assertIn("barn", self.file.read_text(encoding="utf-8"))
            self.assertEqual(self.reloads(), (1, 0))
            self.write_file(was)
            self.assertEqual(self.reloads(), (2, 0))

        with self.subTest("a wrong file"):
            wrong = was.replace("max_sustained_rate_bps: 600000", "max_sustained_rate_bps: -1")
            said = self.write_file(wrong)
            self.assertIn("bs.service_flows[0].max_sustained_rate_bps: value -1: allowed", said)
            self.assertEqual(self.file.read_text(encoding="utf-8"), was)
            self.file.write_text(wrong, encoding="utf-8")
            self.assertEqual(said.splitlines(), self.cell.ask("bs.macd", {"set": {"reload": True}})["error"])
            self.file.write_text(was, encoding="utf-8")

        with self.subTest("what it costs"):
            begin, cpu = time.monotonic(), self.cpu_s()
            time.sleep(4)
            watched = (self.cpu_s() - cpu) / (time.monotonic() - begin)
            self.picture("cell")
            self.browser.get("about:blank")
            time.sleep(1)
            cpu = self.cpu_s()
            time.sleep(2)
            print(f"of a core: watched {100 * watched:.1f} %")
            self.assertLess(watched, 0.1)
            self.assertLessEqual(self.cpu_s() - cpu, 0.02)

    def test_shows_what_a_receiver_hears(self):
        self.shown("no receivers", lambda: self.browser.execute_script("return [...document.getElementById('receiver').options].map(one => one.value)")
                   == ["bs.phyd", "ss1.phyd"])
        self.shown("no station", lambda: "operational" in self.text("stations"))
        with self.subTest("closed, nobody asks"):
            time.sleep(1)
            self.assertEqual(self.questions()["signal"], {"watching": 0, "questions": 0})
            self.assertFalse(self.cell.status("bs.phyd")["signal_watched"])
            unwatched = self.shares(4)

        self.browser.find_element(By.CSS_SELECTOR, "#signal summary").click()
        with self.subTest("a burst of the chosen station"):
            burst = self.heard(lambda burst: burst["kind"] == "data" and burst["rate_id"] == 6)
            self.assertIn("house", self.text("burst"))
            self.assertIn("64-QAM 3/4", self.text("burst-words"))
            self.assertAlmostEqual(burst["cinr_db"], 30, delta=1.5)
            self.assertAlmostEqual(burst["evm_db"], -30, delta=1.5)
            self.assertIn(f"CINR {burst['cinr_db']:.1f} dB, EVM {burst['evm_db']:.1f} dB", self.text("constellation-words"))
            self.assertLess(spread_db(burst), 3)
            levels = self.shown("no spectrum", lambda: self.browser.execute_script("return signalPanel.heard.spectrum_dbm"))  # it takes longer than a burst
            self.assertGreater(mean(levels[40:216]) - mean(levels[:20]), 10)  # used carriers against unused ones
            for place, least in {"#spectrum canvas": 1000, "#channel canvas": 1000, "#waterfall": 100, "#constellation": 1000}.items():
                self.shown(f"{place} is empty", lambda: self.drawn(place) > least)  # the waterfall has a line a look

        with self.subTest("what it costs"):
            watched = self.shares(4)
            print("of a core: " + ", ".join(f"{name} {100 * unwatched[name]:.1f} %, with the signal watched {100 * watched[name]:.1f} %" for name in watched))
            self.assertLess(watched["server"], 0.1)

        with self.subTest("a fade, and a channel of several paths"):
            self.link("ss1->bs", snr_db=22)
            burst = self.heard(lambda burst: burst["cinr_db"] < 24)
            self.assertAlmostEqual(burst["cinr_db"], 22, delta=1.5)
            self.assertAlmostEqual(burst["evm_db"], -22, delta=1.5)
            self.link("ss1->bs", snr_db=30, channel="sui3")
            self.heard(lambda burst: spread_db(burst) > 6)
            self.picture("signal", "section:has(#signal)", 50)

        with self.subTest("another receiver"):
            self.choose("receiver", "ss1.phyd")
            self.heard(lambda burst: burst["direction"] == "downlink" and burst["kind"] == "data")
            self.link("bs->ss1", snr_db=22)
            burst = self.heard(lambda burst: burst["cinr_db"] < 24)
            self.assertAlmostEqual(burst["evm_db"], -22, delta=1.5)
            self.choose("burst", next(one["key"] for one in self.browser.execute_script("return signalPanel.heard.bursts") if one["kind"] == "broadcast"))
            self.heard(lambda burst: burst["kind"] == "broadcast")
            self.link("bs->ss1", snr_db=30)

        with self.subTest("who does not look costs nothing"):
            here = self.browser.current_window_handle
            self.browser.switch_to.new_window("tab")  # it hides the page's tab
            self.shown("still watched", lambda: self.questions()["signal"]["watching"] == 0)
            time.sleep(1)
            asked = self.questions()["signal"]["questions"]
            self.wait_until(self.cell, "the taps are still on",
                            lambda: not any(self.cell.status(f"{site}.phyd")["signal_watched"] for site in ("bs", "ss1")))
            self.assertEqual(self.questions()["signal"]["questions"], asked)
            self.browser.switch_to.window(here)
            self.heard(lambda burst: self.questions()["signal"]["questions"] > asked)
            self.browser.find_element(By.CSS_SELECTOR, "#signal summary").click()
            self.shown("still watched", lambda: self.questions()["signal"]["watching"] == 0)


if __name__ == "__main__":
    unittest.main()
