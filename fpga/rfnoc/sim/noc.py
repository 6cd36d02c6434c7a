# SPDX-License-Identifier: GPL-3.0-or-later
"""The interface of an image to a NoC block: CHDR packets at its streams, transactions at its control port, its backend. Written after the RFNoC
specification. One clock each for CHDR, control and the core, none a multiple of another."""
import re
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

PERIODS = {"rfnoc_chdr_clk": 10, "rfnoc_ctrl_clk": 22, "ce_clk": 14, "radio_clk": 18}  # steps of the simulator
HEADER = Path(__file__).parent.parent / "control/wrapper_registers.h"
DATA, TIMED_DATA = 6, 7
WRITE, READ = 1, 2
CYCLES = 20_000  # limit of every wait


def wrapper_registers():
    """Addresses by name, as in the controllers."""
    return {name: int(value, 0) for name, value in re.findall(r"\b(k\w+) = (0x[0-9A-F]+)", HEADER.read_text(encoding="utf-8"))}


class Packet:
    """A CHDR data packet: 32-bit words, time in ticks or None, end of burst."""

    def __init__(self, words, time=None, end_of_burst=False):
        self.words, self.time, self.end_of_burst = list(words), time, end_of_burst

    def __eq__(self, other):
        return vars(self) == vars(other)

    def __repr__(self):
        return f"Packet({len(self.words)} words {[hex(word) for word in self.words[:4]]}.., {self.time}, {self.end_of_burst})"

    def lines(self, number):
        """Lines of 64 bits."""
        timed = self.time is not None
        length = 8 + 8 * timed + 4 * len(self.words)
        yield self.end_of_burst << 57 | (TIMED_DATA if timed else DATA) << 53 | (number & 0xFFFF) << 32 | length << 16
        if timed:
            yield self.time
        padded = [*self.words, *[0] * (len(self.words) % 2)]
        yield from (low | high << 32 for low, high in zip(padded[::2], padded[1::2]))

    @classmethod
    def of(cls, lines):
        """Returns a packet and its sequence number."""
        head, *rest = lines
        kind, length = head >> 53 & 7, head >> 16 & 0xFFFF
        assert kind in (DATA, TIMED_DATA), hex(head)
        assert head >> 48 & 31 == 0  # no metadata
        time = rest.pop(0) if kind == TIMED_DATA else None
        words = [line >> shift & 0xFFFFFFFF for line in rest for shift in (0, 32)]
        count = (length - 8 - 8 * (time is not None)) // 4
        assert len(words) - count in (0, 1), (len(words), length)
        return cls(words[:count], time, bool(head >> 57 & 1)), head >> 32 & 0xFFFF


