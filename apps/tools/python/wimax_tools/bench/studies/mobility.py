# SPDX-License-Identifier: GPL-3.0-or-later
"""A station that moves (C2): one TCP download, ten at once, and video, each along the same kilometre."""
import math
import statistics
import subprocess
import time

from wimax_tools.bench import traffic
from wimax_tools.bench.experiment import Case, Experiment
from wimax_tools.bench.figure import Figure, mean_figure, t95
from wimax_tools.bench.instruments import rssi
from wimax_tools.bench.instruments.drive import course_of, drive, marks, rates_kbps, set_links
from wimax_tools.bench.instruments.stream import Watch
from wimax_tools.bench.instruments.video import Video
from wimax_tools.bench.stack import StackError
from wimax_tools.bench.studies import mobility_pictures as pictures
from wimax_tools.bench.studies.cells import own_flows, rates

SPEED = "foot"          # as long as a walk of twelve minutes; Doppler in the quick run, too, which takes the same levels in less time
FREQUENCY_HZ = 3.5e9
QUICK_S, PARALLEL, VIDEO_PORT, SPARE_S = 28, 10, 4600, 20
BEGUN_OCTETS, BEGUN_S = 300_000, 60  # delivered: all transfers have begun; simulated time that they may take for it
SHARE = 0.9             # of the rate of parallel transfers
CHANNELS = {"urban": "pedestrian-b", "semi-rural": "pedestrian-a"}
DOWN, BATCHES = "downlink", 10


def journey_of(bench):
    seconds = rssi.LENGTH_M / rssi.SPEEDS_M_PER_S[SPEED] if bench.args.whole else QUICK_S if bench.args.quick else bench.args.duration
    return rssi.Journey(rssi.PATHS[bench.args.path], bench.args.seed, rssi.LENGTH_M / seconds)


def link_of(bench):
    """Keys of a link from a received level."""
    profile = bench.args.profile
    motion = {"doppler_hz": round(rssi.doppler_hz(rssi.SPEEDS_M_PER_S[SPEED], FREQUENCY_HZ), 2)}
    return lambda rssi_dbm: {"path_loss_db": rssi.path_loss_db(rssi.snr_db(rssi_dbm, profile), profile), **motion}


def tcp_counters(netns):
    """Segments sent, sent again, and timeouts, by the kernel, so far."""
    found = {}
    for table in ("snmp", "netstat"):
        said = subprocess.run(traffic.in_namespace(netns, "cat", f"/proc/net/{table}"), stdout=subprocess.PIPE, text=True, check=True).stdout
        lines = said.splitlines()
        for names, values in zip(lines[::2], lines[1::2]):
            found.update(zip(names.split()[1:], values.split()[1:]))
    return {key: int(found[name]) for key, name in (("segments", "OutSegs"), ("again", "RetransSegs"), ("timeouts", "TCPTimeouts"))}


def download(bench, journey, flows):
    """TCP transfers at once along the whole way: its samples, and what the kernel counted."""
    stack = bench.stack
    set_links(stack, link_of(bench)(journey.rssi_dbm(0)))
    stack.wait_until_quiet()
    octets, begin = delivered(stack), stack.clock().simulated_s
    bench.start([(0, DOWN, None, None, 2 * journey.seconds + SPARE_S)] * flows)
    try:
        while delivered(stack) < octets + BEGUN_OCTETS:
            if stack.clock().simulated_s > begin + BEGUN_S:
                raise StackError(f"transfers have brought nothing in {BEGUN_S} s")
            time.sleep(0.01)
        before = tcp_counters(stack.bs_netns)
        samples = drive(stack, journey.rssi_dbm, link_of(bench), journey.seconds)
    finally:
        bench.stop_transfers()
    after = tcp_counters(stack.bs_netns)
    return samples, {key: after[key] - before[key] for key in after}


def delivered(stack):
    return marks(stack)[DOWN].octets


def watch_video(bench, journey):
    stack = bench.stack
    set_links(stack, link_of(bench)(journey.rssi_dbm(0)))
    stack.wait_until_quiet()
    pace = bench.pace()
    video = Video(stack.route(0, DOWN), VIDEO_PORT, journey.seconds / pace, pace).start()
    try:
        with Watch(stack.clock) as watch:
            samples = drive(stack, journey.rssi_dbm, link_of(bench), journey.seconds)
            return samples, video.result(watch)
    finally:
        video.stop()


def batches(values):
    """Means of as many parts of the way, each longer than what correlates."""
    count = min(BATCHES, len(values))
    edges = [round(i * len(values) / count) for i in range(count + 1)]
    return [statistics.fmean(values[a:b]) for a, b in zip(edges, edges[1:])]


def ratio(ones, others):
    """Of means over the same parts of the way, with bounds by leaving each part out once."""
    n = len(ones)
    whole = sum(ones) / sum(others)
    without = [(sum(ones) - a) / (sum(others) - b) for a, b in zip(ones, others)]
    half = t95(n) * math.sqrt((n - 1) * statistics.pvariance(without))
    return Figure(round(whole, 4), round(whole - half, 4), round(whole + half, 4))


def kept_of(samples):
    return {"course": course_of(samples, DOWN), "seconds": rates_kbps(samples, DOWN)}


def measure_path(bench):
    journey, figures, kept, parts = journey_of(bench), {}, {}, {}
    for name, flows in (("single", 1), ("parallel", PARALLEL)):
        samples, counted = download(bench, journey, flows)
        kept[name] = kept_of(samples)
        parts[name] = batches([kbps for _, kbps, _ in kept[name]["seconds"]])
        figures.update({f"{name}_kbps": mean_figure(parts[name], 1), f"{name}_again": round(counted["again"] / max(1, counted["segments"]), 5),
                        f"{name}_timeouts": counted["timeouts"]})
    samples, said = watch_video(bench, journey)
    stalls = said["stalls_s"]
    figures.update(single_of_parallel=ratio(parts["single"], parts["parallel"]), video_in_time=round(said["in_time"], 4), video_stalls=len(stalls),
                   video_stalled_s=round(sum(stalls), 2), video_longest_stall_s=max(stalls, default=0))
    for name, data in dict(kept, video={**kept_of(samples), "frames": said["frames"]}).items():
        bench.keep(name, data)
    return {DOWN: figures}


def path_goals(measured):
    return [(f"{path}, one TCP transfer over {PARALLEL} at once", SHARE, figures["single_of_parallel"], figures["single_of_parallel"] >= SHARE)
            for path, figures in measured.lab[DOWN].items()]


OWN = {"bs": {"bs": own_flows({"arq": {"enable": True}})}}
AUTO = {**rates(6), "dl_rate_auto": True, "ul_rate_auto": True}
PATH_CASES = {path: Case(arguments={"path": path, "channel": channel, **AUTO}, own=OWN) for path, channel in CHANNELS.items()}

EXPERIMENTS = (
    Experiment("C2", measure_path, path_goals, PATH_CASES, {"series": pictures.draw_series, "spread": pictures.draw_spread}),
)
