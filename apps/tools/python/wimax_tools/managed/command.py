# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax managed: addresses, time of day and configuration files for the managed stations of a laboratory (docs/operating.md)."""
import os
import signal
from pathlib import Path

from wimax_tools import command_line, provenance
from wimax_tools.control import Failed, Refused, say_fault
from wimax_tools.printable import printable_lines

EXAMPLES = """examples:
  sudo wimax managed config/bs.macd.yml

`wimax up` starts it where managed.lab_folder is set. docs/operating.md describes the files."""


def parser():
    result = command_line.Parser(prog="wimax managed", epilog=EXAMPLES, description="Runs dnsmasq and a time server for managed stations, in the "
                                 "management network of a base station on this host, until it is interrupted. The base station may start later.")
    result.add_argument("file", metavar="CONFIG", help="configuration NAME.macd.yml of the base station's MAC; its keys managed.* apply")
    return result


def say(text):
    print(printable_lines(text), flush=True)


def lab(file):
    """From the file as wimax-macd reads it."""
    from wimax_tools.managed.server import lab_of
    from wimax_tools.upkeep.supervision import check, program_of
    program = program_of(file)
    if program.kind != "macd":
        raise Refused(f"{file}: is for wimax-{program.kind}; allowed: [NAME.]macd.yml of a base station")
    return lab_of(file, check([program], Path(os.environ["WIMAX_BUILD_DIR"], "bin"))[program.name])


def main(arguments):
    options = parser().parse_args(arguments)
    try:
        from wimax_tools.managed.server import Server  # --help works without YAML
        from wimax_tools.upkeep.processes import rename
    except ModuleNotFoundError as error:
        return say_fault("managed", Failed(f"{error.name} is missing; type: {provenance.to_type('./wimax setup')}"))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        found = lab(options.file)
        if os.geteuid() != 0:
            raise Refused(f"ports of DHCP, TFTP and time need root; type: {provenance.to_type('sudo ./wimax managed')} {options.file}")
        rename("managed")
        Server(found, say).serve()
    except (Refused, Failed) as error:
        return say_fault("managed", error)
    except KeyboardInterrupt:
        return 0
