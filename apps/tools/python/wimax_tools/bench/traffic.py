# SPDX-License-Identifier: GPL-3.0-or-later
"""What the bench measures, inside network namespaces: round trips of an idle network, TCP and UDP goodput.

All durations are seconds of the wall clock; the caller turns them into simulated time with the real-time factor of the
same interval.
"""
import json
import os
import random
import subprocess
import sys
import time

IP_HEADER, UDP_HEADER, TCP_HEADER_WITH_TIMESTAMPS = 20, 8, 32
PACKET, SMALL_PACKET = 1500, 56
UDP_PAYLOAD = PACKET - IP_HEADER - UDP_HEADER
TCP_PAYLOAD = PACKET - IP_HEADER - TCP_HEADER_WITH_TIMESTAMPS
LAST_REPLY_S = 5     # a reply that takes longer is lost, on a slow host, too
LAST_REPORT_S = 60   # from the end of a transfer to iperf3's report, through queues that may be full
SHORTEST_PACING_US, LONGEST_PACING_US = 1000, 100_000
LISTENING_S = 30     # until iperf3's server must accept connections
CONGESTION_CONTROL = "cubic"  # Linux's usual one, whatever this kernel's is


def in_namespace(netns, *command):
    return ["ip", "netns", "exec", netns, *map(str, command)]


