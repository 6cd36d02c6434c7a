# SPDX-License-Identifier: GPL-3.0-or-later
"""The register slice outputs its input under any stalls."""
from random import Random

import cocotb

from axis import Port, receive, send, start


@cocotb.test()
async def passes_all(dut):
    await start(dut)
    words = [{"tdata": Random(i).getrandbits(32)} for i in range(3000)]
    sending = cocotb.start_soon(send(Port(dut, "s_axis"), words, Random(1)))
    assert await receive(Port(dut, "m_axis"), len(words), Random(2)) == words
    await sending
