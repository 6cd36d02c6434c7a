# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax campaign: a sweep of many points, each a deterministic task by its seed (docs/campaigns.md)."""
import argparse
import json
import os
import re
import runpy
import signal
import sys
import time

from wimax_tools import provenance
from wimax_tools.campaign import description

SERVERS = {"scheduler": "distributed.cli.dask_scheduler", "worker": "distributed.cli.dask_worker"}
PAGE_S = 2.0
HOST = ["--host", "127.0.0.1"]  # unless told


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


def parse(argv):
    p = Parser(prog="wimax campaign", description=__doc__, epilog="wimax campaign scheduler|worker [...]: Dask's own, with this tree's programs (docs/campaigns.md).")
    p.add_argument("file", metavar="FILE", help="the campaign, YAML")
    p.add_argument("--out", metavar="DIR", help="folder for journal, Parquet table and page; a stopped campaign continues there (default: the file's name)")
    p.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="of workers that were started by hand; default: this machine's cores, reachable from nowhere else")
    p.add_argument("--workers", type=int, metavar="N", help="of the local cluster (default: the number of cores; 1 for the bench)")
    p.add_argument("--json", metavar="OUT", help="summary, - for standard output")
    p.add_argument("--tls-ca-file", metavar="FILE", help="with --tls-cert and --tls-key: TLS to the scheduler, tls://HOST:PORT")
    p.add_argument("--tls-cert", metavar="FILE")
    p.add_argument("--tls-key", metavar="FILE")
    args = p.parse_args(argv)
    if args.scheduler and args.workers:
        p.error("--scheduler and --workers: one of them")
    if args.scheduler and not re.fullmatch(r"(tcp|tls)://[^\s:]+:[0-9]+", args.scheduler):
        p.error(f"--scheduler: '{args.scheduler}' is not tcp://HOST:PORT or tls://HOST:PORT")
    if args.workers is not None and not 1 <= args.workers <= 1024:
        p.error("--workers: allowed 1..1024")
    given = [bool(text) for text in (args.tls_ca_file, args.tls_cert, args.tls_key)]
    if any(given) and not all(given):
        p.error("--tls-ca-file, --tls-cert, --tls-key: all or none")
    args.out = args.out or os.path.splitext(os.path.basename(args.file))[0]
    return args


def serve(which, argv):
    """Dask's scheduler or worker. Both listen on this host only, unless an address is given."""
    told = any(word.split("=")[0] in ("--host", "--interface", "--listen-address", "--contact-address", "--help") for word in argv)
    extra = [] if told else HOST
    if which == "worker" and not any(word.split("=")[0] in ("--nthreads", "--help") for word in argv):
        extra += ["--nthreads", "1"]  # a point has one program
    sys.argv = [f"wimax campaign {which}", *argv, *extra, "--no-dashboard"]
    runpy.run_module(SERVERS[which], run_name="__main__")


def compute(args, campaign):
    """The summary, once all points are there or have failed."""
    from wimax_tools.campaign import page, runner
    from wimax_tools.campaign.store import Store, StoreError

    store = Store(args.out, campaign.fingerprint(), provenance.commit())
    written = 0.0

    def show(now):
        nonlocal written
        if time.monotonic() - written >= PAGE_S:
            page.write(now, args.out, True)
            written = time.monotonic()
            print(f"{len(store.rows)} of {now.planned() + len(now.failed)} points, {now.workers} workers", file=sys.stderr, flush=True)

    try:
        if campaign.kind == "bench" and not args.scheduler:
            args.workers = args.workers or 1  # it has the machine for itself
        with runner.connected(args) as client:
            one = runner.Runner(campaign, store, client, show)
            one.run()
            page.write(one, args.out, False, page.draw(campaign.plots, store.sorted(), args.out))
            summary, failed = one.summary(), one.failed
    finally:
        store.close()
    for point, error in failed.items():
        print(f"wimax campaign: {dict(point.parameters)}, seed {point.seed}: {error}", file=sys.stderr)
    try:
        store.table()
    except StoreError as error:
        print(f"wimax campaign: {error}", file=sys.stderr)
        return summary, 1
    return summary, 1 if failed else 0


def main(argv=None):
    argv = sys.argv[1:] if argv is None else argv
    if argv[:1] and argv[0] in SERVERS:
        return serve(argv[0], argv[1:])
    args = parse(argv)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        campaign = description.read(args.file)
    except (description.Faults, OSError, UnicodeDecodeError) as error:
        print(error, file=sys.stderr)
        return 2
    from wimax_tools.campaign.store import StoreError
    try:
        summary, code = compute(args, campaign)
    except KeyboardInterrupt:
        print("\nwimax campaign: stopped; the same command goes on", file=sys.stderr)
        return 130
    except (StoreError, OSError) as error:  # no scheduler, no place
        print(f"wimax campaign: {error}", file=sys.stderr)
        return 1
    text = json.dumps(summary)
    if args.json == "-":
        print(text)
    elif args.json:
        with open(args.json, "w", encoding="utf-8") as out:
            out.write(text + "\n")
    print(text, file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
