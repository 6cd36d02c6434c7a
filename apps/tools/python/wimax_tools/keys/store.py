# SPDX-License-Identifier: GPL-3.0-or-later
"""A laboratory's authority in a folder: its key and certificate, the stations' certificates, the list of revoked ones.

    ca.pem  ca.key  revoked.pem         authority; the base station needs the two .pem
    stations/02-00-00-00-00-01.pem .key a station's, which needs both and ca.pem
    issued/SERIAL.pem                   every certificate that was made
"""

import datetime
import os
import stat
import warnings
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from wimax_tools.control import Failed, Refused

DIGESTS = {"sha1": hashes.SHA1, "sha256": hashes.SHA256}
EXPONENT = 65537
MAC_OCTETS = 6
GROUP_BIT = 0x01
SERIAL_BYTES = 8
MOST_NAME = 64  # of X.520
CLOCKS_APART = datetime.timedelta(hours=1)  # so that a certificate is valid on a station whose clock is slow
OTHERS = stat.S_IRWXG | stat.S_IRWXO


def now_utc():
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


def mac_text(text):
    """aa:bb:cc:dd:ee:ff of a station's address."""
    parts = text.split(":")
    if len(parts) != MAC_OCTETS or not all(len(p) == 2 and all(c in "0123456789abcdefABCDEF" for c in p) for p in parts):
        raise Refused(f"'{text}' is no MAC address such as 02:00:00:00:00:01")
    octets = [int(p, 16) for p in parts]
    if octets[0] & GROUP_BIT or not any(octets):
        raise Refused(f"'{text}' is no station's address")
    return ":".join(f"{o:02x}" for o in octets)


def serial_text(serial):
    """As the base station's log and status have it."""
    digits = f"{serial:X}"
    return digits if len(digits) % 2 == 0 else "0" + digits


def date_of(certificate, which):
    later = getattr(certificate, f"{which}_utc", None)  # of later versions of the library
    return later or getattr(certificate, which).replace(tzinfo=datetime.timezone.utc)


def common_name(name):
    found = name.get_attributes_for_oid(NameOID.COMMON_NAME)
    return found[0].value if found else ""


