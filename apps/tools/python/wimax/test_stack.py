# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells from Python: scripted traffic without root, kernel traffic with it, and what is refused."""
import contextlib
import io
import os
import unittest

import wimax


class Refused(unittest.TestCase):
    def test_all_faults_of_a_cell_at_once(self):
        with self.assertRaises(ValueError) as raised:
            wimax.Stack(65, profile="5MHz", snr_db=float("nan"), dl_rate=7, ul_rate="64-QAM", seed=-1, pace="fast", offer_kbps={"sideways": 0},
                        settings={"ss9": {}})
        said = str(raised.exception).split("\n")
        self.assertEqual([line.split(":")[0] for line in said],
                         ["profile", "stations", "snr_db", "seed", "dl_rate", "ul_rate", "pace", "direction", "offer_kbps", "settings"])
        self.assertEqual(said[1], "stations: 65 is not from 1 to 64")

    def test_a_channel_that_does_not_exist(self):
        with self.assertRaisesRegex(ValueError, "channel: 'nope' is neither a file of taps nor one of awgn, sui1"):
            wimax.Stack(channel="nope")


class NotStarted(unittest.TestCase):
    def test_the_reason_and_the_logs_of_a_cell_that_does_not_start(self):
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed), self.assertRaisesRegex(wimax.StackError, "channeld ended with status 2: .*nope"):
            wimax.Stack(settings={"channeld": {"nope": 1}}).start()
        self.assertIn("--- channeld (ended with 2)", printed.getvalue())


class Scripted(unittest.TestCase):
    def test_the_channel_changes_in_mid_run(self):
        with wimax.Stack(dl_rate="QPSK 3/4", offer_kbps={"downlink": 1000, "uplink": 500}) as cell:
            self.assertGreater(cell.entry_time_s, 0)
            self.assertAlmostEqual(cell.goodput_kbps("downlink", seconds=1)[0], 1000, delta=40)
            self.assertAlmostEqual(cell.goodput_kbps("uplink", seconds=1)[0], 500, delta=40)
            cell.set_channel(direction="downlink", snr_db=3)  # 8 dB below what the rate needs: maps arrive, data does not
            cell.run(0.3)
            self.assertLess(sum(cell.goodput_kbps("downlink", seconds=1, parts=4)) / 4, 100)
            self.assertEqual(cell.metrics("channeld")["links"]["bs->ss1"]["snr_db"], 3)
            self.assertEqual(cell.metrics("channeld")["links"]["ss1->bs"]["snr_db"], 30)
            with self.assertRaisesRegex(ValueError, "link.snr_db: value 1000: allowed -30 to 100"):
                cell.set_channel(snr_db=1000)
            with self.assertRaisesRegex(ValueError, "station: 2 is not from 1 to 1"):
                cell.set_channel(station=2, snr_db=10)
            with self.assertRaisesRegex(ValueError, "program: 'ss2' is not there; allowed: bs, ss1, channeld, bs.phyd"):
                cell.metrics("ss2")
            with self.assertRaisesRegex(wimax.StackError, "goodput_kbps"):
                cell.ping()

    def test_the_same_seed_is_the_same_air(self):
        def heard(seed):
            with wimax.Stack(seed=seed, channel="sui2", snr_db=25, dl_rate=3, ul_rate=3, offer_kbps={"downlink": 800},
                             settings={"channeld": {"hash_s": 2.0}}) as cell:
                cell.run(2.2)
                return {name: radio["hash"] for name, radio in cell.metrics("channeld")["radios"].items()}

        once = heard(5)
        self.assertEqual(sorted(once), ["bs", "ss1"])
        self.assertEqual(heard(5), once)
        self.assertNotEqual(heard(6), once)


@unittest.skipUnless(os.geteuid() == 0, "TUN interfaces and network namespaces need root: sudo ./wimax test")
class Kernel(unittest.TestCase):
    def test_ping_and_iperf_of_the_second_station(self):
        with wimax.Stack(2, dl_rate=3, ul_rate=3, pace="paced") as cell:
            ping = cell.ping(2, probes=10)
            self.assertEqual((ping.lost, len(ping.rtt_ms)), (0, 10))
            self.assertTrue(8 < ping.mean_ms < 60, ping)
            self.assertLessEqual(ping.mean_ms, ping.percentile_ms(0.99))
            whole = 2 * cell.capacity_kbps("downlink")  # the other station is silent
            tcp = cell.iperf("downlink", station=2, seconds=4)
            self.assertTrue(0.6 * whole < tcp.kbps <= 1.01 * whole, (tcp, whole))
            udp = cell.iperf("uplink", station=2, seconds=3, udp_kbps=400)
            self.assertEqual(udp.lost, 0)
            self.assertAlmostEqual(udp.kbps, 400, delta=60)


if __name__ == "__main__":
    unittest.main()
