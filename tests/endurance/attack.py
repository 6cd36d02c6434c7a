#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attacks on a running cell: a base station and two stations, of which ss1 is the victim. A proxy at the PHY service access point of ss2 rewrites the bursts
that ss2 sends (a malicious station) or receives (a malicious base station). Programs are killed and stopped, disks fill, descriptors run out.

    sudo WIMAX_BUILD_DIR=build UHD_MODULE_PATH=build/uhd-modules PYTHONPATH=apps/tools/python tests/endurance/attack.py
    ... tests/endurance/attack.py --list
    ... tests/endurance/attack.py --kind dsa_flood --kind frequency_0_khz --seconds 30 --json attacks.json

Exit status 1: the victim lost a ping, a program ended, grew or spun at its sockets, ss2 did not come back after the attack, or a log or an events
file grew too fast. Under kills and stops pings may be lost: the victim must be served again afterwards. Needs root for network namespaces.
"""

import argparse
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from hostile import OF_A_BASE_STATION, OF_A_STATION, Chance, Numbers, filled
from sap_proxy import SapProxy

from wimax_tools import provenance
from wimax_tools.bench.profiles import Profile
from wimax_tools.bench.stack import Stack, StackError
from wimax_tools.bench.traffic import in_namespace
from wimax_tools.control import columns
from wimax_tools.progress import Progress, whole_file

PROFILE = "5MHz-10ms"
LOG_BPS, EVENTS_BPS = 400, 1000  # of any program
RATE_S = 10            # over which a rate is taken at least: a burst of lines at the begin is no flood
GROWN_KIB = 1024       # of a program, during one kind
# Times that an attack is repeated while it breaks only these: first times make what is kept, and a machine that stops for seconds loses pings and responses.
AGAIN = {"memory": 6, "pings lost": 2, "nothing was rewritten": 2}
SERVED_S = 30          # of simulated time until a station is served again
STILL_S = 60           # of the wall clock without simulated time passing
PING_S, PING_BYTES = 0.05, 56
OWN_S, OWN_BYTES = 0.01, 400  # packets of ss2, so that it is given bursts
SPIN_CORES = 0.5       # of the threads that serve sockets; one that spins takes a whole core
SHARE = 0.7            # of ss2's bursts that are rewritten: it stays in the network
WARM_S = 3
STOPPED_S = 3
DESCRIPTORS, PEERS, WAVES, HELD_S = 64, 250, 6, 1
DISK_KB = 200
CHANGES_S = 0.01       # between changes of a flow to and fro
BASIC_CIDS = 320       # the primary management CID of a station is that much above its basic CID
FLOWS = 4              # that ss2 may add
KILLED = ("channeld", "bs.phyd", "bs.macd", "ss2.phyd", "ss2.macd")
OF_SS2 = ("ss2.phyd", "ss2.macd")


@dataclass
class Outcome:
    kind: str
    group: str
    rewritten: int = 0
    sent: int = 0
    lost: int = 0
    log_bps: float = 0
    events_bps: float = 0
    grown_kib: int = 0
    grew: str = ""
    io_cores: float = 0
    back_s: float = 0
    ended: list = field(default_factory=list)
    broken: list = field(default_factory=list)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def resident_kib(pid):
    with contextlib.suppress(OSError, TypeError):
        return int(re.search(r"^VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(encoding="ascii"), re.M)[1])
    return 0


def socket_seconds(pid):
    """CPU time of a program's threads that serve its ZeroMQ sockets."""
    total = 0
    for task in Path(f"/proc/{pid}/task").glob("*/stat"):
        with contextlib.suppress(OSError):
            name, fields = task.read_text(encoding="ascii").partition("(")[2].rsplit(")", 1)
            total += sum(int(ticks) for ticks in fields.split()[11:13]) if name.startswith("ZMQ") else 0
    return total / os.sysconf("SC_CLK_TCK")


