# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax keys: certificates of a laboratory's stations, for privacy (docs/security.md)."""

import argparse
import json
import os

from wimax_tools import command_line
from wimax_tools.control import Failed, Refused, columns, say_fault

COLUMNS = ("mac", "serial", "state", "until", "bits", "digest")
STATION_BITS = (1024, 2048)  # of the standard; of this project. An answer of more does not fit every message
AUTHORITY_BITS = (2048, 3072, 4096)
MOST_DAYS = 36500
CA_DAYS, STATION_DAYS = 3650, 1825
EXAMPLES = """examples:
  wimax keys ca
  wimax keys station 02:00:00:00:00:01
  wimax keys list
  wimax keys revoke 02:00:00:00:00:01

docs/security.md describes where base station and stations need the files."""


def days(text):
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MOST_DAYS:
        raise argparse.ArgumentTypeError(f"'{text}'; allowed: 1 to {MOST_DAYS}")
    return int(text)


def parser():
    result = command_line.Parser(prog="wimax keys", epilog=EXAMPLES, description="Makes certificates for the privacy sublayer: an authority, "
                                 "a key and a certificate for each station, and a list of revoked certificates.")
    result.add_argument("--folder", default="keys", metavar="FOLDER", help="folder of keys and certificates (default: %(default)s)")
    command_line.add_json(result, bare=True)
    verbs = result.add_subparsers(dest="verb", required=True, metavar="ca|station|list|revoke")
    ca = verbs.add_parser("ca", help="make the authority: its key, its certificate, an empty list of revoked certificates")
    ca.add_argument("--name", default="wimax laboratory", help="common name of the authority (default: %(default)s)")
    station = verbs.add_parser("station", help="make a key and a certificate for a station",
                               description="A base station that trusts this authority accepts the certificate.")
    station.add_argument("mac", metavar="MAC", help="MAC address of the station: ss.mac of its configuration")
    for verb, bits, default, lifetime in ((ca, AUTHORITY_BITS, 2048, CA_DAYS), (station, STATION_BITS, 2048, STATION_DAYS)):
        verb.add_argument("--bits", type=int, choices=bits, default=default, help="size of the RSA key (default: %(default)s)")
        verb.add_argument("--digest", choices=("sha1", "sha256"), default="sha256",
                          help="digest of the signature (default: %(default)s); the standard has sha1")
        verb.add_argument("--days", type=days, default=lifetime, help="days for which the certificate is valid (default: %(default)s)")
    verbs.add_parser("list", help="list certificates and their validity")
    revoke = verbs.add_parser("revoke", help="revoke certificates",
                              description="The base station reads the list again after 'wimax stations reload'.")
    revoke.add_argument("which", metavar="MAC|SERIAL", help="MAC address: all certificates of that station; or the serial number of one certificate")
    return result


def run(options, store):
    """What was done, as text and as JSON."""
    from wimax_tools.keys.store import common_name, serial_text
    folder = store.folder
    if options.verb == "list":
        store.authority()
        rows = store.listing()
        return columns(rows, COLUMNS), rows
    if options.verb == "revoke":
        serials = store.revoke(options.which)
        return "\n".join(f"revoked: {serial}" for serial in serials), {"revoked": serials}
    if options.verb == "ca":
        store.make_authority(options.name, options.bits, options.digest, options.days)
        files = {"certificate": str(store.ca_pem), "key": str(store.ca_key), "revoked": str(store.revoked_pem)}
        return f"authority: {store.ca_pem}, key (keep it): {store.ca_key}, revoked certificates: {store.revoked_pem}", files
    certificate = store.make_station(options.mac, options.bits, options.digest, options.days)
    mac, serial = common_name(certificate.subject), serial_text(certificate.serial_number)
    station = folder / "stations" / mac.replace(":", "-")
    files = {"mac": mac, "serial": serial, "certificate": f"{station}.pem", "key": f"{station}.key"}
    return f"{mac}: {files['certificate']}, key: {files['key']}, serial number {serial}", files


def main(arguments):
    options = parser().parse_args(arguments)
    os.umask(0o022)
    try:
        from wimax_tools.keys.store import Store  # --help works without the library
        text, result = run(options, Store(options.folder))
        command_line.print_result(json.dumps(result) if options.json else text, options.json)
        return 0
    except ImportError as error:
        return say_fault("keys", Failed(f"{error}: python3-cryptography is missing: ./wimax setup"))
    except (Refused, Failed) as error:
        return say_fault("keys", error)
    except OSError as error:  # of --json
        return say_fault("keys", Refused(f"{error.filename}: {error.strerror}"))
    except KeyboardInterrupt:
        return 130
