#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of docs/tutorial.md: types its blocks, with the live page open in headless Chromium, and takes each picture where the document has it.
By hand, as root, after anything changed that they show; look at what comes out.

    tests/stack/tutorial_pictures.py [FOLDER]      # default: docs
"""
import argparse
import base64
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from selenium import webdriver

import tutorial

WIDTH = 1400
CHARTS_S = 20  # of the wall clock: that much is in the charts of a picture
LEAVE_OUT = "admin"  # the section where the picture ends: nothing is changed here

@contextlib.contextmanager
def page(reader):
    """A browser that shows the cell, as ./wimax watch says."""
    server = subprocess.Popen(["./wimax", "watch", "--port", "0"], cwd=reader.folder, env=reader.environment, stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://\S+", server.stderr.readline())[0]
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={WIDTH},1000"):
            options.add_argument(word)
        with webdriver.Chrome(service=webdriver.chrome.service.Service("/usr/bin/chromedriver"), options=options) as browser:
            browser.get(address)
            yield browser
    finally:
        server.terminate()
        server.communicate()


@contextlib.contextmanager
def pings(namespace):
    """Something to see, of a station: 400 kbit/s each way."""
    ping = subprocess.Popen(["ip", "netns", "exec", namespace, "ping", "-q", "-i", "0.02", "-s", "972", "10.1.0.1"], stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        ping.terminate()
        ping.wait()


def take(browser, file):
    time.sleep(CHARTS_S)
    height = browser.execute_script(f"const end = document.getElementById('{LEAVE_OUT}');"
                                    "return end ? end.getBoundingClientRect().top + scrollY - 10 : document.documentElement.scrollHeight")
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
    picture = browser.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
    file.write_bytes(base64.b64decode(picture["data"]))
    print(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=tutorial.TOP / "docs")
    folder = parser.parse_args().folder
    if os.geteuid():
        sys.exit("tutorial_pictures: as root")
    with tempfile.TemporaryDirectory(prefix="wimax-tutorial-") as work, contextlib.ExitStack() as open_ones:
        reader = tutorial.Reader(work)
        open_ones.callback(reader.stop)
        browser = None
        for (block, pictures), (_, shown) in zip(tutorial.blocks_and_pictures(), tutorial.SHOWS):
            if fault := reader.until_shown(block, shown):
                sys.exit(fault)
            if browser is None and "ping" in block:  # both stations answer
                for namespace in ("wimax-ss1", "wimax-hut"):
                    open_ones.enter_context(pings(namespace))
                browser = open_ones.enter_context(page(reader))
            for picture in pictures:
                take(browser, folder / picture)


if __name__ == "__main__":
    main()
