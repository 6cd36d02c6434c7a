# SPDX-License-Identifier: GPL-3.0-or-later
"""Image cores by rfnoc_image_builder of Debian's uhd-host, short of the vendor's tools: UHD 4.3 (Debian 12) and 4.8 (Debian 13)."""
import re
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
BUILDER = shutil.which("rfnoc_image_builder")
MISSING = "UHD's rfnoc_image_builder is not there (Debian: uhd-host)"


def run(*words):
    done = subprocess.run([BUILDER, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def make(device, folder):
    """Returns exit code and text of the builder. core() and routes() read its output in the folder."""
    module = folder / "module"  # UHD 4.3 looks for descriptions in blocks, UHD 4.8 in rfnoc/blocks
    module.mkdir()
    (module / "blocks").symlink_to(HERE / "blocks")
    (module / "rfnoc").symlink_to(HERE)
    for top in ("x300", "e320"):
        (folder / "usrp3/top" / top).mkdir(parents=True)
    if "--build-dir" in run("--help")[1]:
        output = ["-B", folder / device, "--ignore-warnings"]  # ports of the radio are not connected
    else:
        output = ["-o", folder / f"{device}.v", "-x", folder / f"{device}.hex"]
    return run("-y", HERE / f"icores/wimax_{device}.yml", "-I", module, "-F", folder, *output, "--generate-only")


def core(device, folder):
    """The file with the image core."""
    return next(path for path in (folder / f"{device}.v", folder / device / "rfnoc_image_core.sv") if path.exists())


def routes(device, folder):
    """Static routes: (block, port) of each source, and its destinations."""
    table = folder / f"{device}.hex"
    if table.exists():
        count, *words = (int(line, 16) for line in table.read_text(encoding="utf-8").split())
        found = [(word >> 22, word >> 16 & 63, word >> 6 & 0x3FF, word & 63) for word in words]
    else:
        text = core(device, folder).read_text(encoding="utf-8")
        count = int(re.search(r"\.NUM_EDGES +\((\d+)\)", text)[1])
        found = [tuple(map(int, numbers)) for numbers in re.findall(r"\{10'd(\d+), 6'd(\d+), 10'd(\d+), 6'd(\d+)\}", text)]
    if len(found) != count:
        raise ValueError(f"{len(found)} routes, not {count}")
    return found
