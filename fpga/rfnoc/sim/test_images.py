# SPDX-License-Identifier: GPL-3.0-or-later
"""Image cores elaborate with UHD's FPGA library, except the radio, its DDC and its DUC, which Icarus does not support. Arguments: folder of ROMs,
UHD's FPGA library (the folder `fpga` of its source)."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RFNOC = Path(__file__).parents[1]
sys.path.append(str(RFNOC))
import images  # noqa: E402

ROMS, LIBRARY = sys.argv[1], Path(sys.argv[2]) / "usrp3/lib"
FOLDERS = ("fifo", "control", "control/map", "axi", "rfnoc/core", "rfnoc/utils", "rfnoc/crossbar", "rfnoc/blocks/rfnoc_block_split_stream")
LEFT_OUT = {"rfnoc_block_radio", "rfnoc_block_ddc", "rfnoc_block_duc"}


@unittest.skipUnless(images.BUILDER, images.MISSING)
class Images(unittest.TestCase):
    maxDiff = None

    @staticmethod
    def elaborate(core, *options):
        """Messages of Icarus on files other than the library's."""
        libraries = [word for folder in FOLDERS for word in ("-y", LIBRARY / folder, f"-I{LIBRARY / folder}")]
        sources = [path for folder in (RFNOC / "fpga", RFNOC.parent / "rtl") for path in sorted(folder.glob("*/*.v"))]
        said = subprocess.run(["iverilog", "-g2012", "-t", "null", "-s", "rfnoc_image_core", *options, "-Y", ".v", "-Y", ".sv", *libraries,
                               f"-I{ROMS}", f"-I{RFNOC / 'fpga/wimax'}", core, *sources, RFNOC / "sim/vendor_stubs.v"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
        return "\n".join(line for line in said.splitlines() if not line.startswith(str(LIBRARY)))

    def check(self, device):
        with tempfile.TemporaryDirectory(prefix="wimax-image-") as folder:
            folder = Path(folder)
            code, said = images.make(device, folder)
            self.assertEqual(code, 0, said)
            core = images.core(device, folder)
            # The vendor's tools get these by definitions; Icarus does not convert a macro to text.
            core.write_text(core.read_text(encoding="utf-8").replace('`"`RFNOC_EDGE_TBL_FILE`"', '""')
                            .replace("`RFNOC_IMAGE_CORE_HDR", f'"{device}.vh"'), encoding="utf-8")
            # It looks for modules first, and checks ports only if none is missing or missing ones are ignored.
            missing = re.findall(r"^ +(\w+) referenced \d+ times\.", self.elaborate(core), re.M)
            self.assertEqual(set(missing), LEFT_OUT)
            self.assertEqual(self.elaborate(core, "-i"), "")

    def test_x310(self):
        self.check("x310")

    def test_e320(self):
        self.check("e320")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
