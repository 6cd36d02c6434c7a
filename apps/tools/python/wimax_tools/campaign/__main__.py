# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax campaign: a sweep of many points over the cores of one or many machines; each point is deterministic by its seed."""
import json
import os
import re
import runpy
import signal
import sys
import time

from wimax_tools import command_line, provenance
from wimax_tools.campaign import description

SERVERS = {"scheduler": "distributed.cli.dask_scheduler", "worker": "distributed.cli.dask_worker"}
PAGE_S = 2.0
HOST = ["--host", "127.0.0.1"]  # unless the command line names an address
EXAMPLES = """examples:
  wimax campaign tests/experiments/campaigns/stations.yml --out stations
  wimax campaign scheduler --host 10.0.0.1 --port 8786
  wimax campaign worker tcp://10.0.0.1:8786
  wimax campaign FILE --scheduler tcp://10.0.0.1:8786

scheduler and worker take the options of Dask's programs (--help lists them)."""


def parse(argv):
    p = command_line.Parser(prog="wimax campaign", description=__doc__, epilog=EXAMPLES)
    p.add_argument("file", metavar="FILE", help="description of the campaign, YAML (docs/campaigns.md)")
    p.add_argument("--out", metavar="DIR", help="folder for journal, Parquet table and page; the same command continues a stopped campaign there (default: the file's name)")
    p.add_argument("--workers", type=int, metavar="N", help="number of local workers (default: the number of cores; 1 for kind bench)")
    command_line.add_json(p, "the summary")
    machines = p.add_argument_group("many machines")
    machines.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="scheduler of workers on other machines (default: the cores of this machine, not reachable from others)")
    machines.add_argument("--tls-ca-file", metavar="FILE", help="certificate authority for TLS; needs --tls-cert, --tls-key and a scheduler tls://HOST:PORT")
    machines.add_argument("--tls-cert", metavar="FILE", help="certificate of this machine")
    machines.add_argument("--tls-key", metavar="FILE", help="key of this machine")
    args = p.parse_args(argv)
    if args.scheduler and args.workers:
        p.error("--scheduler and --workers: only one of them is allowed")
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
    except description.Faults as error:
        print(error, file=sys.stderr)
        return 2
    except (OSError, UnicodeDecodeError) as error:
        command_line.say_fault("wimax campaign", f"{args.file}: {getattr(error, 'strerror', None) or error}")
        return 2
    from wimax_tools.campaign.store import StoreError
    try:
        summary, code = compute(args, campaign)
    except KeyboardInterrupt:
        print("\nwimax campaign: stopped; the same command continues", file=sys.stderr)
        return 130
    except (StoreError, OSError) as error:  # no scheduler, no place
        print(f"wimax campaign: {error}", file=sys.stderr)
        return 1
    made = provenance.record("wimax campaign", provenance.command("campaign", argv), files=[args.file])
    text = json.dumps({**summary, "provenance": made})
    if args.json == "-":
        print(text)
    elif args.json:
        with open(args.json, "w", encoding="utf-8") as out:
            out.write(text + "\n")
    print(json.dumps(summary), file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
