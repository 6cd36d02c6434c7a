# SPDX-License-Identifier: GPL-3.0-or-later
"""The page in headless Chromium, of pictures made up: idle and busy, at two widths, in both colour schemes. tests/stack/test_stack_watch.py has a real cell."""
import asyncio
import copy
import json
import lzma
import os
import shutil
import threading
import unittest
from pathlib import Path

from wimax_tools.serving import Server, listening
from wimax_tools.watch import live, reference
from wimax_tools.watch.cell import Sample, picture
from wimax_tools.watch.changes import Changes
from wimax_tools.watch.server import application

try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
except ModuleNotFoundError:
    webdriver = None

RECORDED = Path(__file__).parents[1] / "metrics/recorded/cell.json.xz"
PATIENCE_S = 20
WIDTHS = (360, 1400)
SCHEMES = ("light", "dark")
LEAST_CONTRAST = 4.5  # of text, by WCAG 2.1 AA
NAMES = {"02:00:00:00:00:01": "house", "02:00:00:00:00:02": "hut"}
REFERENCE = """
  # Base station profile
  profile:
    # exponent of 2; allowed: integers 0..15
    request_backoff_end: 6
    # CINR at or below which a burst profile is left, by rate
    exit_db:
      - 2
      - 5.75
  # service flows
  service_flows: []
  # one element, for example:
  #    # name of the flow; allowed: 1..126 characters; required
  #  - name: ""
  #    # which way; allowed: downlink, uplink
  #    direction: downlink
  #    # header suppression rules
  #    phs: []
  #    # one element, for example:
  #    #    # index; allowed: integers 1..255; required
  #    #  - phsi: 0
  #    # 0: no limit; UGS: the rate
  #    # granted [bit/s]; allowed: integers 0..4294967295
  #    max_sustained_rate_bps: 0
  #    arq:
  #      # lost blocks are sent again; allowed: true, false
  #      enable: false
  # stations
  stations: []
"""
# What is read on which background: text nodes with their colours, the nearest opaque background below them.
CONTRAST = """
function parse(text) { const parts = text.match(/[\\d.]+/g).map(Number); return parts.length === 3 ? [...parts, 1] : parts; }
function luminance(rgb) { return [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => { const part = rgb[i] / 255;
  return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4); }, 0); }
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, place = node.parentElement, box = place.getBoundingClientRect();
  if (!node.textContent.trim() || !box.width || !box.height || place.closest("script, option") || getComputedStyle(place).visibility === "hidden") continue;
  let under = place;
  while (under && parse(getComputedStyle(under).backgroundColor)[3] < 1 && getComputedStyle(under).backgroundImage === "none") under = under.parentElement;
  if (under && getComputedStyle(under).backgroundImage !== "none") continue;
  const pair = [parse(getComputedStyle(place).color), parse(getComputedStyle(under || document.documentElement).backgroundColor)].map(luminance).sort((a, b) => b - a);
  found.push([(pair[0] + 0.05) / (pair[1] + 0.05), node.textContent.trim().slice(0, 40)]);
}
return found.sort((a, b) => a[0] - b[0]);
"""


def busy():
    """The recorded cell with two stations, a second later each time; its frame carries bursts of both in both directions."""
    cell = json.loads(lzma.decompress(RECORDED.read_bytes()))
    before, rates = cell["statuses"], {"bs.macd": cell["rates"]}
    for status in before.values():
        if "station" in status:
            status["station"]["bsid"] = "20E9FA000001"
    for one in before["bs.macd"]["station"]["stations"]:
        one["name"] = NAMES[one["mac"]]
    now = copy.deepcopy(before)
    for name in ("bs.macd", "ss1.macd", "ss2.macd"):
        now[name]["simulated_s"] += 1
    for one in now["bs.macd"]["station"]["stations"]:
        one["ul"]["bytes"] += 40_000
    for name in ("ss1.macd", "ss2.macd"):
        now[name]["station"]["dl"]["bytes"] += 100_000
    made = picture(Sample(now), Sample(before), rates)
    layout = made["cells"][0]["layout"]
    cids = [one["basic_cid"] for one in made["stations"]]
    slots, up = layout["symbol_slots"], layout["ul_start_slot"]
    bursts = [("downlink", "maps", 3 * slots, 4, [0xFFFF]), ("downlink", "data", 7 * slots, 12, cids[:1]), ("downlink", "data", 19 * slots, 9, cids),
              ("uplink", "ranging", up, 6, [0]), ("uplink", "contention", up + 6 * slots, 2, [0xFFFF]), ("uplink", "data", up + 8 * slots, 14, cids[:1]),
              ("uplink", "data", up + 22 * slots, 11, cids[1:])]
    frame = {"frame": 77, "bursts": [dict(zip(("direction", "kind", "slot", "symbols", "cids"), one), rate_id=6, subchannel=0) for one in bursts]}
    events = [{"simulated_s": 1.5, "program": "bs.macd", "layer": "mac", "text": "02:00:00:00:00:01 operational"}]
    return {**made, **COMMON, "events": events, "frames": {"bs.macd": frame}}