class Pings:
    """Echo requests, one after the other."""

    def __init__(self, netns, target, count, every_s, octets):
        self._process = subprocess.Popen(in_namespace(netns, "ping", "-n", "-q", "-i", every_s, "-c", count, "-s", octets, "-W", 5, target),
                                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def result(self):
        """(sent, received)"""
        found = re.search(r"(\d+) packets transmitted, (\d+) received", self._process.communicate()[0])
        return (int(found[1]), int(found[2])) if found else (0, 0)

    def stop(self):
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        return self.result()


class Cell:
    """The stack, the proxy of ss2, and what they have written."""

    def __init__(self, folder, small=None):
        """`small`: a folder on a small disk, for everything that the base station writes."""
        self.stack = Stack(Profile.parse(PROFILE), stations=2, folder=folder)
        self.sap, self.proxied = f"tcp://127.0.0.1:{free_port()}", f"ipc://{self.stack.run}/ss2.proxy"
        self._merge("channeld", {"status": {"console": False}})
        for site in self.stack.sites:
            self._merge(f"{site}.phyd", {"status": {"console": False}})
            self._merge(f"{site}.macd", {"status": {"console": False}, "events": {"file": str(self.stack.folder / f"{site}.events")}})
        self._merge("ss2.phyd", {"sap": {"endpoint": self.sap}})
        self._merge("ss2.macd", {"sap": {"endpoint": self.proxied}})
        self._merge("bs.macd", {"bs": {"stations": [{"mac": self.stack.mac_address(i), "name": f"ss{i + 1}", "dynamic_flows": FLOWS * i,
                                                     "ip_addresses": [f"{self.stack.ss_address(i)}/32"]} for i in range(2)]}})
        if small:
            self._merge("bs.macd", {"log": {"file": f"{small}/log", "level": "trace"}, "events": {"file": f"{small}/events"}, "pcap": {"file": f"{small}/pcap"},
                                    "status": {"json": f"{small}/status.json"}, "sap": {"record": f"{small}/sap"}})
        self.proxy = self.own = None

    def _merge(self, daemon, more):
        known = self.stack.extra.setdefault(daemon, {})
        for key, value in more.items():
            known[key] = {**known.get(key, {}), **value}

    def start(self):
        self.proxy = SapProxy(self.proxied, self.sap)
        self.stack.start()
        self.wait_until_served(("ss1", "ss2"))
        self.own = Pings(self.stack.netns("ss2"), self.stack.address("bs"), 10_000_000, OWN_S, OWN_BYTES)

    def stop(self):
        if self.own:
            self.own.stop()
        self.stack.stop()
        if self.proxy:
            self.proxy.close()

    def station(self, site):
        return (self.stack.status(f"{site}.macd", 2000) or {}).get("station", {})

    def at_base(self, site):
        mac = self.stack.mac_address(int(site[2:]) - 1)
        return next((one for one in self.station("bs").get("stations", ()) if one["mac"] == mac), {})

    def simulated_s(self):
        return (self.stack.status("channeld", 2000) or {}).get("time_s")

    def wait_until_served(self, sites=("ss1", "ss2"), limit_s=SERVED_S):
        """Until a ping to each is answered; simulated seconds that it took, None: not within the limit."""
        begin, last, moved = self.simulated_s(), None, time.monotonic()
        while True:
            if all(self.station(site).get("operational") for site in sites) and all(self.pinged(site) for site in sites):
                return max(0.0, (self.simulated_s() or 0) - (begin or 0))
            now = self.simulated_s()
            if now != last:
                last, moved = now, time.monotonic()
            begin = now if begin is None or (now is not None and now < begin) else begin
            if (now is not None and now - begin > limit_s) or time.monotonic() - moved > STILL_S:
                return None
            time.sleep(0.05)

    def pinged(self, site):
        return subprocess.run(in_namespace(self.stack.bs_netns, "ping", "-c", 1, "-W", 1, self.stack.address(site)), stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False).returncode == 0

    def known(self, site):
        """What the base station says of a station that it serves; it may be slow to answer."""
        limit = time.monotonic() + STILL_S
        while time.monotonic() < limit:
            if found := self.at_base(site):
                return found
            time.sleep(0.05)
        raise StackError(f"{site}: unknown to the base station after {STILL_S} s")

    def numbers(self):
        own, victim = self.known("ss2"), self.known("ss1")

        def transport(station):
            return next((flow["cid"] for flow in station.get("flows", ()) if flow["direction"] == "uplink"), 0)

        return Numbers(own["basic_cid"], own["basic_cid"] + BASIC_CIDS, transport(own), victim["basic_cid"], victim["basic_cid"] + BASIC_CIDS, transport(victim),
                       *(socket.inet_aton(self.stack.address(site)) for site in ("ss2", "ss1")))

    def sizes(self, suffix):
        found = {}
        for file in self.stack.folder.iterdir():
            if f".{suffix}" in file.name:  # rotated ones, too
                daemon = file.name.partition(f".{suffix}")[0]
                found[daemon] = found.get(daemon, 0) + file.stat().st_size
        return found

    def memory(self):
        return {name: resident_kib(process.pid) for name, process in self.stack.processes.items()}

    def socket_seconds(self):
        return {process.pid: socket_seconds(process.pid) for process in self.stack.processes.values()}

    def ended(self):
        return {name: process.returncode for name, process in self.stack.processes.items() if process.poll() is not None}


class Attack:
    """One kind: what is done while the victim's pings go."""
    group, excused = "", False  # excused: pings may be lost

    def __init__(self, kind):
        self.kind = kind

    def begin(self, cell):
        pass

    def during(self, cell, until):
        while time.monotonic() < until:
            time.sleep(0.1)

    def end(self, cell):
        pass


class MaliciousStation(Attack):
    group = "station"

    def begin(self, cell):
        make, numbers, chance = OF_A_STATION[self.kind], cell.numbers(), Chance(self.kind)
        cell.proxy.uplink = lambda payload: filled(payload, make, numbers, chance) if chance.random() < SHARE else payload

    def end(self, cell):
        cell.proxy.uplink = None


class MaliciousBaseStation(Attack):
    group = "base station"

    def begin(self, cell):
        change, numbers, chance = OF_A_BASE_STATION[self.kind], cell.numbers(), Chance(self.kind)
        cell.proxy.downlink = lambda payload: change(payload, numbers, chance) if chance.random() < SHARE else payload

    def end(self, cell):
        cell.proxy.downlink = None


class OneResponse(MaliciousBaseStation):
    """The same once, everything else honest."""

    def begin(self, cell):
        super().begin(cell)
        change = cell.proxy.downlink

        def once(payload):
            cell.proxy.downlink = None
            return change(payload)

        cell.proxy.downlink = once


class FlowsToAndFro(Attack):
    """Changes that the base station allows, one after the other."""
    group = "station"

    def during(self, cell, until):
        flows = [flow["sfid"] for flow in cell.at_base("ss2").get("flows", ())]
        number = 0
        while time.monotonic() < until and flows:
            number += 1
            state = "admitted" if number // len(flows) % 2 else "active"
            cell.stack.ask("ss2.macd", {"set": {"flows.change": {"id": number, "sfid": flows[number % len(flows)], "state": state}}}, 2000)
            time.sleep(CHANGES_S)

    def end(self, cell):
        for flow in cell.at_base("ss2").get("flows", ()):
            cell.stack.ask("ss2.macd", {"set": {"flows.change": {"id": 1 << 40, "sfid": flow["sfid"], "state": "active"}}}, 2000)


class Killed(Attack):
    group = "kill -9"

    def __init__(self, daemon):
        super().__init__(f"kill_{daemon}")
        self._daemon, self.excused = daemon, daemon not in OF_SS2

    def begin(self, cell):
        cell.stack.kill(self._daemon)
        time.sleep(0.3)
        cell.stack.start_daemon(self._daemon)


class Stopped(Attack):
    group = "SIGSTOP"

    def __init__(self, daemon):
        super().__init__(f"stop_{daemon}")
        self._daemon, self.excused = daemon, True

    def during(self, cell, until):
        process = cell.stack.processes[self._daemon]
        process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        process.send_signal(signal.SIGCONT)
        super().during(cell, until)


class NoDescriptors(Attack):
    """As after `ulimit -n 64`: more connections than that to each socket, in waves, silent or not."""
    group = "descriptors"

    def begin(self, cell):
        for process in cell.stack.processes.values():
            resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))

    def during(self, cell, until):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # of this process, which holds the peers and the proxy
        run = cell.stack.run
        paths = [str(path) for path in run.iterdir() if path.is_socket()]
        tcp = ("127.0.0.1", int(cell.sap.rsplit(":", 1)[1]))
        for wave in range(WAVES):
            peers = [peer for target in [*paths, tcp] for peer in self._connect(target, wave)]
            time.sleep(HELD_S)
            for peer in peers:
                peer.close()
        super().during(cell, until)

    @staticmethod
    def _connect(target, wave):
        kinds = (socket.SOCK_SEQPACKET, socket.SOCK_STREAM)
        for _ in range(PEERS):
            for kind in kinds if isinstance(target, str) else kinds[1:]:
                peer = socket.socket(socket.AF_UNIX if isinstance(target, str) else socket.AF_INET, kind)
                peer.settimeout(0.05)
                try:
                    peer.connect(target)
                    if wave % 2:
                        peer.send(b"\xff" + bytes(8) + b"\x7f\x03" + bytes(53))
                except OSError:
                    peer.close()
                    continue
                yield peer
                break


