# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of GNU Radio: each block has an example flowgraph with a picture, and the pictures are those of the flowgraphs. Manifests and conda recipe agree with the
module. Argument: the source folder."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import jinja2
import yaml

SOURCE = Path(sys.argv.pop(1)).resolve()
MODULE, PICTURES = SOURCE / "gr-wimax", SOURCE / "docs/flowgraphs"
os.environ["GRC_BLOCKS_PATH"] = str(MODULE / "grc")
sys.path.insert(0, str(SOURCE / "docs/studies"))

import flowgraph_pictures  # noqa: E402

PAGE = (SOURCE / "docs/gnuradio.md").read_text(encoding="utf-8")
MOST_BYTES = 60000
RECIPE = MODULE / ".conda/recipe"


def graphs():
    """Name -> file of the flowgraphs that the page shows: all examples of the module, and those of the project that its table names."""
    named = set(re.findall(r"\[(\w+)\]\(#\w+\)", PAGE))
    found = {path.stem: path for path in MODULE.glob("examples/*.grc")}
    return {**found, **{path.stem: path for path in SOURCE.glob("flowgraphs/*.grc") if path.stem in named}}


def blocks():
    return [yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(MODULE.glob("grc/*.block.yml"))]


class Page(unittest.TestCase):
    ROWS = {label: re.findall(r"\[(\w+)\]\(#\1\)", names) for label, names in re.findall(r"^\| (WiMAX [^|]+?) \| [^|]+ \| (.*) \|$", PAGE, re.M)}

    def test_each_block_has_flowgraphs_that_use_it(self):
        self.assertEqual(set(self.ROWS), {block["label"] for block in blocks()})
        for block in blocks():
            names = self.ROWS[block["label"]]
            self.assertTrue(names, block["id"])
            for name in names:
                used = {item["id"] for item in yaml.safe_load(graphs()[name].read_text(encoding="utf-8"))["blocks"]}
                self.assertIn(block["id"], used, name)
            example = f"Example: {', '.join(name + '.grc' for name in names)} in share/gnuradio/examples/wimax."
            self.assertIn(example, block["documentation"].splitlines(), block["id"])

    def test_each_flowgraph_has_a_section_and_a_picture(self):
        self.assertEqual(set(re.findall(r"^### (\w+)$", PAGE, re.M)), set(graphs()))
        self.assertEqual(set(re.findall(r"!\[[^\]]+\]\(flowgraphs/(\w+)\.svg\)", PAGE)), set(graphs()))
        self.assertEqual({path.name for path in PICTURES.iterdir()}, {f"{name}.svg" for name in graphs()})


class Pictures(unittest.TestCase):
    def test_are_those_of_the_flowgraphs(self):
        for name, path in graphs().items():
            shipped = (PICTURES / f"{name}.svg").read_text(encoding="utf-8")
            self.assertLess(len(shipped), MOST_BYTES)
            drawn = flowgraph_pictures.page(flowgraph_pictures.draw(flowgraph_pictures.load(path)))
            self.assertEqual(self.without_labels(drawn), self.without_labels(shipped), f"{name}: draw it again (docs/gnuradio.md)")

    @staticmethod
    def without_labels(svg):
        """IDs, ports and number of connections: another version of GNU Radio may have other labels, and with them other sizes of boxes."""
        return re.findall(r'fill="#555">(\w+)<', svg), re.findall(r'font-size="10">(\w+)<', svg), svg.count("<path d=")


class Manifests(unittest.TestCase):
    def test_agree(self):
        head, _, text = (MODULE / "MANIFEST.md").read_text(encoding="utf-8").partition("\n---\n")
        cgran, modtool = yaml.safe_load(head), yaml.safe_load((MODULE / "MANIFEST.yml").read_text(encoding="utf-8"))
        for key in ("title", "brief", "tags", "author", "copyright_owner", "license", "gr_supported_version", "dependencies"):
            self.assertTrue(cgran[key], key)
            self.assertEqual(cgran[key], modtool[key], key)
        self.assertTrue(cgran["stable_release"])
        self.assertGreater(len(text), 200)


