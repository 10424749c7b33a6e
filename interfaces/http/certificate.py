"""A certificate of one's own: for a server without a public name, trusted by those who are given its file."""

import ipaddress
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ...modules import private_files
from ...modules.records import dataclass

VALID_FOR = timedelta(days=397)
"""The longest that clients take."""
COMMON_NAME_CHARS = 64


@dataclass(frozen=True)
class Certificate:
    """The files of a certificate and of its key, the SHA-256 of the first, and when it ends."""

    certificate: Path
    key: Path
    fingerprint: str
    ends_at: datetime


def make(folder: Path, names: Sequence[str], now: datetime) -> Certificate:
    """Make a key and a self-signed certificate for names or addresses, in a folder that only its owner can read.

    Raises FileExistsError where there is one.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0][:COMMON_NAME_CHARS])])
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    usage = dict.fromkeys(("content_commitment", "data_encipherment", "key_encipherment", "key_agreement"), False)
    usage |= dict.fromkeys(("key_cert_sign", "crl_sign", "encipher_only", "decipher_only"), False)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + VALID_FOR)
        .add_extension(x509.SubjectAlternativeName(list(map(_alternative, names))), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(digital_signature=True, **usage), critical=True)
        .add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False
        )
        .add_extension(identifier, critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
        .sign(key, hashes.SHA256())
    )
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = Certificate(
        folder / "certificate.pem", folder / "key.pem", certificate.fingerprint(hashes.SHA256()).hex(), now + VALID_FOR
    )
    with private_files.appearing(made.key) as file:
        file.write(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
    with private_files.appearing(made.certificate) as file:
        file.write(certificate.public_bytes(serialization.Encoding.PEM))
    return made


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