class FullDisk(Attack):
    """A disk of 200 kB that the base station's logs, events, captures and statuses fill within a moment."""
    group = "disk"


def attacks():
    """Kind to attack, in the order in which they run."""
    once = {kind for kind in OF_A_BASE_STATION if kind.startswith("frequency_")}
    every = [MaliciousStation(kind) for kind in OF_A_STATION] + [FlowsToAndFro("flows_to_and_fro")]
    every += [(OneResponse if kind in once else MaliciousBaseStation)(kind) for kind in OF_A_BASE_STATION]
    every += [Killed(daemon) for daemon in KILLED] + [Stopped(daemon) for daemon in KILLED] + [NoDescriptors("no_descriptors"), FullDisk("full_disk")]
    return {attack.kind: attack for attack in every}


def try_attack(cell, attack, seconds):
    outcome = Outcome(attack.kind, attack.group)
    before, rewritten, logs, events = cell.memory(), cell.proxy.rewritten, cell.sizes("log"), cell.sizes("events")
    began, used = time.monotonic(), cell.socket_seconds()
    begin_s, pids = cell.simulated_s(), {name: process.pid for name, process in cell.stack.processes.items()}
    pings = Pings(cell.stack.bs_netns, cell.stack.ss_address(0), max(1, round(seconds / PING_S)), PING_S, PING_BYTES)
    attack.begin(cell)
    attack.during(cell, time.monotonic() + seconds)
    attack.end(cell)
    took_s = time.monotonic() - began
    outcome.io_cores = max((seconds - used[pid]) / took_s for pid, seconds in cell.socket_seconds().items() if pid in used)
    outcome.sent, received = pings.result()
    outcome.lost, outcome.rewritten = outcome.sent - received, cell.proxy.rewritten - rewritten
    passed_s = max(RATE_S, (cell.simulated_s() or 0) - (begin_s or 0))
    outcome.log_bps = max((size - logs.get(name, 0)) / passed_s for name, size in cell.sizes("log").items())
    outcome.events_bps = max(((size - events.get(name, 0)) / passed_s for name, size in cell.sizes("events").items()), default=0)
    outcome.ended = [f"{name}: {code}" for name, code in cell.ended().items()]
    outcome.back_s = None if outcome.ended else cell.wait_until_served()
    outcome.ended = [f"{name}: {code}" for name, code in cell.ended().items()]
    same = [name for name, pid in pids.items() if cell.stack.processes[name].pid == pid]
    outcome.grown_kib, outcome.grew = max(((kib - before[name], name) for name, kib in cell.memory().items() if name in same), default=(0, ""))
    outcome.broken = faults_of(outcome, attack)
    return outcome