class Block:
    """After reset(), `packets` has the packets received at each output."""

    def __init__(self, dut, random, stall=0.3):
        self.dut, self.random, self.stall = dut, random, stall
        self.outputs = len(dut.m_rfnoc_chdr_tvalid)
        self.transactions = 0
        self._begin()

    def _begin(self):
        """Like after a soft reset: packets are numbered from 0."""
        self.sent, self.numbers = 0, [0] * self.outputs
        self.packets, self.lines = ([[] for _ in range(self.outputs)] for _ in range(2))

    async def reset(self):
        """Starts clocks, and performs the soft resets of UHD before it uses a block."""
        dut = self.dut
        for name in dir(dut):
            if name.startswith("s_rfnoc") and name.endswith("_tvalid") or name.startswith("m_rfnoc") and name.endswith("_tready"):
                getattr(dut, name).value = 0
        dut.rfnoc_core_config.value = 0
        for name, period in PERIODS.items():
            if hasattr(dut, name):
                cocotb.start_soon(Clock(getattr(dut, name), period, "step").start())
        await self.soft_reset()
        cocotb.start_soon(self._take())

    async def soft_reset(self):
        """Bits 33 (control) and 34 (CHDR) of the backend."""
        dut = self.dut
        await FallingEdge(dut.rfnoc_ctrl_clk)
        dut.rfnoc_core_config.value = 3 << 33
        await ClockCycles(dut.rfnoc_ctrl_clk, 10)
        await FallingEdge(dut.rfnoc_ctrl_clk)
        dut.rfnoc_core_config.value = 0
        await ClockCycles(dut.rfnoc_ctrl_clk, 100)
        self._begin()

    def identity(self):
        """NoC ID, inputs, outputs."""
        status = int(self.dut.rfnoc_core_status.value)
        return status >> 32 & 0xFFFFFFFF, status >> 6 & 63, status >> 12 & 63

    async def _transact(self, operation, address, data):
        dut, clock = self.dut, self.dut.rfnoc_ctrl_clk
        number = self.transactions & 63
        self.transactions += 1
        request = [number << 24 | 1 << 20 | 5 << 10, 7, operation << 24 | 0xF << 20 | address, data]
        await FallingEdge(clock)
        for place, word in enumerate(request):
            dut.s_rfnoc_ctrl_tvalid.value, dut.s_rfnoc_ctrl_tdata.value, dut.s_rfnoc_ctrl_tlast.value = 1, word, place == 3
            while True:
                await RisingEdge(clock)
                taken = int(dut.s_rfnoc_ctrl_tready.value)
                await FallingEdge(clock)
                if taken:
                    break
        dut.s_rfnoc_ctrl_tvalid.value = 0
        answer = []
        dut.m_rfnoc_ctrl_tready.value = 1
        for _ in range(CYCLES):
            await RisingEdge(clock)
            if int(dut.m_rfnoc_ctrl_tvalid.value):
                answer.append(int(dut.m_rfnoc_ctrl_tdata.value))
                if int(dut.m_rfnoc_ctrl_tlast.value):
                    break
        await FallingEdge(clock)
        dut.m_rfnoc_ctrl_tready.value = 0
        assert len(answer) == 4, f"no acknowledgement: {answer}"
        assert answer[0] == 1 << 31 | number << 24 | 1 << 20 | 5, hex(answer[0])  # to port 5, from port 0
        assert answer[2] >> 30 == 0 and answer[2] & 0xFFFFF == address, hex(answer[2])
        return answer[3]

    async def write(self, address, data):
        await self._transact(WRITE, address, data)

    async def read(self, address):
        return await self._transact(READ, address, 0)

    async def send(self, packets):
        """Sends packets to input 0."""
        dut, clock = self.dut, self.dut.rfnoc_chdr_clk
        await FallingEdge(clock)
        for packet in packets:
            lines = list(packet.lines(self.sent))
            self.sent += 1
            for place, line in enumerate(lines):
                while self.random.random() < self.stall:
                    dut.s_rfnoc_chdr_tvalid.value = 0
                    await FallingEdge(clock)
                dut.s_rfnoc_chdr_tvalid.value, dut.s_rfnoc_chdr_tdata.value = 1, line
                dut.s_rfnoc_chdr_tlast.value = place == len(lines) - 1
                for _ in range(CYCLES):
                    await RisingEdge(clock)
                    taken = int(dut.s_rfnoc_chdr_tready.value)
                    await FallingEdge(clock)
                    if taken:
                        break
                assert taken, f"line {place} of packet {self.sent - 1} is not taken"
        dut.s_rfnoc_chdr_tvalid.value = 0

    async def _take(self):
        """Receives from all outputs."""
        dut, clock = self.dut, self.dut.rfnoc_chdr_clk
        while True:
            await FallingEdge(clock)
            ready = sum((self.random.random() >= self.stall) << port for port in range(self.outputs))
            dut.m_rfnoc_chdr_tready.value = ready
            await RisingEdge(clock)
            taken = ready & int(dut.m_rfnoc_chdr_tvalid.value)
            for port in range(self.outputs):
                if not taken >> port & 1:
                    continue
                end = 64 * (self.outputs - port)  # the other's bits may be unknown
                self.lines[port].append(int(dut.m_rfnoc_chdr_tdata.value.binstr[end - 64:end], 2))
                if int(dut.m_rfnoc_chdr_tlast.value) >> port & 1:
                    packet, number = Packet.of(self.lines[port])
                    assert number == self.numbers[port], (number, self.numbers)
                    self.packets[port].append(packet)
                    self.lines[port], self.numbers[port] = [], number + 1 & 0xFFFF

    async def until(self, count, port=0, cycles=400_000):
        """Waits for the given number of packets of an output."""
        for _ in range(cycles // 100):
            if len(self.packets[port]) >= count:
                return self.packets[port]
            await ClockCycles(self.dut.rfnoc_chdr_clk, 100)
        raise AssertionError(f"{len(self.packets[port])} packets of {count}")


async def check_common(block, noc_id, core_id, version, outputs=1):
    """Tests common to all blocks: identity, registers of wrapper and core, soft reset."""
    registers = wrapper_registers()
    assert block.identity() == (noc_id, 1, outputs)
    assert await block.read(0x00) == core_id and await block.read(0x04) == version
    after_reset = await block.read(registers["kPacketWords"])
    await block.write(registers["kTicksLog2"], 5)
    await block.write(registers["kPacketWords"], 99)
    assert await block.read(registers["kTicksLog2"]) == 5 and await block.read(registers["kPacketWords"]) == 99
    assert await block.read(0x04) == version
    await block.soft_reset()
    assert await block.read(registers["kTicksLog2"]) == 0 and await block.read(registers["kPacketWords"]) == after_reset
    assert block.identity() == (noc_id, 1, outputs)
