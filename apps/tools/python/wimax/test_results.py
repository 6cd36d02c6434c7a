# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory of large results: arrays that outlive their call keep it, also while other threads make results of the same size."""
import threading
import unittest
import weakref

import numpy as np

from wimax import phy

FORMAT = phy.BurstFormat(rate_id=3, data_symbols=4, iuc=7, bsid=1, frame_number=5)
BURSTS = 400  # a result of 400 x 4 x 384 octets
SMALL = 2


def payloads(seed, bursts=BURSTS):
    return np.random.default_rng(seed).integers(0, 256, (bursts, FORMAT.payload_octets), np.uint8)


def encoded(seed, bursts=BURSTS):
    return phy.encode_bursts(payloads(seed, bursts), FORMAT)


def expected(seed):
    """Made of small results, which numpy owns."""
    octets = payloads(seed)
    return np.concatenate([phy.encode_bursts(octets[at:at + SMALL], FORMAT) for at in range(0, BURSTS, SMALL)])


class Results(unittest.TestCase):
    def test_released_memory_is_used_again(self):
        encoded(1)
        places = set()
        for seed in range(20):
            places.add(encoded(seed).ctypes.data)
        self.assertEqual(len(places), 1)
        self.assertGreater(encoded(1).nbytes, 1 << 18)

    def test_arrays_that_live_keep_their_memory(self):
        kept = [encoded(seed) for seed in range(12)]
        self.assertEqual(len({array.ctypes.data for array in kept}), 12)
        for seed, array in enumerate(kept):
            np.testing.assert_array_equal(array, expected(seed), str(seed))

    def test_a_view_keeps_the_memory_of_its_array(self):
        array = encoded(1)
        view, gone = array[100:200], weakref.ref(array)
        copy = view.copy()
        del array
        others = [encoded(seed) for seed in range(2, 8)]
        self.assertTrue(gone() is None or gone() is view.base)
        np.testing.assert_array_equal(view, copy)
        self.assertTrue(all(not np.shares_memory(view, other) for other in others))

    def test_threads(self):
        wanted, wrong = [expected(seed) for seed in range(4)], []

        def work(seed):
            for _ in range(30):
                kept, _ = encoded(seed), encoded(seed + 10)
                if not np.array_equal(kept, wanted[seed]):
                    wrong.append(seed)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
