# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows a WiMAX cell at work: three stations at different distances, traffic, a fade, and rates that adapt to it.

The programs are those of a real cell; the radio channel between them is simulated. The console explains what happens. A live page
shows the same in the browser. Ctrl-C ends everything. Needs no root: the traffic is generated inside the programs."""
import os
import re
import signal
import sys
import time
import webbrowser

from wimax_tools import command_line
from wimax_tools.demo import story

EXAMPLES = """examples:
  wimax demo
  wimax demo --seconds 60 --no-browser"""
LEAST_S, MOST_S, USUAL_S = 10, 86400, 120
STEP_S, ROW_EVERY_S = 0.5, 5.0
PAGE_LIMIT_S = 20
DL_KBPS, UL_KBPS, PACKET_BYTES = 900, 300, 1400
PAGE = "watch"
PAGE_URL = re.compile(r"page at (http://\S+)")
FOREVER = 4_000_000_000


def parser():
    result = command_line.Parser(prog="wimax demo", description=__doc__, epilog=EXAMPLES)
    result.add_argument("--seconds", type=command_line.within(LEAST_S, MOST_S), default=USUAL_S, metavar="S",
                        help="duration after network entry (default %(default)s)")
    result.add_argument("--no-browser", action="store_true", help="print the address of the page, but do not open a browser")
    result.add_argument("--port", type=command_line.within(0, command_line.MOST_PORT, int), default=0, metavar="N", help="port of the page (default: any free port)")
    return result


def streams(stack):
    """Packets in both directions of each station, by site."""
    def stream(kbps, source, destination):
        return {"start_s": 0, "period_s": 8e-3 * PACKET_BYTES / kbps, "count": FOREVER, "size_bytes": PACKET_BYTES, "source": source, "destination": destination}

    base = stack.address("bs")
    return {"bs": [stream(DL_KBPS, base, stack.address(site)) for site in stack.sites[1:]],
            **{site: [stream(UL_KBPS, stack.address(site), base)] for site in stack.sites[1:]}}


def links():
    """Both directions of each station's path, as the channel's configuration has them."""
    for i, place in enumerate(story.PLACES):
        for ends in (("bs", f"ss{i + 1}"), (f"ss{i + 1}", "bs")):
            yield {"from": ends[0], "to": ends[1], "snr_db": place.snr_db, "channel": "awgn", "delay_samples": place.delay_samples}


def new_stack(mode="paced"):
    from wimax_tools.bench.profiles import Profile  # --help works without its libraries
    from wimax_tools.bench.stack import Stack
    stack = Stack(Profile.parse("5MHz-10ms"), stations=len(story.PLACES), snr_db=story.PLACES[0].snr_db, dl_auto=True, ul_auto=True, mode=mode, tun=False,
                  channel_extra={"links": list(links())})
    stack.traffic = streams(stack)
    return stack


class Demo:
    """One demonstration; `say` prints a line."""

    def __init__(self, stack, options, say=print):
        self.stack, self.options, self.say = stack, options, say
        self.channel, self.rates, self.phase = {}, {}, "steady"
        self.delivered = None

    def explain(self, text):
        self.say("\n" + command_line.coloured(text, "green", sys.stdout))

    def page(self):
        """Starts the live page; returns its address."""
        environment = {**os.environ, "WIMAX_RUN": str(self.stack.run)}
        self.stack.start_program(PAGE, [sys.executable, "-B", "-P", "-m", "wimax_tools.watch", "--port", str(self.options.port)], environment)
        end = time.monotonic() + PAGE_LIMIT_S
        while time.monotonic() < end:
            self.stack.check_alive()
            if found := PAGE_URL.search("\n".join(self.stack.log_lines(PAGE))):
                return found[1]
            time.sleep(0.1)
        from wimax_tools.bench.stack import StackError
        raise StackError(f"the live page does not start: {' '.join(self.stack.log_lines(PAGE)[-1:])}")

    def show_page(self, url):
        self.say(f"Live page: {url}")
        if not self.options.no_browser and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            webbrowser.open(url)
        elif not self.options.no_browser:
            self.say("No display here: open this address in a browser.")

    def enter(self):
        self.explain("Network entry: each station searches for the downlink, ranges until its timing and power are right, and registers.")
        seconds = self.stack.wait_for_entry()
        self.say(f"All {len(story.PLACES)} stations are operational after {seconds:.1f} s of simulated time.")

    def set_channel(self, time_s):
        for i, place in enumerate(story.PLACES):
            now = story.snr_db(place, time_s)
            if self.channel.get(place.name, place.snr_db) == now:
                continue
            self.channel[place.name] = now
            for name in (f"bs->ss{i + 1}", f"ss{i + 1}->bs"):
                self.stack.ask("channeld", {"set": {"link": {"name": name, "snr_db": now}}})

    def served(self):
        """What the base station reports, by MAC address."""
        return {station["mac"]: station for station in self.stack.answer("bs.macd")["station"]["stations"]}

    def rates_now(self):
        served = self.served()
        stations = {place.name: served.get(self.stack.mac_address(i), {}) for i, place in enumerate(story.PLACES)}
        return {name: {"dl": station.get("dl_rate_id"), "ul": station.get("ul_rate_id")} for name, station in stations.items()}

    def figures(self):
        """By station: rates, CINR at the station, and the rates at which packets arrived since the last call."""
        now = {direction: self.stack.delivered(direction) for direction in ("downlink", "uplink")}
        before, self.delivered = self.delivered or now, now
        rates, result = self.rates_now(), {}
        for i, place in enumerate(story.PLACES):
            own = self.stack.answer(f"ss{i + 1}.macd")["station"]
            passed = {d: now[d][i].simulated_s - before[d][i].simulated_s for d in now}
            kbps = {d: 8e-3 * (now[d][i].octets - before[d][i].octets) / passed[d] if passed[d] > 0 else 0 for d in now}
            result[place.name] = {**rates[place.name], "cinr_db": own.get("cinr_db"), "dl_kbps": kbps["downlink"], "ul_kbps": kbps["uplink"]}
        return result

    def report(self, time_s, figures):
        self.say("\n" + story.HEADER)
        for place in story.PLACES:
            self.say(story.row(time_s, place, figures[place.name]))

    def explain_rates(self, time_s):
        before, self.rates = self.rates, self.rates_now()
        for text in story.rate_changes(time_s, before, self.rates):
            self.say(command_line.coloured(text, "yellow", sys.stdout))

    def explain_phase(self, time_s):
        now = story.phase(time_s)
        if now == self.phase:
            return
        self.phase = now
        place = next(p for p in story.PLACES if p.fade_db)
        self.explain(story.PHASES[now].format(name=place.name, depth=place.fade_db, seconds=story.FALL_S))

    def run(self):
        """Until --seconds have passed. Time is simulated time, which follows the wall clock while the host keeps up."""
        self.explain(f"Traffic: {DL_KBPS} kbit/s to and {UL_KBPS} kbit/s from each station. Far stations use slower rates, since less power arrives.")
        begin, next_row = self.stack.clock().simulated_s, ROW_EVERY_S
        self.figures()
        while (now := self.stack.clock().simulated_s - begin) < self.options.seconds:
            self.stack.check_alive()
            self.set_channel(now)
            self.explain_phase(now)
            self.explain_rates(now)
            if now >= next_row:
                self.report(now, self.figures())
                next_row = now + ROW_EVERY_S
            time.sleep(STEP_S)


def demonstrate(stack, options):
    from wimax_tools.bench.stack import StackError
    demo = Demo(stack, options, lambda text: print(text, flush=True))
    try:
        demo.explain(f"Starting a base station, {len(story.PLACES)} subscriber stations and the radio channel between them:")
        for place in story.PLACES:
            demo.say(f"  {place.name:<8}{place.km:g} km, SNR {place.snr_db:g} dB")
        stack.start()
        demo.show_page(demo.page())
        demo.enter()
        demo.run()
        demo.explain("The demonstration is over. Next: docs/tutorial.md, or your own traffic with: sudo ./wimax up")
        return 0
    except StackError as error:
        command_line.say_fault("wimax demo", str(error))
        stack.explain(sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nstopped", flush=True)
        return 0
    finally:
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not interrupt the cleaning up
        stack.stop()
        signal.signal(signal.SIGINT, handler)


def main(arguments):
    options = parser().parse_args(arguments)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell started it with the signal ignored
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return demonstrate(new_stack(), options)
