# SPDX-License-Identifier: GPL-3.0-or-later
"""Image cores by rfnoc_image_builder of Debian's uhd-host, short of the vendor's tools."""
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
BUILDER = shutil.which("rfnoc_image_builder")
MISSING = "UHD's rfnoc_image_builder is not there (Debian: uhd-host)"


def make(device, folder):
    """Exit code and text of the builder; it writes DEVICE.v and DEVICE.hex, the static routes."""
    done = subprocess.run([BUILDER, "-y", HERE / f"icores/wimax_{device}.yml", "-I", HERE, "-F", folder, "-o", folder / f"{device}.v",
                           "-x", folder / f"{device}.hex", "--generate-only"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout
