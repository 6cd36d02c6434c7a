# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes to the browser by itself: which burst of a receiver, and questions while somebody looks, never else."""
import asyncio
import base64
import json
import tempfile
import unittest
from contextlib import closing
from unittest import mock

from tornado.testing import AsyncHTTPTestCase, gen_test
from tornado.websocket import websocket_connect

from wimax_tools.watch import command, live, watcher
from wimax_tools.watch.changes import Changes
from wimax_tools.watch.heard import heard
from wimax_tools.watch.server import LARGEST_MESSAGE, application

QUICK_S = 0.02  # between questions


def burst(direction="uplink", kind="data", cid=1, iuc=9, **more):
    return {"direction": direction, "kind": kind, "cid": cid, "iuc": iuc, "rate_id": 6, "frame": 7, "points": [1000, 0], "channels": [], **more}


def signal(*bursts):
    return {"radio_open": True, "sample_rate_hz": 5_760_000, "spectrum_dbm": [-100.0] * 256, "bursts": list(bursts)}


class WhatIsHeard(unittest.TestCase):
    def test_the_chosen_burst_alone_has_its_points(self):
        said = heard(signal(burst(cid=2), burst(cid=1), burst(kind="ranging", cid=0)), "uplink data 2")
        self.assertEqual([one["key"] for one in said["bursts"]], ["uplink data 1", "uplink data 2", "uplink ranging 0"])
        self.assertFalse(any("points" in one or "channels" in one for one in said["bursts"]))
        self.assertEqual((said["burst"]["cid"], said["burst"]["points"]), (2, [1000, 0]))

    def test_without_a_choice_the_first_with_data(self):
        down = signal(burst("downlink", "broadcast", iuc=0), burst("downlink", iuc=7), burst("downlink", iuc=5))
        self.assertEqual(heard(down)["burst"]["key"], "downlink data 1 5")
        self.assertEqual(heard(signal(burst(kind="ranging")))["burst"]["kind"], "ranging")
        self.assertIsNone(heard(signal())["burst"])

    def test_who_is_not_heard_is_nobody_else(self):
        self.assertIsNone(heard(signal(burst(cid=1)), "uplink data 2")["burst"])

    def test_silent_and_without_radio(self):
        self.assertEqual([(said["answers"], said["radio_open"], said["burst"]) for said in (heard(None), heard({"radio_open": False}))],
                         [(False, False, None), (True, False, None)])


class Pictures(unittest.TestCase):
    def test_each_is_compared_with_the_one_before(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(watcher, "picture", lambda now, before, _: {"samples": (now, before)}), \
                closing(watcher.Watcher(folder=folder)) as one:
            samples = [one.picture()["samples"] for _ in range(3)]
        self.assertEqual([before for _, before in samples], [None, samples[0][0], samples[1][0]])
        self.assertIs(samples[2][1], samples[1][0])

    def test_a_base_station_that_has_no_frame_is_left_out(self):
        with tempfile.TemporaryDirectory() as folder, closing(watcher.Watcher(folder=folder)) as one:
            with mock.patch.object(one, "ask", lambda name, _: {"a": {"frame": 7}, "b": {"error": "no such value"}}.get(name)):
                self.assertEqual(one._frames(["a", "b", "c"]), {"a": 7})

    def test_the_token_has_128_bits_and_is_new_each_time(self):
        with mock.patch.object(command.asyncio, "run") as run, mock.patch.object(command, "serve", lambda options, watcher, token: base64.urlsafe_b64decode(token + "==")):
            self.assertEqual([command.main([]), command.main([])], [0, 0])
        (one,), (other,) = (call.args for call in run.call_args_list)
        self.assertEqual((len(one), one == other), (16, False))


class Watcher:
    """Of two receivers, each with a sender; and of a cell that is empty."""
    programs = None

    def __init__(self):
        self.questions = []

    def ask(self, name, request):
        return None

    def picture(self):
        return {}

    def signal(self, name):
        self.questions.append(name)
        return signal(burst(cid=1), burst(cid=len(name)))


class Server(AsyncHTTPTestCase):
    def setUp(self):
        self.watcher = Watcher()
        period_s, live.PERIOD_S = live.PERIOD_S, QUICK_S
        self.addCleanup(setattr, live, "PERIOD_S", period_s)
        super().setUp()

    def get_app(self):
        return application(self.watcher, Changes(self.watcher.ask), "secret")

    def connection(self):
        return websocket_connect(f"ws://127.0.0.1:{self.get_http_port()}/signal")

    async def status(self):
        reply = await self.http_client.fetch(self.get_url("/status"))
        return json.loads(reply.body)["signal"]

    @gen_test
    async def test_asked_while_somebody_looks(self):
        page = await self.connection()
        await asyncio.sleep(5 * QUICK_S)
        self.assertEqual((self.watcher.questions, await self.status()), ([], {"watching": 0, "questions": 0}))
        await page.write_message(json.dumps({"receiver": "bs.phyd", "burst": "uplink data 7"}))
        for _ in range(3):
            said = json.loads(await page.read_message())
            self.assertEqual((said["receiver"], said["burst"]["cid"]), ("bs.phyd", 7))
        await page.write_message(json.dumps({"receiver": "house.phyd", "burst": ""}))
        while said["receiver"] != "house.phyd":
            said = json.loads(await page.read_message())
        self.assertEqual((said["burst"]["cid"], (await self.status())["watching"]), (1, 1))
        page.close()
        while (await self.status())["watching"]:
            await asyncio.sleep(QUICK_S)
        await asyncio.sleep(2 * QUICK_S)  # a question that was under way
        asked = list(self.watcher.questions)
        await asyncio.sleep(5 * QUICK_S)
        self.assertEqual((self.watcher.questions, await self.status()), (asked, {"watching": 0, "questions": len(asked)}))

    @gen_test
    async def test_two_that_look_at_one_receiver_ask_once(self):
        pages = [await self.connection() for _ in range(2)]
        for page, key in zip(pages, ("uplink data 1", "uplink data 7")):
            await page.write_message(json.dumps({"receiver": "bs.phyd", "burst": key}))
        for _ in range(10):
            said = [json.loads(await page.read_message()) for page in pages]
        self.assertEqual([one["burst"]["cid"] for one in said], [1, 7])
        self.assertLessEqual(len(self.watcher.questions), 12)

    @gen_test
    async def test_words_that_are_no_choice_end_it(self):
        for words in ("[]", "{", '{"receiver": "bs.phyd"}', '{"receiver": 7, "burst": ""}', '{"receiver": "bs.phyd", "burst": null}', "[" * 4000,
                      "[" * 100_000):
            page = await self.connection()
            await page.write_message(words)
            self.assertIsNone(await page.read_message(), words)
            self.assertEqual(page.close_code, 1009 if len(words) > LARGEST_MESSAGE else 1007)
        self.assertEqual(self.watcher.questions, [])


if __name__ == "__main__":
    unittest.main()