def faults_of(outcome, attack):
    faults = []
    if (outcome.sent == 0 or outcome.lost) and not attack.excused:
        faults.append("pings lost")
    if outcome.ended:
        faults.append("ended")
    elif outcome.back_s is None:
        faults.append("not served again")
    if outcome.grown_kib > GROWN_KIB:
        faults.append("memory")
    if outcome.io_cores > SPIN_CORES:
        faults.append("spins")
    if outcome.log_bps > LOG_BPS:
        faults.append("log")
    if outcome.events_bps > EVENTS_BPS:
        faults.append("events")
    if attack.group in ("station", "base station") and not isinstance(attack, FlowsToAndFro) and outcome.rewritten == 0:
        faults.append("nothing was rewritten")
    return faults


@contextlib.contextmanager
def small_disk():
    folder = tempfile.mkdtemp(prefix="wimax-small-")
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_KB}k", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def new_cell(stack, attack):
    """With whatever ends with it in `stack`."""
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="wimax-attack-"))
    small = stack.enter_context(small_disk()) if isinstance(attack, FullDisk) else None
    cell = Cell(folder, small)
    stack.callback(cell.stop)
    cell.start()
    time.sleep(WARM_S)
    return cell


def run(chosen, seconds, show=lambda share, text: None):
    """Outcomes; a cell that is damaged is replaced."""
    outcomes, ends, cell = [], contextlib.ExitStack(), None
    try:
        for number, attack in enumerate(chosen):
            show(number / len(chosen), attack.kind)
            if cell is None or isinstance(attack, (FullDisk, NoDescriptors)):
                ends.close()
                cell = new_cell(ends, attack)
            outcome = try_attack(cell, attack, seconds)
            again = dict(AGAIN)
            while outcome.broken and all(again.get(fault, 0) > 0 for fault in outcome.broken):
                again = {fault: left - (fault in outcome.broken) for fault, left in again.items()}
                outcome = try_attack(cell, attack, seconds)
            outcomes.append(outcome)
            if outcome.broken:
                show(number / len(chosen), f"{attack.kind}: {', '.join(outcome.broken)}")
                if outcome.ended or outcome.back_s is None:
                    cell.stack.explain(sys.stderr)
            if outcome.ended or outcome.back_s is None or isinstance(attack, (FullDisk, NoDescriptors)):
                cell = None
    except KeyboardInterrupt:
        pass  # what was seen stays
    finally:
        ends.close()
    return outcomes