class Recipe(unittest.TestCase):
    # Dependencies of the manifest by their names in conda; the others have equal names, or are of tests.
    NAMES = {"gnuradio": "gnuradio-core", "fftw3f": "fftw", "libexpected": "tl-expected", "boost": "libboost-devel", "PyQt5": "pyqt"}

    def setUp(self):
        self.version = None
        found = lambda load_file, regex_pattern, from_recipe_dir: re.search(regex_pattern, (RECIPE / load_file).read_text(encoding="utf-8"))
        text = jinja2.Template((RECIPE / "meta.yaml").read_text(encoding="utf-8")).render(load_file_regex=found, compiler=lambda name: f"{name}-compiler")
        self.meta = yaml.safe_load(text)

    def test_source_version_and_license(self):
        source = (RECIPE / self.meta["source"]["path"]).resolve()
        self.assertEqual(source, SOURCE)
        self.assertEqual(self.meta["package"]["version"], (SOURCE / "VERSION").read_text(encoding="utf-8").strip())
        self.assertTrue((source / self.meta["about"]["license_file"]).is_file())

    def test_dependencies_are_those_of_the_manifest(self):
        listed = yaml.safe_load((MODULE / "MANIFEST.yml").read_text(encoding="utf-8"))["dependencies"]
        needed = [name.split()[0] for name in listed if "(tests)" not in name]
        self.assertGreater(len(needed), 10)
        have = {word.split()[0] for part in ("host", "run") for word in self.meta["requirements"][part]}
        self.assertEqual([name for name in needed if self.NAMES.get(name, name) not in have], [])

    def test_files_of_its_test_are_installed(self):
        named = re.findall(r"share/gnuradio/(?:grc/blocks|examples/wimax)/(\S+)", "\n".join(self.meta["test"]["commands"]))
        self.assertEqual(len(named), 3)
        self.assertEqual([name for name in named if not list(MODULE.glob(f"*/{name}"))], [])

    def test_script_configures_with_an_empty_prefix(self):
        """build.sh without compilation: a stand-in for cmake passes on the configuration alone, and records the rest."""
        with tempfile.TemporaryDirectory(prefix="wimax-conda-") as folder:
            work = Path(folder)
            source = work / "source"
            source.mkdir()
            for name in ("gr-wimax", "cmake", "VERSION", "flowgraphs"):
                (source / name).symlink_to(SOURCE / name)
            cmake = subprocess.run(["which", "cmake"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
            (work / "bin").mkdir()
            shim = work / "bin/cmake"
            shim.write_text(f'#!/bin/sh\necho "$1" >> {work}/calls\ncase $1 in -S) exec {cmake} "$@" ;; esac\n', encoding="utf-8")
            shim.chmod(0o755)
            environment = {"PATH": f"{work}/bin:{os.environ['PATH']}", "SRC_DIR": str(source), "PREFIX": f"{work}/prefix", "CPU_COUNT": "2",
                           "SP_DIR": f"{work}/prefix/lib/python/site-packages", "PYTHON": "/usr/bin/python3", "HOME": folder}
            done = subprocess.run(["bash", RECIPE / "build.sh"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout[-2000:])
            self.assertEqual((work / "calls").read_text(encoding="utf-8").split(), ["-S", "--build", "--install"])
            cache = (source / "build-conda/CMakeCache.txt").read_text(encoding="utf-8")
            for setting in (f"CMAKE_INSTALL_PREFIX:PATH={work}/prefix", "BUILD_TESTING:BOOL=OFF", "CMAKE_BUILD_TYPE:STRING=Release"):
                self.assertIn(f"\n{setting}\n", cache)
            rules = (source / "build-conda/python/wimax/cmake_install.cmake").read_text(encoding="utf-8")
            self.assertIn(f"{work}/prefix/lib/python/site-packages/gnuradio/wimax", rules)


if __name__ == "__main__":
    unittest.main()
