#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes docs/wireshark.webp: Wireshark with the dissector, on a capture of a station's network entry. It needs Wireshark and a display; Xvfb does.
Usage: xvfb-run -s "-screen 0 1100x620x24" ./wimax python docs/studies/wireshark_picture.py docs/wireshark.webp
The test test_pictures fails when the dissector has changed since. Look at the result."""
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import ImageGrab

import wimax
from wimax_tools import pictures

SIZE = (1100, 620)
COLOURS = 48
STILL_S, LONGEST_S = 3, 90
SHOWN = "wimax.message_name and not wimax.message_name in {\"DL-MAP\", \"UL-MAP\"} and frame.time_relative < 0.6"
CLICKS = ((300, 235), (11, 349), (31, 366))  # the row of REG-REQ; open the protocol in its details, then the burst
PREFERENCES = {"gui.layout_type": 2, "gui.layout_content_1": "PLIST", "gui.layout_content_2": "PDETAILS", "gui.layout_content_3": "NONE",
               "gui.column.format": '"No.","%m","Time","%t","Protocol","%p","Info","%i"', "gui.qt.font_name": "DejaVu Sans Mono,9,-1,5,50,0,0,0,0,0",
               "gui.update.enabled": "FALSE", "gui.version_in_start_page": "FALSE", "gui.window_title": "the MAC of WiMAX"}
RECENT = ("gui.toolbar_main_show: FALSE\ngui.filter_toolbar_show: TRUE\ngui.statusbar_show: FALSE\ngui.geometry_main_x: 0\ngui.geometry_main_y: 0\n"
          f"gui.geometry_main_width: {SIZE[0]}\ngui.geometry_main_height: {SIZE[1]}\ngui.geometry_main_maximized: FALSE\n"
          "column.width: %m, 60, %t, 110, %p, 70, %i, 700\ngui.geometry_main_upper_pane: 250\n")


def capture(folder):
    """PDUs at the base station, while one station enters and gets its packets."""
    path = Path(folder, "bs.pcap")
    with wimax.Stack(offer_kbps={"downlink": 500, "uplink": 500}, settings={"bs": {"pcap": {"file": str(path)}}}) as cell:
        cell.run(0.5)
    return path


def main(picture):
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder, "wireshark")
        settings.mkdir()
        (settings / "colorfilters").write_text("# no colours\n", encoding="utf-8")
        (settings / "recent_common").write_text(RECENT, encoding="utf-8")
        (settings / "recent").write_text(RECENT, encoding="utf-8")
        options = [word for name, value in PREFERENCES.items() for word in ("-o", f"{name}:{value}")]
        command = ["wireshark", "-X", f"lua_script:{pictures.DISSECTOR / 'wimax.lua'}", *options, "-Y", SHOWN, "-r", str(capture(folder))]
        window = subprocess.Popen(command, env={**os.environ, "WIRESHARK_CONFIG_DIR": str(settings), "QT_STYLE_OVERRIDE": "fusion"})
        try:
            wait_until_still()
            for place in CLICKS:
                click(*place)
                wait_until_still()
            ImageGrab.grab(xdisplay=os.environ["DISPLAY"]).crop((0, 0, *SIZE)).save(picture, format="PNG")
        finally:
            window.kill()
            window.wait()
    pictures.few_colours(picture, COLOURS)
    Path(picture).with_name(pictures.DISSECTOR_STAMP).write_text(pictures.dissector_hash() + "\n", encoding="utf-8")


def click(x, y):
    x11, test = (ctypes.CDLL(name) for name in ("libX11.so.6", "libXtst.so.6"))
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    test.XTestFakeMotionEvent(display, -1, x, y, 0)
    for pressed in (1, 0):
        test.XTestFakeButtonEvent(display, 1, pressed, 0)
    x11.XCloseDisplay(display)


def wait_until_still():
    """Until the screen shows a window that no longer changes."""
    begin, last, since = time.monotonic(), b"", time.monotonic()
    while time.monotonic() - begin < LONGEST_S:
        now = ImageGrab.grab(xdisplay=os.environ["DISPLAY"]).tobytes()
        if now != last:
            last, since = now, time.monotonic()
        if time.monotonic() - since > STILL_S and len(set(now)) > 2:
            return
        time.sleep(0.5)
    sys.exit("Wireshark shows no window, or one that changes")


if __name__ == "__main__":
    main(sys.argv[1])
