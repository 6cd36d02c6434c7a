# SPDX-License-Identifier: GPL-3.0-or-later
"""Passes a campaign's points to Dask's distributed scheduler, and each result to the store when it arrives.

Points are pure tasks: what a lost worker had is computed again by another, and gives the same row."""
import contextlib
import os
import tempfile
import time

import dask
import distributed

from wimax_tools import provenance
from wimax_tools.campaign import tasks
from wimax_tools.campaign.precision import next_points

LOCAL_HOST = "127.0.0.1"
AHEAD = 256      # points that the scheduler holds at once
LOOK_S = 0.5     # between two looks at the page


def security(options):
    """TLS both ways, if certificates are given."""
    if not options.tls_ca_file:
        return None
    return distributed.Security(tls_ca_file=options.tls_ca_file, tls_client_cert=options.tls_cert, tls_client_key=options.tls_key, require_encryption=True)


@contextlib.contextmanager
def connected(options):
    """A client of the named scheduler, or of a cluster of this machine's cores that no other host can reach."""
    with tempfile.TemporaryDirectory(prefix="wimax-campaign-") as scratch, dask.config.set({"temporary-directory": scratch}), contextlib.ExitStack() as stack:
        if options.scheduler:
            address, secure = options.scheduler, security(options)
        else:
            secure = None
            address = stack.enter_context(distributed.LocalCluster(
                n_workers=options.workers or os.cpu_count(), threads_per_worker=1, processes=True, host=LOCAL_HOST, dashboard_address=None, memory_limit=0,
                silence_logs=50))
        yield stack.enter_context(distributed.Client(address, security=secure, timeout=30))


class Runner:
    def __init__(self, campaign, store, client, show):
        """`show(runner)` is called now and then, and at the end."""
        self.campaign, self.store, self.client, self.show = campaign, store, client, show
        self.begin, self.cpu_s, self.computed = time.monotonic(), 0.0, 0
        self.flying, self.failed = {}, {}
        self.commit, self.shown = provenance.commit(), 0.0

    @property
    def seconds(self):
        return time.monotonic() - self.begin

    @property
    def workers(self):
        return len(self.client.scheduler_info()["workers"])

    def planned(self):
        """Points of the campaign, as far as they are known."""
        return len(self.store.rows) + len(self.open())

    def open(self):
        return [point for point in next_points(self.campaign, self.store.rows) if point not in self.failed]

    def submit(self):
        for point in self.open():
            if len(self.flying) >= AHEAD:
                return
            if point not in self.flying:
                c = self.campaign
                self.flying[point] = self.client.submit(tasks.run, c.kind, c.base, dict(point.parameters), point.seed, c.figures, c.timeout_s, self.commit,
                                                        key=f"{c.fingerprint()}-{point.key}", pure=False)

    def take(self):
        """Results that are there."""
        for point in [point for point, future in self.flying.items() if future.done()]:
            future = self.flying.pop(point)
            if future.status == "finished":
                row = future.result()
                self.store.add({"group": point.group, **row})
                self.cpu_s, self.computed = self.cpu_s + row["cpu_s"], self.computed + 1
            else:
                error = future.exception() if future.status == "error" else f"{future.status} by the scheduler"
                self.failed[point] = str(error)

    def run(self):
        self.submit()
        while self.flying:
            with contextlib.suppress(TimeoutError, distributed.TimeoutError):
                distributed.wait(list(self.flying.values()), timeout=LOOK_S, return_when="FIRST_COMPLETED")
            self.take()
            self.submit()
            if time.monotonic() - self.shown >= LOOK_S:
                self.show(self)
                self.shown = time.monotonic()
        self.show(self)

    def summary(self):
        points = self.planned() + len(self.failed)
        return {"points": points, "done": len(self.store.rows), "repeated": self.store.repeated, "seconds": round(self.seconds, 1), "failed": len(self.failed),
                "computed": self.computed, "cpu_s": round(self.cpu_s, 1)}
