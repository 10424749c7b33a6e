"""What strangers send is bounded before it is unfolded, and nothing is sent to where only insiders may ask."""

import ipaddress

import pytest

from agentos.daemon_pkg.destination import is_public
from agentos.modules.portability.models import Refused
from agentos.storage.imports import json_values
from tests.tables import every


@every(
    "address",
    (
        "127.0.0.1 10.0.0.1 169.254.169.254 100.100.100.200 192.0.0.192 168.63.129.16 0.0.0.0 ::1 :: ::ffff:10.0.0.1 "
        "::7f00:1 ::a9fe:a9fe 64:ff9b::7f00:1 64:ff9b:1::a9fe:a9fe 2002:7f00:1:: fec0::1 fd00:ec2::254 fe80::1 ff02::1"
    ).split(),
)
def test_an_address_of_insiders_or_of_a_cloud_is_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@every("address", ["93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"])
def test_an_address_that_anybody_can_reach_is_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


def test_a_document_of_more_parts_than_any_export_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_values, "MOST_PARTS", 100)
    assert json_values.document(b"[" + b"[]," * 20 + b"[]]")
    with pytest.raises(ValueError, match="more than 100 parts"):
        json_values.document(b"[" + b"[]," * 60 + b"[]]")
    assert [*json_values.values(b"[" + b"[]," * 60 + b"[]]", lambda _: True)] == [
        Refused("the document", "has more than 100 parts")
    ], "it is not read in another way"


@every("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_a_document_is_read_in_each_encoding_of_json(encoding: str) -> None:
    assert json_values.document('{"name": "Zoë"}'.encode(encoding)) == {"name": "Zoë"}
