# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax keys: certificates of a laboratory's stations, for privacy (docs/security.md)."""

import argparse
import json
import os

from wimax_tools.control import Failed, Refused, columns, say_fault

COLUMNS = ("mac", "serial", "state", "until", "bits", "digest")
STATION_BITS = (1024, 2048)  # of the standard; of this project. An answer of more does not fit every message
AUTHORITY_BITS = (2048, 3072, 4096)
MOST_DAYS = 36500
CA_DAYS, STATION_DAYS = 3650, 1825


def days(text):
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= MOST_DAYS:
        raise argparse.ArgumentTypeError(f"'{text}'; allowed: 1 to {MOST_DAYS}")
    return int(text)


def parser():
    result = argparse.ArgumentParser(prog="wimax keys", description="Certificates of a laboratory's stations: an authority of its own, "
                                     "a key and a certificate for each station, and the list of those that are revoked.")
    result.add_argument("--folder", default="keys", metavar="FOLDER", help="where they are (default: %(default)s)")
    result.add_argument("--json", action="store_true", help="print JSON")
    verbs = result.add_subparsers(dest="verb", required=True, metavar="ca|station|list|revoke")
    ca = verbs.add_parser("ca", help="the authority, once: its key, its certificate, an empty list of revoked ones")
    ca.add_argument("--name", default="wimax laboratory", help="its common name (default: %(default)s)")
    station = verbs.add_parser("station", help="a key and a certificate for a station",
                               description="Its base station takes it where it trusts this authority.")
    station.add_argument("mac", metavar="MAC", help="its address, as ss.mac of its configuration has it")
    for verb, bits, default, lifetime in ((ca, AUTHORITY_BITS, 2048, CA_DAYS), (station, STATION_BITS, 2048, STATION_DAYS)):
        verb.add_argument("--bits", type=int, choices=bits, default=default, help="of the RSA key (default: %(default)s)")
        verb.add_argument("--digest", choices=("sha1", "sha256"), default="sha256",
                          help="of the signature (default: %(default)s); the standard's is sha1")
        verb.add_argument("--days", type=days, default=lifetime, help="that it is valid (default: %(default)s)")
    verbs.add_parser("list", help="certificates that were made, and whether they are valid")
    revoke = verbs.add_parser("revoke", help="a certificate is not taken any more",
                              description="The base station reads the list anew with 'wimax stations reload'.")
    revoke.add_argument("which", metavar="MAC|SERIAL", help="of a station all that it has; or one by its number")
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
        print(json.dumps(result) if options.json else text)
        return 0
    except ImportError as error:
        return say_fault("keys", Failed(f"{error}: python3-cryptography is missing: ./wimax setup"))
    except (Refused, Failed) as error:
        return say_fault("keys", error)
    except KeyboardInterrupt:
        return 130