COMMON = {"rates": ["BPSK 1/2", "QPSK 1/2", "QPSK 3/4", "16-QAM 1/2", "16-QAM 3/4", "64-QAM 2/3", "64-QAM 3/4"],
          "to_type": {"start": "sudo ./wimax up", "status": "./wimax status"}}
IDLE = {**COMMON, "programs": [], "cells": [], "stations": [], "flows": [], "links": [], "events": [], "frames": {}}


class Watcher:
    """Shows the picture that the test wants, and notes what the page asks the programs."""
    programs = None

    def __init__(self):
        self.shown, self.asked = IDLE, []

    def picture(self):
        return self.shown

    def signal(self, name):
        return None

    def ask(self, _name, request):
        if "get" in request:
            return {"flows": {"flows": [], "results": [{"id": one["id"], "done": True, "ok": True, "sfid": one["sfid"], "text": "done", "code": 0}
                                                       for one in self.asked if "id" in one]}}
        self.asked += [value for value in request["set"].values()]
        return {"ok": True}


class Served:
    """The page's server in a thread."""

    def __init__(self, watcher):
        self._watcher, self._ready, self._loop = watcher, threading.Event(), asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self._ready.wait()

    def _run(self):
        asyncio.set_event_loop(self._loop)

        async def begin():
            sockets = listening("127.0.0.1", 0, "--address")
            server = Server(application(self._watcher, Changes(self._watcher.ask), "secret", describe=lambda: reference.forms(REFERENCE)))
            server.add_sockets(sockets)
            self.port, self._stop = sockets[0].getsockname()[1], asyncio.Event()
            self._ready.set()
            await self._stop.wait()
            server.stop()

        self._loop.run_until_complete(begin())

    def stop(self):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()


def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(word)
    return webdriver.Chrome(service=webdriver.chrome.service.Service(shutil.which("chromedriver")), options=options)


class Fields(unittest.TestCase):
    """What the reference file's text becomes."""

    def test_of_a_service_flow(self):
        fields = {field["key"]: field for field in reference.forms(REFERENCE)["flow"]}
        self.assertEqual(list(fields), ["name", "direction", "max_sustained_rate_bps", "arq.enable", "state"])
        self.assertEqual(fields["max_sustained_rate_bps"], {"key": "max_sustained_rate_bps", "help": "0: no limit; UGS: the rate granted", "unit": "bit/s", "default": "0",
                                                            "type": "integer", "low": 0, "high": 4294967295, "allowed": "0..4294967295"})
        self.assertEqual((fields["name"]["type"], fields["direction"]["choices"], fields["arq.enable"]["type"]), ("text", ["downlink", "uplink"], "flag"))

    def test_of_the_profile(self):
        fields = {field["key"]: field for field in reference.forms(REFERENCE)["profile"]}
        self.assertEqual((fields["request_backoff_end"]["low"], fields["request_backoff_end"]["high"]), (0, 15))
        self.assertEqual((fields["exit_db"]["type"], fields["exit_db"]["values"], fields["exit_db"]["unit"]), ("list", ["2", "5.75"], "dB"))

    def test_without_a_program_there_are_none(self):
        self.assertEqual(reference.forms(""), {"flow": [], "profile": []})


