# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/tutorial.md, block by block as it stands there; with WIMAX_TUTORIAL=installed from the packages."""
import tempfile
import unittest

import tutorial


@unittest.skipUnless(tutorial.may_be_root(), "TUN interfaces and network namespaces need root: sudo ./wimax test")
class Tutorial(unittest.TestCase):
    def test_word_by_word(self):
        blocks = [block for block, _ in tutorial.blocks_and_pictures()]
        self.assertEqual([block.startswith(begin) for block, (begin, _) in zip(blocks, tutorial.SHOWS)], [True] * len(tutorial.SHOWS))
        self.assertEqual(len(blocks), len(tutorial.SHOWS))
        folder = tempfile.TemporaryDirectory(prefix="wimax-tutorial-")
        self.addCleanup(folder.cleanup)
        reader = tutorial.Reader(folder.name)
        self.addCleanup(reader.stop)
        for block, (_, shown) in zip(blocks, tutorial.SHOWS):
            self.assertIsNone(reader.until_shown(block, shown))


if __name__ == "__main__":
    unittest.main()
