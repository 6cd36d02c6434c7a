#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_messages.py FIELDS GRC_FOLDER: the documentation of each block names exactly the keys of its messages. Blocks send messages with these keys and values
within these ranges. They accept the ends of each range, and refuse values outside, other types and missing keys by name. FIELDS is block_message_fields.h."""
import re
import sys
import time
import unittest
from pathlib import Path

import pmt
import yaml
from gnuradio import blocks, gr, pdu, wimax
from gnuradio.wimax import chains, messages
from gnuradio.wimax.frame_composer import frame_composer

PATIENCE_S = 60  # only a hang takes that long
FRAME, SLOTS = 57600, 72  # 5 MHz, 10 ms, CP 1/8
ABSENT = ", may be absent"


def read_ports(documentation):
    """(direction, port) -> {key: (specification, {key: specification} of its elements)}."""
    found, keys, elements = {}, None, None
    for direction, section in re.findall(r"^Messages (in|out):\n(.*?)(?=^Messages (?:in|out):|^$|\Z)", documentation, re.M | re.S):
        for line in section.splitlines():
            indent, (name, text) = len(line) - len(line.lstrip()), re.split(r" - |: ", line.strip(), maxsplit=1)
            specification = text.split(" - ")[0]
            if indent == 0:
                keys = found.setdefault((direction, name), {})
            elif indent == 4:
                elements = {}
                keys[name] = specification, elements
            else:
                elements[name] = specification, {}
    return found


def documented():
    files = sorted(Path(GRC).glob("*.block.yml"))
    return {block["id"].split("wimax_")[-1]: read_ports(block["documentation"]) for block in (yaml.safe_load(file.read_text()) for file in files)}


def bounds(specification):
    found = re.match(r"(-?\d+) \.\. (-?\d+)", specification)
    return (int(found[1]), int(found[2])) if found else None


def is_of(value, specification, elements):
    """Whether a value that a block has sent is one of the documented ones."""
    bare = specification.replace(ABSENT, "")
    if bounds(bare):
        return type(value) is int and bounds(bare)[0] <= value <= bounds(bare)[1]
    for word, kind in (("boolean", bool), ("integer", int), ("real", float)):
        if bare.split()[0] == word:
            return type(value) is kind
    if bare == "vector of dictionaries":
        return all(faults(dict(element), elements) == [] for element in value)
    return bare in ("u32vector", "s32vector") or str(value) in bare.split(", ")


def faults(keys, specifications):
    """What is wrong with the keys of a message that a block has sent."""
    wrong = [f"{key} is not documented" for key in keys if key not in specifications]
    wrong += [f"{key} is missing" for key, (text, _) in specifications.items() if key not in keys and ABSENT not in text]
    return wrong + [f"{key}: {keys[key]}, documented: {text}" for key, (text, elements) in specifications.items()
                    if key in keys and not is_of(keys[key], text, elements)]


def sent_keys(message):
    return {key: value for key, value in messages.parse(message).items() if key not in ("message", "payload")}


def post(block, port, message):
    block.to_basic_block()._post(pmt.intern(port), message)


def run(top, ready=None):
    """Until its end, or until ready()."""
    top.start()
    limit = time.monotonic() + PATIENCE_S
    while ready and not ready() and time.monotonic() < limit:
        time.sleep(0.002)
    if ready:
        top.stop()
    top.wait()


class Sent(unittest.TestCase):
    """What blocks send."""

    def stores(self, top, block, *ports):
        debugs = {}
        for port in ports:
            debugs[port] = blocks.message_debug()
            top.msg_connect(block, port, debugs[port], "store")
        return debugs

    def check(self, block, debugs, optional=()):
        """Every message of each port; those keys that may be absent are in one of them."""
        for port, debug in debugs.items():
            specifications = DOCUMENTED[block]["out", port]
            found = [sent_keys(debug.get_message(i)) for i in range(debug.num_messages())]
            self.assertTrue(found, f"{block}: nothing at port {port}")
            self.assertEqual([faults(keys, specifications) for keys in found if faults(keys, specifications)][:1], [], f"{block} {port}")
            for key in optional:
                self.assertTrue(port != optional[key] or any(key in keys for keys in found), key)

    def test_subscriber_station_receiver(self):
        top, receiver, hier = gr.top_block(), wimax.ss_receiver(), chains.downlink_receiver()
        source = wimax.downlink_source(bursts=[(1, 4)], stc_bursts=[(2, 4)], payload=[1, 2])
        cut, silence = blocks.head(gr.sizeof_gr_complex, 7 * FRAME), blocks.stream_mux(gr.sizeof_gr_complex, [7 * FRAME, 60 * FRAME])
        end = blocks.head(gr.sizeof_gr_complex, 67 * FRAME)
        top.connect(source, cut, silence, end, receiver)
        top.connect((source, 1), blocks.null_sink(gr.sizeof_gr_complex))
        top.connect(blocks.null_source(gr.sizeof_gr_complex), (silence, 1))
        top.connect(end, hier)
        found = self.stores(top, receiver, "tick", "burst", "error"), self.stores(top, hier, "tick", "burst", "error", "pdus")
        run(top)
        self.check("ss_receiver", found[0], {"stc": "burst"})
        self.check("downlink_receiver", found[1], {"stc": "burst"})

    def test_base_station_receiver(self):
        class Codes(frame_composer):
            def _publish(self, port, message):
                keys = messages.parse(message)
                if port == "expect":
                    message = messages.expectation(keys["frame_number"], [messages.burst(40 * SLOTS, 1, 3, preamble_symbols=1)], contention_slots=[90 * SLOTS])
                if port == "tx":
                    message = messages.tx_frame("uplink", keys["frame_number"], keys["frame_start_sample"],
                                                [messages.burst(40 * SLOTS, 1, 3, preamble_symbols=1, payload=b"a")], codes=[messages.contention_code(90 * SLOTS, 17, 3)])
                frame_composer._publish(self, port, message)
        top, receiver = gr.top_block(), wimax.bs_receiver()
        transmitter = chains._Transmitter("codes", Codes(direction="uplink"), 5000000, 4, 0, (0, None), ticks=False)
        top.connect(transmitter, receiver)
        top.msg_connect(receiver, "tick", transmitter, "tick")
        top.msg_connect(transmitter, "expect", receiver, "expect")
        found = self.stores(top, receiver, "tick", "burst", "contention", "error")
        post(receiver, "expect", pmt.PMT_NIL)
        run(top, lambda: all(debug.num_messages() for debug in found.values()) and found["contention"].num_messages() > 3)
        self.check("bs_receiver", found)
        heard = [messages.parse(found["contention"].get_message(i))["codes"] for i in range(3)]
        self.assertEqual([[(c["channel"], c["code"]) for c in codes] for codes in heard], [[(17, 3)]] * 3, "the keys of codes have been seen")

    def test_transmitter(self):
        top, transmitter = gr.top_block(), wimax.burst_transmitter()
        found = self.stores(top, transmitter, "samples", "done", "error")
        bursts = [messages.burst(216, 1, 2), messages.burst(216 + 5 * SLOTS, 1, 2, iuc=2, stc=True)]
        for message in (messages.tx_frame("downlink", 1, 0, bursts), pmt.PMT_NIL):
            post(transmitter, "tx", message)
        run(top, lambda: all(debug.num_messages() for debug in found.values()))
        self.check("burst_transmitter", found, {"antennas": "samples"})

    def test_composer(self):
        for direction in ("downlink", "uplink"):
            composer, found = frame_composer(direction=direction), []
            composer._publish = lambda port, message, to=found: to.append((port, message))
            for message in (messages.pdu(b"a"), pmt.PMT_NIL):
                composer._add(message)
            composer._compose(messages.pdu(frame_number=0, frame_start_sample=0))
            self.assertEqual({port for port, _ in found}, {"tx", "error"} | ({"expect"} if direction == "uplink" else set()))
            for port, message in found:
                self.assertEqual(faults(sent_keys(message), DOCUMENTED["frame_composer"]["out", port]), [], port)


def usual(specification, elements):
    """A value that is allowed."""
    bare = specification.replace(ABSENT, "")
    if bounds(bare):
        return pmt.from_long(max(bounds(bare)[0], min(1, bounds(bare)[1])))
    for word, value in (("boolean", pmt.PMT_T), ("integer", pmt.from_long(0)), ("real", pmt.from_double(0)), ("u32vector", pmt.make_u32vector(1, 3)),
                        ("s32vector", pmt.make_s32vector(16, 3))):
        if bare.split()[0] == word:
            return value
    if bare == "vector of dictionaries":
        return pmt.make_vector(1, dictionary(elements))
    first = bare.split(", ")[0]
    return pmt.from_long(int(first)) if first.isdigit() else pmt.intern(first)


def dictionary(specifications):
    made = pmt.make_dict()
    for key, (text, elements) in specifications.items():
        made = pmt.dict_add(made, pmt.intern(key), usual(text, elements))
    return made


def changed(specifications):
    """(key, dictionary, whether it is allowed) for each key: without it, with another type, at the ends of its range and outside."""
    whole = dictionary(specifications)
    for key, (text, elements) in specifications.items():
        name = pmt.intern(key)
        yield key, pmt.dict_delete(whole, name), ABSENT in text
        yield key, pmt.dict_add(whole, name, pmt.from_complex(1, 1)), False
        if bounds(text):
            low, high = bounds(text)
            for value in (low - 1, low, high, high + 1):
                yield key, pmt.dict_add(whole, name, pmt.from_long(value)), low <= value <= high
        for inner, element, allowed in changed(elements):
            yield inner, pmt.dict_add(whole, name, pmt.make_vector(1, element)), allowed


class Accepted(unittest.TestCase):
    """What blocks accept and refuse."""

    SUM = r"payload: its length|payload_bytes|codes: only|not a frame that was ticked|symbol boundary"  # of a frame whose keys are right one by one

    def answers(self, block, port, pdus, errors="error"):
        """The texts of refusals of each message, which a malformed message separates."""
        top, debug = gr.top_block(), blocks.message_debug()
        if block.to_basic_block().input_signature().max_streams():
            top.connect(pdu.pdu_to_tagged_stream(gr.types.complex_t), block)
        top.msg_connect(block, errors, debug, "store")
        marks = 0
        for message in pdus:
            for one in (message, pmt.PMT_NIL):
                post(block, port, one)
            marks += 1
        texts = lambda: [messages.parse(debug.get_message(i))["payload"].decode() for i in range(debug.num_messages())]
        mark = re.compile(rf"{port}: not a PDU")
        run(top, lambda: debug.num_messages() >= marks and sum(bool(mark.match(text)) for text in texts()) == marks)
        found, answer = [], []
        for text in texts():
            if mark.match(text):
                found.append(answer)
                answer = []
            else:
                answer.append(text)
        self.assertEqual(len(found), marks)
        return found

    def check(self, name, block, port, octets=b""):
        specifications = DOCUMENTED[name]["in", port]
        cases = list(changed(specifications))
        self.assertTrue(cases)
        tail = pmt.init_u8vector(len(octets), list(octets))
        wrong = []
        for (key, keys, allowed), texts in zip(cases, self.answers(block, port, [pmt.cons(keys, tail) for _, keys, _ in cases])):
            refused = [text for text in texts if not re.search(self.SUM, text) or re.search(rf"{key}: (?:missing|not )", text)]
            if allowed and refused or not allowed and not any(key in text for text in refused):
                wrong.append((key, pmt.to_python(pmt.dict_ref(keys, pmt.intern(key), pmt.PMT_NIL)), allowed, texts))
        self.assertEqual(wrong, [], f"{name} {port}")

    def test_frames(self):
        self.check("burst_transmitter", wimax.burst_transmitter(), "tx")

    def test_expectations(self):
        self.check("bs_receiver", wimax.bs_receiver(), "expect")
        self.check("ss_receiver", wimax.ss_receiver(), "expect")

    def test_controls(self):
        self.check("bs_receiver", wimax.bs_receiver(), "control")
        self.check("ss_receiver", wimax.ss_receiver(), "control")

    def test_octets(self):
        self.check("frame_composer", frame_composer(), "pdus", b"a")


class Ticks(unittest.TestCase):
    def test_composer_refuses_what_is_no_pdu(self):
        composer, found = frame_composer(), []
        composer._refuse = found.append
        composer._compose(pmt.PMT_NIL)
        self.assertEqual(found, ["tick: not a PDU (dict . u8vector)"])

    def test_composer_names_what_is_wrong(self):
        for key, keys, allowed in changed(DOCUMENTED["frame_composer"]["in", "tick"]):
            composer, found = frame_composer(), []
            composer._publish = lambda port, message, to=found: to.append((port, messages.parse(message)["payload"]))
            composer._compose(pmt.cons(keys, pmt.make_u8vector(0, 0)))
            self.assertEqual(found[0][0], "tx" if allowed else "error", (key, found))
            self.assertTrue(allowed or key in found[0][1].decode(), found)


class Same(unittest.TestCase):
    """A port has the same keys wherever it is documented."""

    SAME = ((("radio_sink", "in", "samples"), ("burst_transmitter", "out", "samples")), (("ss_receiver", "in", "expect"), ("bs_receiver", "in", "expect")),
            (("frame_composer", "out", "expect"), ("bs_receiver", "in", "expect")), (("uplink_transmitter", "out", "expect"), ("bs_receiver", "in", "expect")),
            (("frame_composer", "out", "tx"), ("burst_transmitter", "in", "tx")), (("ss_receiver", "in", "control"), ("bs_receiver", "in", "control")),
            (("downlink_transmitter", "in", "pdus"), ("frame_composer", "in", "pdus")), (("uplink_transmitter", "in", "pdus"), ("frame_composer", "in", "pdus")),
            (("uplink_transmitter", "in", "tick"), ("frame_composer", "in", "tick")), (("ss_receiver", "in", "done"), ("burst_transmitter", "out", "done")),
            (("bs_receiver", "in", "done"), ("burst_transmitter", "out", "done")), (("ss_receiver", "out", "tick"), ("bs_receiver", "out", "tick")),
            (("ss_receiver", "out", "burst"), ("bs_receiver", "out", "burst")), (("downlink_receiver", "out", "burst"), ("ss_receiver", "out", "burst")),
            (("downlink_receiver", "out", "tick"), ("ss_receiver", "out", "tick")))

    @staticmethod
    def keys(place):
        block, direction, port = place
        return DOCUMENTED[block][direction, port]

    def test_keys(self):
        for one, other in self.SAME:
            self.assertEqual(self.keys(one), self.keys(other), (one, other))
        errors = [ports["out", "error"] for ports in DOCUMENTED.values() if ("out", "error") in ports]
        self.assertEqual([keys for keys in errors if keys != errors[0]], [])
        self.assertEqual(len(errors), 8)

    def test_every_key_of_the_fields_is_documented(self):
        text = Path(FIELDS).read_text(encoding="utf-8")
        for structure, place in (("TransmitFrame", ("burst_transmitter", "in", "tx")), ("Expectation", ("bs_receiver", "in", "expect")),
                                 ("BurstReport", ("ss_receiver", "out", "burst")), ("ContentionReport", ("bs_receiver", "out", "contention")),
                                 ("Tick", ("ss_receiver", "out", "tick")), ("Done", ("burst_transmitter", "out", "done")),
                                 ("ErrorReport", ("bs_receiver", "out", "error")), ("Control", ("bs_receiver", "in", "control"))):
            body = re.search(rf"Is<{structure}> auto& m\) \{{(.*?)(?:^\}}|\}}$)", text, re.M | re.S)[1]
            keys = re.findall(r"v(?:\.\w+)?\(key::(\w+)", body)
            self.assertTrue(keys)
            self.assertEqual(set(keys) - set(self.keys(place)), set(), structure)


if __name__ == "__main__":
    FIELDS, GRC = sys.argv[1:3]
    DOCUMENTED = documented()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