@unittest.skipUnless(webdriver and shutil.which("chromium") and shutil.which("chromedriver"), "needs chromium, chromedriver and selenium: ./wimax setup test")
class PageInABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser()
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        period_s, live.PERIOD_S = live.PERIOD_S, 0.05
        self.addCleanup(setattr, live, "PERIOD_S", period_s)
        self.watcher = Watcher()
        served = Served(self.watcher)
        self.addCleanup(served.stop)
        self.addCleanup(self.browser.get, "about:blank")
        self.address = f"http://127.0.0.1:{served.port}/#token=secret"

    def open(self, width=1400, scheme="light", shown=None):
        self.watcher.shown = shown or self.watcher.shown
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.browser.get("about:blank")
        self.browser.get(self.address)
        self.until(lambda: self.text("live") != "not connected")
        self.until(lambda: self.script("return document.querySelectorAll('#flow-form [data-type]').length") == 5)

    def until(self, condition):
        return WebDriverWait(self.browser, PATIENCE_S, 0.02).until(lambda _: condition())

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def text(self, place):
        return self.script("return document.getElementById(arguments[0]).textContent", place)

    def look(self, name):
        """For people, where WIMAX_PICTURES names a folder."""
        if folder := os.environ.get("WIMAX_PICTURES"):
            self.browser.get_screenshot_as_file(f"{folder}/{name}.png")

    def choose(self, form, name, value):
        self.script("const one = document.querySelector(`#${arguments[0]} [name=${arguments[1]}]`); one.value = arguments[2]; one.dispatchEvent(new Event('change'))",
                    form, name, value)

    def check_layout(self, name):
        overflow = self.script("""return [...document.querySelectorAll("body, body *")].filter(one => one.getBoundingClientRect().right > innerWidth + 1 &&
            !one.closest(".scroll > *, .frame > *, .uplot")).map(one => one.outerHTML.slice(0, 80))""")
        self.assertEqual((self.script("return document.documentElement.scrollWidth - innerWidth"), overflow), (0, []), name)
        worst = self.script(CONTRAST)
        self.assertGreater(len(worst), 5)
        self.assertGreaterEqual(worst[0][0], LEAST_CONTRAST, (name, worst[:5]))

    def test_idle_and_busy_at_two_widths_in_both_schemes(self):
        for state, shown in (("idle", IDLE), ("busy", busy())):
            for width in WIDTHS:
                for scheme in SCHEMES:
                    name = f"{state}-{width}-{scheme}"
                    with self.subTest(name):
                        self.open(width, scheme, shown)
                        self.until(lambda: self.text("live") == ("live" if state == "busy" else "no program responds"))
                        self.check_layout(name)
                        if state == "busy":
                            self.script("for (const one of document.querySelectorAll('#admin details, #frames details')) one.open = true")
                            self.until(lambda: self.script("return document.querySelectorAll('#frames tbody tr').length") == 7)
                            self.check_layout(name + ", opened")
                        self.look(name)

    def test_an_idle_page_names_the_command(self):
        self.open(shown=IDLE)
        visible = self.browser.find_element(By.TAG_NAME, "body").text
        self.assertIn("No program of a cell is running on this host", visible)
        self.assertIn("sudo ./wimax up", visible)
        self.assertNotIn("Stations", visible)
        self.assertEqual(self.script("const one = document.getElementById('live'); return [one.textContent, one.className]"), ["no program responds", "pill bad"])
        self.assertEqual(self.script("return document.querySelectorAll('.uplot').length"), 0, "no axis without figures")
        silent = {**IDLE, "programs": [{"name": "bs.macd", "kind": "", "answers": False}]}
        self.watcher.shown = silent
        self.until(lambda: "None of 1 program responds" in self.text("idle-title"))

    def test_a_busy_page(self):
        self.open(shown=busy())
        self.until(lambda: "house" in self.text("stations"))
        self.assertIn("2 stations", self.text("cell"))
        visible = self.browser.find_element(By.TAG_NAME, "body").text
        self.assertIn("Service flows", visible)
        self.assertNotIn("sudo ./wimax up", visible)
        self.watcher.shown = {**busy(), "cells": [dict(busy()["cells"][0], registered=1)]}
        self.until(lambda: "1 station," in self.text("cell"))

    def test_both_halves_of_the_frame_are_readable(self):
        self.open(shown=busy())
        self.until(lambda: self.script("return document.querySelectorAll('.frame').length") == 2)
        read = """return [...document.querySelectorAll(".frame")].map(half => [...half.children].map(one => [one.textContent, one.style.background, one.title]))"""
        downlink, uplink = self.script(read)
        self.assertEqual([text for text, *_ in downlink], ["", "", "maps", "house", "house, hut"])
        self.assertEqual([text for text, *_ in uplink], ["ranging", "", "house", "hut"], "two symbols are too few for a word")
        colour = {text: background for text, background, _ in uplink}
        self.assertEqual(len(set(colour.values())), 4, colour)
        self.assertEqual(dict((text, background) for text, background, _ in downlink)["house"], colour["house"], "one colour for each station")
        self.assertIn("linear-gradient", downlink[-1][1], "a burst of two stations has both colours")
        uses = self.script("return USES")
        self.assertEqual(len({uses["maps"], uses["descriptors"], uses["management"], uses["preamble"], uses["fch"]}), 5)
        self.assertEqual(self.script("return [...document.querySelectorAll('.frame div')].filter(one => one.scrollWidth > one.clientWidth).length"), 0, "labels are not cut")
        self.script("document.querySelector('#frames details').open = true")
        self.until(lambda: "uplink" in self.text("frames"))
        self.assertIn("no station", self.script("return burstRows({layout: {symbol_slots: 1}}, {bursts: [{cids: [], slot: 0, symbols: 1}]}, String, String)[0].cells")[4])

    def lines(self, chart):
        return self.script("return [...document.querySelectorAll(`#${arguments[0]} .u-series th`)].map(one => one.textContent).slice(1)", chart)

    def test_a_line_stays_over_restarts(self):
        """The base station restarts, then a station's program: no further lines, the same colours."""
        whole = busy()
        self.open(shown=whole)
        wanted = ["house DL", "house UL", "hut DL", "hut UL"]
        self.until(lambda: self.lines("goodput-chart") == wanted)
        colours = self.script("return identities.all.map(one => one.colour)")
        alone = [dict(one, cell=None, name=one["mac"], ul=dict(one["ul"], cinr_db=None, kbps=None)) for one in whole["stations"]]
        self.watcher.shown = {**whole, "cells": [], "flows": [], "frames": {}, "stations": alone}
        self.until(lambda: "bs.macd, frame" not in self.text("frames"))
        self.assertEqual(self.lines("cinr-chart"), wanted)
        self.watcher.shown = whole
        self.until(lambda: "bs.macd, frame" in self.text("frames"))
        self.assertEqual((self.lines("cinr-chart"), self.script("return identities.all.map(one => one.colour)")), (wanted, colours))

    def test_goodput_is_what_arrived(self):
        """While a station that reports what it receives is silent, what its base station sends is no goodput."""
        whole = busy()
        self.open(shown=whole)
        value = "return document.querySelector('#stations tbody tr').cells[6].textContent"
        self.until(lambda: self.script("return document.querySelector('#stations tbody tr')") and self.script(value) == "800")
        silent = copy.deepcopy(whole)
        silent["stations"][0].update(program=None, dl=dict(silent["stations"][0]["dl"], received=False, kbps=327))
        self.watcher.shown = silent
        self.until(lambda: self.script(value) == "-")
        self.open(shown=silent)
        self.until(lambda: self.script("return document.querySelector('#stations tbody tr')") and self.script(value) == "327 sent")

    def test_forms_have_fields_units_and_ranges(self):
        self.open(shown=busy())
        form = self.browser.find_element(By.ID, "flow-form")
        self.until(lambda: self.script("return document.querySelector('#flow-form [name=sfid]').options.length") > 1)
        rate = form.find_element(By.CSS_SELECTOR, "[name=max_sustained_rate_bps]")
        self.assertEqual([rate.get_attribute(name) for name in ("type", "min", "max", "step")], ["number", "0", "4294967295", "1"])
        words = rate.find_element(By.XPATH, "..").text
        for word in ("max sustained rate", "bit/s", "UGS: the rate granted", "allowed 0..4294967295", "default 0"):
            self.assertIn(word, words)
        sfid = self.script("return document.querySelector('#flow-form [name=sfid]').value")
        visible = "return [...document.querySelectorAll('#flow-form > *')].filter(one => one.offsetParent).map(one => one.innerText.split('\\n')[0])"
        self.assertEqual(self.script(visible)[1:3], ["action", "service flow"])
        self.choose("flow-form", "verb", "delete")
        self.assertEqual(self.script(visible), ["Service flow", "action", "service flow", "apply"])
        self.choose("flow-form", "verb", "add")
        self.assertEqual(self.script(visible)[1:3], ["action", "station"])
        self.assertEqual(self.script("return document.querySelector('#flow-form [name=direction]').selectedOptions[0].text"), "default: downlink")
        self.choose("flow-form", "verb", "change")
        row = next(flow for flow in busy()["flows"] if str(flow["sfid"]) == sfid)
        self.assertEqual(self.script("return document.querySelector('#flow-form [name=direction]').value"), row["direction"])
        self.script("document.querySelector('#flow-form details').open = true")
        rate.clear()
        rate.send_keys("500000")
        self.script("document.querySelector('#flow-form [name=\"arq.enable\"]').value = 'true'")
        form.find_element(By.CSS_SELECTOR, "button").click()
        self.until(lambda: "done" in self.text("answer"))
        self.assertEqual({key: value for key, value in self.watcher.asked[-1].items() if key != "id"},
                         {"sfid": int(sfid), "max_sustained_rate_bps": 500_000, "arq": {"enable": True}})
        profile = self.browser.find_element(By.ID, "profile-form")
        profile.find_element(By.NAME, "request_backoff_end").send_keys("99")
        self.assertTrue(self.script("return document.querySelector('#profile-form :invalid') !== null"), "out of range is marked")
        profile.find_element(By.NAME, "exit_db").send_keys("1, 2.5")
        profile.find_element(By.CSS_SELECTOR, "button").click()
        self.until(lambda: self.text("answer").startswith("profile: done"))
        self.assertEqual(self.watcher.asked[-1], {"request_backoff_end": 99, "exit_db": [1, 2.5]}, "the program decides")

    def test_by_keyboard(self):
        """Tab goes from top to bottom, and a control keeps the focus while pictures come."""
        self.open(shown=busy())
        self.until(lambda: "house" in self.text("stations"))
        order, seen = [], self.script("return performance.now()")
        self.assertGreater(seen, 0)
        for _ in range(60):
            self.browser.switch_to.active_element.send_keys(Keys.TAB)
            order.append(self.script("const one = document.activeElement; return one.id || one.name || one.getAttribute('aria-label') || one.textContent.trim().slice(0, 30)"))
            if order[-1] == "profile-form" or order.count("token") > 1:
                break
        wanted = ["token", "table of stations", "bursts as a table", "Signal", "table of service flows", "events", "programs and links", "program", "write", "verb", "sfid"]
        at = [next(i for i, one in enumerate(order) if one.startswith(name)) for name in wanted]
        self.assertEqual(at, sorted(at), order)
        self.assertEqual(self.script("return document.querySelectorAll('[tabindex]:not([tabindex=\"0\"])').length"), 0, "the order is that of the document")
        places = self.script("return [...document.querySelectorAll('main > section')].filter(one => one.offsetParent).map(one => [one.offsetTop, one.offsetLeft])")
        self.assertEqual(places, sorted(places), "and what is seen is in that order")
        self.script("document.querySelector('#flows button').focus(); window.kept = document.activeElement; window.seen = 0;"
                    "const before = show; window.shown = 0; new MutationObserver(() => ++window.shown).observe(document.getElementById('frames'), {childList: true, subtree: true})")
        self.until(lambda: self.script("return window.shown") > 3)
        self.assertTrue(self.script("return document.activeElement === window.kept"))
        outline = self.script("return getComputedStyle(document.activeElement).outlineStyle")
        self.assertNotEqual(outline, "none")


if __name__ == "__main__":
    unittest.main()