def table(outcomes):
    rows = [{"kind": o.kind, "of": o.group, "rewritten": o.rewritten, "pings lost": f"{o.lost}/{o.sent}", "ended": "; ".join(o.ended) or "-",
             "log B/s": f"{o.log_bps:.0f}", "events B/s": f"{o.events_bps:.0f}", "grown KiB": f"{o.grown_kib} {o.grew}", "I/O cores": f"{o.io_cores:.2f}",
             "back s": "-" if o.back_s is None else f"{o.back_s:.1f}", "broken": ", ".join(o.broken) or "no"} for o in outcomes]
    return columns(rows, tuple(rows[0])) if rows else "none"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", action="append", choices=sorted(attacks()), metavar="KIND", help="only this one; may be repeated (default: all)")
    parser.add_argument("--seconds", type=float, default=12, help="length of each attack (default %(default)s)")
    parser.add_argument("--list", action="store_true", help="print the kinds, and end")
    parser.add_argument("--json", metavar="FILE", help="all figures")
    options = parser.parse_args(arguments)
    every = attacks()
    if options.list:
        print("\n".join(f"{kind}  ({attack.group})" for kind, attack in every.items()))
        return 0
    if os.geteuid() != 0:
        parser.error("network namespaces need root: sudo")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # no program is left behind
    progress, began = Progress("attack"), time.monotonic()
    chosen = [attack for kind, attack in every.items() if not options.kind or kind in options.kind]
    try:
        outcomes = run(chosen, options.seconds, progress.show)
    except StackError as error:
        print(f"attack: {error}", file=sys.stderr)
        return 1
    finally:
        progress.clear()
    if options.json:
        with whole_file(options.json) as name:
            result = {"provenance": provenance.record("attack", provenance.script(), 0), "outcomes": [vars(outcome) for outcome in outcomes]}
            Path(name).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(table(outcomes))
    broken = [outcome.kind for outcome in outcomes if outcome.broken]
    print(f"{len(outcomes)} kinds in {time.monotonic() - began:.0f} s: {f'{len(broken)} broke a bound' if broken else 'all bounds hold'}")
    return 0 if outcomes and not broken else 1


if __name__ == "__main__":
    sys.exit(main())