class Store:
    def __init__(self, folder, now=now_utc):
        self.folder, self.now = Path(folder), now
        self.ca_pem, self.ca_key, self.revoked_pem = (self.folder / n for n in ("ca.pem", "ca.key", "revoked.pem"))

    # ---- what is there ----

    def authority(self):
        """Certificate and key of the authority."""
        if not self.ca_pem.exists() and not self.ca_key.exists():
            raise Refused(f"{self.folder} has no authority yet: wimax keys ca")
        return self._certificate(self.ca_pem), self._private_key(self.ca_key)

    def issued(self):
        folder = self.folder / "issued"
        return [self._certificate(path) for path in sorted(folder.glob("*.pem"))] if folder.is_dir() else []

    def revoked(self):
        """Serial numbers, with their dates."""
        try:
            crl = x509.load_pem_x509_crl(self._read(self.revoked_pem))
        except ValueError:
            raise Failed(f"{self.revoked_pem} is no list of revoked certificates (PEM)") from None
        return {entry.serial_number: entry.revocation_date for entry in crl}

    def listing(self):
        """All station certificates, the newest of a station last."""
        revoked, now = self.revoked(), self.now()
        rows = []
        for certificate in sorted(self.issued(), key=lambda c: (common_name(c.subject), date_of(c, "not_valid_before"))):
            begin, end = date_of(certificate, "not_valid_before"), date_of(certificate, "not_valid_after")
            state = ("revoked" if certificate.serial_number in revoked else "expired" if now > end
                     else "not yet valid" if now < begin else "valid")
            rows.append({"mac": common_name(certificate.subject), "serial": serial_text(certificate.serial_number),
                         "state": state, "until": end.strftime("%Y-%m-%d"), "bits": certificate.public_key().key_size,
                         "digest": certificate.signature_hash_algorithm.name})
        return rows

    # ---- what is made ----

    def make_authority(self, name, bits, digest, days):
        if self.ca_pem.exists() or self.ca_key.exists():
            raise Refused(f"{self.folder} has an authority already; all its certificates would be worthless with another")
        if not 1 <= len(name) <= MOST_NAME or not name.isprintable():
            raise Refused(f"a name has 1 to {MOST_NAME} printable characters")
        key = rsa.generate_private_key(EXPONENT, bits)
        subject = self._name(("O", "wimax laboratory"), ("CN", name))
        usage = x509.KeyUsage(digital_signature=False, content_commitment=False, key_encipherment=False,
                              data_encipherment=False, key_agreement=False, key_cert_sign=True, crl_sign=True,
                              encipher_only=False, decipher_only=False)
        certificate = self._sign(subject, subject, key.public_key(), key, digest, days,
                                 ((x509.BasicConstraints(ca=True, path_length=0), True), (usage, True)),
                                 self.now() + datetime.timedelta(days))
        self._make_folder(self.folder)
        self._write_key(self.ca_key, key)
        self._write(self.ca_pem, certificate.public_bytes(serialization.Encoding.PEM))
        self._write_revoked({}, certificate, key)
        return certificate

    def make_station(self, mac, bits, digest, days):
        mac = mac_text(mac)
        ca, ca_key = self.authority()
        if any(row["mac"] == mac and row["state"] == "valid" for row in self.listing()):
            raise Refused(f"{mac} has a valid certificate; wimax keys revoke {mac} takes it away")
        key = rsa.generate_private_key(EXPONENT, bits)
        subject = self._name(("O", "wimax laboratory"), ("OU", "subscriber stations"), ("CN", mac))
        certificate = self._sign(subject, ca.subject, key.public_key(), ca_key, digest, days,
                                 ((x509.BasicConstraints(ca=False, path_length=None), True),), date_of(ca, "not_valid_after"))
        pem = certificate.public_bytes(serialization.Encoding.PEM)
        for folder in ("issued", "stations"):
            self._make_folder(self.folder / folder)
        station = self.folder / "stations" / mac.replace(":", "-")
        self._write_key(station.with_suffix(".key"), key)
        self._write(station.with_suffix(".pem"), pem)
        self._write(self.folder / "issued" / f"{serial_text(certificate.serial_number)}.pem", pem)
        return certificate

    def revoke(self, which):
        """A station's MAC address, or a serial number. Returns the serial numbers that are revoked now."""
        ca, key = self.authority()
        revoked = self.revoked()
        issued = self.issued()
        if ":" in which:
            mac = mac_text(which)
            found = [c for c in issued if common_name(c.subject) == mac]
        else:
            found = [c for c in issued if serial_text(c.serial_number) == which.upper()]
        if not found:
            raise Refused(f"'{which}' is no station's address or serial number here: wimax keys list")
        fresh = [c.serial_number for c in found if c.serial_number not in revoked]
        if not fresh:
            raise Refused(f"'{which}' is revoked already")
        now = self.now()
        self._write_revoked({**revoked, **{serial: now for serial in fresh}}, ca, key)
        return [serial_text(serial) for serial in fresh]

    # ---- files ----

    def _sign(self, subject, issuer, public_key, signer, digest, days, extensions, latest):
        begin = self.now()
        end = min(begin + datetime.timedelta(days=days), latest)
        serial = int.from_bytes(os.urandom(SERIAL_BYTES), "big") >> 1 | 1  # positive, and not zero
        builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(public_key)
                   .serial_number(serial).not_valid_before(begin - CLOCKS_APART).not_valid_after(end))
        identifiers = ((x509.SubjectKeyIdentifier.from_public_key(public_key), False),
                       (x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), False))
        for extension, critical in extensions + identifiers:
            builder = builder.add_extension(extension, critical)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # SHA-1 is asked for by name
                return builder.sign(signer, DIGESTS[digest]())
        except UnsupportedAlgorithm:
            raise Failed(f"--digest: '{digest}': this system's Python package cryptography does not sign with it; allowed: sha256") from None

    def _write_revoked(self, serials, ca, key):
        """The list is valid as long as the authority is: one that has ended its time would keep all stations out."""
        builder = (x509.CertificateRevocationListBuilder().issuer_name(ca.subject).last_update(self.now())
                   .next_update(date_of(ca, "not_valid_after")))
        for serial, date in sorted(serials.items()):
            builder = builder.add_revoked_certificate(
                x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(date).build())
        crl = builder.sign(key, hashes.SHA256())
        self._write(self.revoked_pem, crl.public_bytes(serialization.Encoding.PEM))

    @staticmethod
    def _name(*parts):
        oids = {"O": NameOID.ORGANIZATION_NAME, "OU": NameOID.ORGANIZATIONAL_UNIT_NAME, "CN": NameOID.COMMON_NAME}
        return x509.Name([x509.NameAttribute(oids[key], value) for key, value in parts])

    def _read(self, path):
        try:
            return path.read_bytes()
        except OSError as error:
            raise Failed(f"{path}: {error.strerror}") from None

    def _certificate(self, path):
        try:
            return x509.load_pem_x509_certificate(self._read(path))
        except ValueError:
            raise Failed(f"{path} is no certificate (PEM)") from None

    def _private_key(self, path):
        octets = self._read(path)
        if path.stat().st_mode & OTHERS:
            raise Failed(f"{path} is open to others than its owner: chmod 600 {path}")
        try:
            return serialization.load_pem_private_key(octets, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            raise Failed(f"{path} is no private key (PEM without a pass phrase)") from None

    def _make_folder(self, path):
        try:
            path.mkdir(mode=0o755, parents=True, exist_ok=True)
        except OSError as error:
            raise Failed(f"{path}: {error.strerror}") from None

    def _write_key(self, path, key):
        self._write(path, key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                            serialization.NoEncryption()), mode=0o600)

    def _write(self, path, octets, mode=0o644):
        """Writes the complete file or none; with its rights from the beginning."""
        fresh = path.with_name(path.name + ".new")
        try:
            fresh.unlink(missing_ok=True)
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
                file.write(octets)
            fresh.replace(path)
        except OSError as error:
            raise Failed(f"{path}: {error.strerror}") from None
