#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes the pictures of the live page in docs: types the blocks of docs/tutorial.md with the page open in headless Chromium, and takes each picture
where the tutorial has it; then those of docs/watch.md and the animated fade. Needs root and some four minutes. Look at the result.

    sudo ./wimax python tests/stack/page_pictures.py [FOLDER]      # default: docs

It also stores a hash of the page's sources. The test test_pictures fails when the page has changed since.
"""
import argparse
import base64
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.by import By

import tutorial
from wimax_tools import pictures

WIDTH = 1440
CHARTS_S = 20  # of the wall clock: that much is in the charts of a picture
SIGNAL_S = 60  # of the waterfall
LOADS = {"wimax-ss1": 0.005, "wimax-hut": 0.01}  # seconds between pings of 1400 bytes
FADE = {2: 12, 7: 30}  # number of the picture to SNR of the hut's downlink in dB
FADE_PICTURES, FADE_PERIOD_S, FADE_WIDTH, FADE_QUALITY = 13, 2.0, 720, 14
FADE_BEFORE_S, FADE_SHOWN_MS = 8, 1000
SIGNAL_COLOURS = 256
SIGNAL_LINKS = [{"name": f"ss{i}->bs", "snr_db": 30, "channel": "sui3"} for i in (1, 2)]  # several paths, slowly moving


class Page:
    """A browser that shows the cell, at the address that ./wimax watch prints."""

    def __init__(self, reader, ending):
        server = subprocess.Popen(["./wimax", "watch", "--port", "0"], cwd=reader.folder, env=reader.environment, stderr=subprocess.PIPE, text=True)
        ending.callback(server.wait)
        ending.callback(server.terminate)
        address = next(found[0] for line in server.stderr if (found := re.search(r"http://\S+", line)))
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(word)
        self.browser = webdriver.Chrome(service=webdriver.chrome.service.Service("/usr/bin/chromedriver"), options=options)
        ending.callback(self.browser.quit)
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": WIDTH, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
        self.browser.get(address)

    def image(self, first, behind):
        """From the top of one section to that of another; None: from the top, or to the end."""
        top, end = self.browser.execute_script("""return arguments[0].map((name, i) => name ? document.querySelector(name).getBoundingClientRect().top + scrollY - 8 :
            i ? document.documentElement.scrollHeight : 0)""", [first, behind])
        clip = {"x": 0, "y": top, "width": WIDTH, "height": end - top, "scale": 1}
        return base64.b64decode(self.browser.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})["data"])

    def take(self, path, first=None, behind="#admin", colours=pictures.PNG_COLOURS):
        path.write_bytes(self.image(first, behind))
        pictures.few_colours(path, colours)
        print(path)


@contextlib.contextmanager
def pings(namespace, period_s, octets):
    """Traffic of a station, the same both ways."""
    ping = subprocess.Popen(["ip", "netns", "exec", namespace, "ping", "-q", "-i", str(period_s), "-s", str(octets - 28), "10.1.0.1"], stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        ping.terminate()
        ping.wait()


def fade(reader, page):
    """Stations, frame and charts while the SNR of the hut falls and rises again: PNG files."""
    page.browser.refresh()  # charts from here on
    time.sleep(FADE_BEFORE_S)
    images = []
    begin = time.monotonic()
    for number in range(FADE_PICTURES):
        if number in FADE:
            reader.run(f"""./wimax ctl channeld set link '{{"name": "bs->ss2", "snr_db": {FADE[number]}}}'""")
        time.sleep(max(0.0, begin + number * FADE_PERIOD_S - time.monotonic()))
        images.append(page.image(None, "section:has(#signal)"))
    return images


def animate(files, path):
    """Encoding takes a while, so this runs after the cell has stopped."""
    images = [Image.open(io.BytesIO(file)).convert("RGB") for file in files]
    size = FADE_WIDTH, round(images[0].height * FADE_WIDTH / images[0].width)
    images = [image.resize(size, Image.Resampling.LANCZOS) for image in images]
    images[0].save(path, save_all=True, append_images=images[1:], duration=FADE_SHOWN_MS, loop=0, quality=FADE_QUALITY, method=4, minimize_size=True)
    print(path)


def of_the_tutorial(reader, folder, ending):
    """The page, which stays open after the last block but one (the last one stops the cell), and the pictures of the fade."""
    page, light = None, contextlib.ExitStack()
    ending.enter_context(light)
    for (block, names), (_, shown) in list(zip(tutorial.blocks_and_pictures(), tutorial.SHOWS))[:-1]:
        if fault := reader.until_shown(block, shown):
            sys.exit(fault)
        if page is None and "ping" in block:  # both stations answer
            for namespace in LOADS:
                light.enter_context(pings(namespace, 0.02, 1000))
            page = Page(reader, ending)
        for name in names:
            time.sleep(CHARTS_S)
            page.take(folder / name, behind="section:has(#signal)")
    faded = fade(reader, page)
    light.close()
    return page, faded


def of_the_page(reader, page, folder):
    """With traffic that fills much of both halves of the frame."""
    with contextlib.ExitStack() as load:
        for namespace, period_s in LOADS.items():
            load.enter_context(pings(namespace, period_s, 1400))
        page.browser.refresh()
        time.sleep(CHARTS_S)
        page.take(folder / "watch.webp", behind=None)
        page.browser.find_element(By.CSS_SELECTOR, "#signal summary").click()
        for link in SIGNAL_LINKS:
            reader.run(f"./wimax ctl channeld set link '{json.dumps(link)}'")
        time.sleep(SIGNAL_S)
        page.take(folder / "watch-signal.webp", "section:has(#signal)", "section:has(#flows)", SIGNAL_COLOURS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=tutorial.TOP / "docs")
    folder = parser.parse_args().folder
    if os.geteuid():
        sys.exit("page_pictures: needs root; type: sudo ./wimax python tests/stack/page_pictures.py")
    with tempfile.TemporaryDirectory(prefix="wimax-tutorial-") as work, contextlib.ExitStack() as ending:
        reader = tutorial.Reader(work)
        ending.callback(reader.stop)
        page, faded = of_the_tutorial(reader, folder, ending)
        of_the_page(reader, page, folder)
    animate(faded, folder / "watch-fade.webp")
    (folder / pictures.PAGE_STAMP).write_text(pictures.page_hash() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
