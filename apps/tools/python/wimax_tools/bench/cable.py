# SPDX-License-Identifier: GPL-3.0-or-later
"""Models of radios (personalities of the virtual radio) at both ends of a cable: the rate that the channel must have for both of them,
and gains that suit the models."""
import json
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import yaml

from wimax_tools.bench.stack import TX_POWER_DBM, StackError

LOSS_DB = 60
SENT_DBM = 0           # by the gain below the highest, which gives the channel's tx_power_dbm
HEADROOM_DB = 12       # of it below full scale, at all models alike
RX_GAIN_DB = 30        # -60 dBm of 60 dB of cable is 20 dB below full scale
PROBE_S = 30


@dataclass(frozen=True)
class End:
    personality: str
    tx_gain_db: float
    rx_gain_db: float
    device_rate_hz: Optional[float] = None  # configured in its PHY; None: the PHY chooses


@dataclass(frozen=True)
class Cable:
    rate_hz: float   # of the channel
    loss_db: float
    bs: End
    ss: End          # of each subscriber station
    opening_s: float = 0  # that opening a radio takes; the models' own time would only be waited for

    @property
    def received_dbm(self):
        return SENT_DBM - self.loss_db

    @property
    def headroom_db(self):
        return HEADROOM_DB

    def end(self, site):
        return self.bs if site == "bs" else self.ss


def names(text):
    """BS[,SS]: of the base station, and of the subscriber stations if they are others."""
    parts = text.split(",")
    if len(parts) > 2 or not all(parts):
        raise ValueError(f"'{text}' is not one personality, or two by a comma: BS,SS")
    return parts[0], parts[-1]


def probe(binaries, personality, profile):
    """The output of `wimax radio probe` for a model. The probe needs a channel, of any rate."""
    with tempfile.TemporaryDirectory(prefix="wimax-probe-") as folder:
        address = f"{folder}/channel"
        config = Path(folder, "channeld.yml")
        config.write_text(yaml.dump({"listen": [address], "sample_rate_hz": profile.sample_rate_hz, "time": {"mode": "rt"},
                                     "control": {"endpoint": ""}, "status": {"console": False}}), encoding="utf-8")
        channel = subprocess.Popen([str(binaries / "wimax-channeld"), "--config", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            device = f"type=vrf,addr={address},name=probe,opening_s=0,personality={personality}"
            done = subprocess.run([str(binaries / "wimax-radio"), "probe", "--device", device, "--json", "-"], capture_output=True, text=True,
                                  timeout=PROBE_S, check=False)
        finally:
            channel.terminate()
            channel.wait()
    if done.returncode:
        raise StackError(f"personality {personality}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout)


def own_rate_hz(found, personality, profile):
    """Of the channel, for this model alone."""
    rate = next((r for r in found["rates"] if r["bandwidth_hz"] == profile.bandwidth_hz), None)
    if rate is None:
        raise StackError(f"personality {personality}: no plan for {profile.bandwidth_hz} Hz; those of wimax radio probe: "
                         + ", ".join(f"{r['bandwidth_hz'] / 1e6:g} MHz" for r in found["rates"]))
    if "refused" in rate:
        raise StackError(f"personality {personality}: {rate['refused']}")
    return round(rate["device_rate_hz"]) if rate["resampled"] else profile.sample_rate_hz


def plan(binaries, personalities, profile, loss_db=LOSS_DB):
    """`personalities`: of base station and subscriber stations. The channel has the higher of their rates; the other radio gets it by radio.device_rate_hz."""
    found = {p: probe(binaries, p, profile) for p in dict.fromkeys(personalities)}
    rates = {p: own_rate_hz(found[p], p, profile) for p in found}
    rate = max(rates.values())
    ends = [End(p, found[p]["tx"]["gain_db"]["high"] - (TX_POWER_DBM - SENT_DBM - HEADROOM_DB), min(RX_GAIN_DB, found[p]["rx"]["gain_db"]["high"]),
                None if rates[p] == rate else rate) for p in personalities]
    return Cable(rate, loss_db, *ends)