def listens(process, port):
    """Whether this iperf3 accepts connections: then the kernel lists its port, in the process's own network namespace."""
    try:
        with open(f"/proc/{process.pid}/comm", encoding="ascii") as name:
            if name.read().strip() != "iperf3":  # still `ip`, in ours
                return False
        rows = []
        for table in ("tcp", "tcp6"):
            if os.path.exists(path := f"/proc/{process.pid}/net/{table}"):
                with open(path, encoding="ascii") as sockets:
                    rows += [line.split() for line in sockets.readlines()[1:]]
    except OSError:  # it has ended
        return False
    return any(row[1].endswith(f":{port:04X}") and row[3] == "0A" for row in rows)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def ping(netns, target, probes, frame_s, seed=1, octets=SMALL_PACKET):
    """Round trips in seconds of `probes` echo requests, IP packets of `octets`, whose gaps are uniform over whole frames, and how
    many were lost."""
    script = subprocess.run(
        in_namespace(netns, sys.executable, "-m", "wimax_tools.bench.traffic", "ping", target, probes, frame_s, seed, octets),
        stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(script.stdout)


def _ping_main(target, probes, frame_s, seed, octets):
    import socket
    import struct

    rng = random.Random(seed)
    sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    sock.settimeout(0.001)
    ident = rng.randrange(1, 65536)
    sent, trips = {}, {}

    def checksum(data):
        total = sum(struct.unpack(f">{len(data) // 2}H", data))
        total = (total >> 16) + (total & 0xFFFF)
        return ~(total + (total >> 16)) & 0xFFFF

    def listen(until, all_sent=False):
        while (left := until - time.monotonic()) > 0 and not (all_sent and len(trips) == probes):
            sock.settimeout(left)
            try:
                packet = sock.recv(2048)
            except socket.timeout:
                return
            now = time.monotonic()
            kind, _, _, who, number = struct.unpack(">BBHHH", packet[20:28])
            if kind == 0 and who == ident and number in sent and number not in trips:
                trips[number] = now - sent[number]

    for number in range(probes):
        header = struct.pack(">BBHHH", 8, 0, 0, ident, number)
        body = bytes(octets - IP_HEADER - len(header))
        packet = struct.pack(">BBHHH", 8, 0, checksum(header + body), ident, number) + body
        sent[number] = time.monotonic()
        sock.sendto(packet, (target, 0))
        listen(sent[number] + rng.uniform(2, 4) * frame_s)
    listen(time.monotonic() + LAST_REPLY_S, all_sent=True)
    print(json.dumps({"rtt_s": list(trips.values()), "lost": probes - len(trips)}))


class Iperf:
    """One iperf3 transfer between two namespaces; start(), or listen() and send(), then result(). stop() at any time, also after an interrupted start()."""

    def __init__(self, source, sink, address, port, seconds, udp_bps=None, window_octets=None):
        self.source, self.sink, self.address, self.port, self.seconds = source, sink, address, port, seconds
        self.udp_bps, self.window_octets = udp_bps, window_octets
        self.server = self.client = self.began_s = None
        self.fault = ""  # what iperf3 said of a transfer that failed

    def start(self):
        self.listen()
        return self.send()

    def listen(self):
        """Starts the server; send() waits until it accepts connections."""
        self.server = _program(in_namespace(self.sink, "iperf3", "-s", "-1", "-p", self.port, "-J", "--forceflush"))

    def send(self):
        limit = time.monotonic() + LISTENING_S
        while not listens(self.server, self.port) and self.server.poll() is None and time.monotonic() < limit:
            time.sleep(0.01)
        options = (["-M", PACKET - 40, "-C", CONGESTION_CONTROL] if self.udp_bps is None else
                   ["-u", "-b", round(self.udp_bps), "-l", UDP_PAYLOAD, "--pacing-timer", pacing_us(self.udp_bps)])
        if self.window_octets:
            options += ["-w", self.window_octets]
        self.client = _program(in_namespace(self.source, "iperf3", "-c", self.address, "-p", self.port, "-t", self.seconds, "-J",
                                            "--get-server-output", "--connect-timeout", 15000, *options))
        self.began_s = time.monotonic()
        return self

    def sends(self):
        """True until the duration has passed since send()."""
        return time.monotonic() < self.began_s + self.seconds

    def result(self):
        """The result of figures(); None if it failed, with the reason in `fault`."""
        said = {}
        try:
            said["client"] = self.client.communicate(timeout=self.seconds + LAST_REPORT_S)
            report = json.loads(said["client"][0])
            if not report.get("error") and report.get("end"):
                return figures(report, self.udp_bps is not None, self.seconds)
        except subprocess.TimeoutExpired:
            said["client"] = ("", f"no report {LAST_REPORT_S} s after the end")
        except json.JSONDecodeError:
            pass  # its words are on standard error
        finally:
            _end(self.client)
            _end(self.server)
            said["server"] = self.server.communicate()
            self.stop()
        self.fault = "; ".join(f"{who}: {words(*output)}" for who, output in said.items() if words(*output)) or "no result"
        return None

    def stop(self):
        for process in filter(None, (self.client, self.server)):
            _end(process)
            for pipe in (process.stdout, process.stderr):
                pipe.close()


def pacing_us(bps):
    """Interval at which iperf3 looks whether a packet is due: a quarter of that between packets, at least its default. With the default,
    the clients of 32 stations woke the processor 32000 times a second for 700 packets."""
    return round(min(LONGEST_PACING_US, max(SHORTEST_PACING_US, 1e6 * 8 * UDP_PAYLOAD / bps / 4)))


def _program(command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _end(process):
    if process.poll() is None:
        process.kill()
    process.wait()


def words(out, err):
    """What iperf3 complains of: in its JSON, or before it came so far."""
    try:
        error = json.loads(out).get("error")
    except json.JSONDecodeError:
        error = None
    return error or " ".join(err.split())


def figures(report, udp, seconds):
    """{"ip_bps" (received, IP headers counted), "lost", "packets", "reordered", "retransmissions", "rtt_ms" (the sender's mean, of the
    wall clock), "intervals" (begin, end in s, octets received)} of the report of iperf3's client."""
    end = report["end"]
    received = end["sum_received"]
    known = {"lost": 0, "reordered": 0, "retransmissions": 0, "rtt_ms": None,
             "intervals": [(i["sum"]["start"], i["sum"]["end"], i["sum"]["bytes"]) for i in report.get("server_output_json", {}).get("intervals", [])]}
    if udp:
        lost, packets = received["lost_packets"], received["packets"]
        return {**known, "ip_bps": (packets - lost) * PACKET * 8 / (received["seconds"] or seconds), "lost": lost, "packets": packets,
                "reordered": sum(s["udp"].get("out_of_order", 0) for s in end.get("streams", []))}
    bps = received["bytes"] * 8 / received["seconds"] * PACKET / TCP_PAYLOAD
    sent = [s["sender"] for s in end.get("streams", []) if "sender" in s]
    return {**known, "ip_bps": bps, "packets": round(end["sum_sent"]["bytes"] / TCP_PAYLOAD), "retransmissions": end["sum_sent"]["retransmits"],
            "rtt_ms": sum(s.get("mean_rtt", 0) for s in sent) / 1e3 / len(sent) if sent else None}


if __name__ == "__main__" and sys.argv[1] == "ping":
    _ping_main(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]), int(sys.argv[6]))
