"""Whatever a client writes is answered: batches, no messages, under a wrong setting, before an input that ended."""

import json
from collections.abc import Callable
from typing import Any

from tests.tables import every

Start = Callable[..., Any]

PARSE_ERROR, INVALID_REQUEST = -32700, -32600

NO_MESSAGES: list[tuple[bytes, int]] = [
    (b"{torn", PARSE_ERROR),
    (b'{"jsonrpc":"2.0","method":"ping",', PARSE_ERROR),
    (b"\xff\xfe{}", PARSE_ERROR),
    (b"[" * 100_000, PARSE_ERROR),
    (b'"text"', INVALID_REQUEST),
    (b"null", INVALID_REQUEST),
    (b"17", INVALID_REQUEST),
    (b"[]", INVALID_REQUEST),
    (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', INVALID_REQUEST),
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', INVALID_REQUEST),
    (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', INVALID_REQUEST),
    (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', INVALID_REQUEST),
    (b'{"jsonrpc":"2.0","id":7.5,"method":"ping",}', PARSE_ERROR),
    (b'{"id":7e2,,}', PARSE_ERROR),
    (b'{"id":' + b"7" * 5_000 + b',"method":"ping"}', PARSE_ERROR),
    (b'{"jsonrpc":"2.0","id":7', PARSE_ERROR),
    (b'{"jsonrpc":"2.0","method":"ping","params":{"of":{"id":7}', PARSE_ERROR),
    (b'[{"jsonrpc":"2.0","method":"ping","id":7}', PARSE_ERROR),
]

MANY = b"[" + b"{}," * 100_000 + b"{}]"
VISIBLE: list[tuple[bytes, object, int]] = [
    (b'{"id":7,,}', 7, PARSE_ERROR),
    (b'{"jsonrpc":"2.0","id":"s","method":"ping"', "s", PARSE_ERROR),
    (b'{"method":"ping","params":{"said":"a \\"}\\" {","of":tru},"id":-7 }', -7, PARSE_ERROR),
    (b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"all":' + MANY + b"}}", 8, INVALID_REQUEST),
    (b'{"jsonrpc":"2.0","params":{"all":' + MANY + b'},"id":9,"method":"tools/call"}', 9, INVALID_REQUEST),
    (
        b'{"jsonrpc":"2.0","method":"ping","params":{"all":"' + b'","'.join([b"a"] * 900_000) + b'"},"id":10}',
        10,
        INVALID_REQUEST,
    ),
]


def ping(request_id: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": "ping"}


def store(request_id: object, content: str) -> dict[str, Any]:
    call = {"name": "memory_store", "arguments": {"content": content}}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": call}


@every(("line", "code"), NO_MESSAGES)
def test_a_line_without_an_id_is_answered_to_nobodys_id(line: bytes, code: int, server: Any) -> None:
    server.send(line)
    answer = server.receive()
    assert answer["id"] is None and answer["error"]["code"] == code


@every(("line", "request_id", "code"), VISIBLE)
def test_a_line_that_is_refused_is_answered_to_the_id_that_can_be_seen(
    line: bytes, request_id: object, code: int, server: Any
) -> None:
    server.send(line)
    answer = server.receive()
    assert (answer["id"], answer["error"]["code"]) == (request_id, code)


def test_a_long_text_is_no_crowd_of_values(server: Any) -> None:
    for text in ("word, " * 300_000, 'a "b", ' * 200_000, "\\\\, " * 200_000):
        assert server.request("ping", {"_meta": {"said": text}})["result"] == {}


def test_a_blank_line_is_no_message(server: Any) -> None:
    server.send(b"  ")
    assert server.request("ping")["result"] == {}


def test_a_batch_is_answered_as_one_where_the_protocol_has_batches(shared_start: Start) -> None:
    server = shared_start()
    server.initialize("2025-03-26")
    notification = {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}
    server.send(json.dumps([ping(501), notification, store("s", "Batches came and went."), 7, ping(None)]).encode())
    answers = server.receive()
    by_id: dict[Any, list[Any]] = {}
    for one in answers:
        by_id.setdefault(one["id"], []).append(one)
    assert by_id[501][0]["result"] == {} and not by_id["s"][0]["result"]["isError"]
    assert [one["error"]["code"] for one in by_id[None]] == [INVALID_REQUEST, INVALID_REQUEST]
    assert len(answers) == 4
    server.send(json.dumps([notification, notification]).encode())
    assert server.request("ping")["result"] == {}, "nothing is answered to notifications alone"
    server.send(json.dumps([9, ping(1.5)]).encode())
    assert [one["error"]["code"] for one in server.receive()] == [INVALID_REQUEST, INVALID_REQUEST]
    server.send(json.dumps([ping(n) for n in range(2_000)]).encode())
    assert server.receive()["error"]["code"] == INVALID_REQUEST


def test_a_large_batch_is_answered_too_and_one_too_large_with_the_reason(shared_start: Start) -> None:
    server = shared_start()
    server.initialize("2025-03-26")
    large = {"_meta": {"said": "x" * 2**20}}
    server.send(json.dumps([{**ping(1), "params": large}, 7, ping("p")]).encode())
    answers = server.receive()
    assert sorted(str(one["id"]) for one in answers) == ["1", "None", "p"]
    for line, reason in ((MANY + b" " * 2**20, "values"), (b"[" + b" " * 33 * 2**20 + b"1]", "longer than")):
        server.send(line)
        answer = server.receive()
        assert answer["id"] is None and reason in answer["error"]["message"]


def test_a_batch_is_refused_where_the_protocol_has_none(server: Any) -> None:
    server.send(json.dumps([ping(501)]).encode())
    answer = server.receive()
    assert answer["id"] is None and "2025-03-26" in answer["error"]["message"]


FAILURES: list[tuple[str, dict[str, Any], str, str | None]] = [
    ("memory_store", {}, "invalid_input", "content"),
    ("memory_search", {"query": "x", "limit": 0}, "invalid_input", "limit"),
    ("memory_get", {"memory_id": "mem_unknown"}, "not_found", None),
    ("memory_store", {"content": "x", "agent_id": "two\nlines"}, "invalid_input", "agent_id"),
]


@every(("tool", "arguments", "code", "field"), FAILURES)
def test_every_failure_has_a_code_for_programs(
    tool: str, arguments: dict[str, Any], code: str, field: str | None, server: Any
) -> None:
    result = server.request("tools/call", {"name": tool, "arguments": arguments})["result"]
    assert result["isError"] and result["_meta"]["agentos/code"] == code
    assert result["_meta"].get("agentos/field") == field
    assert "structuredContent" not in result, "clients hold it against the schema of a success"


def test_an_unknown_tool_has_a_code_too(server: Any) -> None:
    error = server.request("tools/call", {"name": "memory_forge", "arguments": {}})["error"]
    assert error["data"] == {"agentos/code": "unknown_tool"}


@every("daemon", ["off", "auto"])
def test_what_was_read_is_answered_although_the_input_has_ended(daemon: str, start: Start) -> None:
    server = start(settings={"AGENTOS_DAEMON": daemon, "AGENTOS_EMBEDDING_MODEL": "none"})
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "pipe", "version": "1"}}
    server.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client})
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    for number in range(1, 11):
        server.send(store(number, f"Written down a pipe, fact {number}, daemon {daemon}."))
    assert server.end() == 0
    answers = {message["id"]: message for message in map(json.loads, server.lines)}
    assert not any(answers[number]["result"]["isError"] for number in range(1, 11)) and len(answers) == 11


WRONG: list[tuple[str, str, str]] = [
    ("AGENTOS_TOOLSETS", "sesions", "sessions"),
    ("AGENTOS_MEMORY_DECAY_RATE", "fast", "number"),
    ("AGENTOS_DAEMON", "of", "off"),
]


@every(("name", "value", "named"), WRONG)
def test_a_wrong_setting_is_an_answer(name: str, value: str, named: str, start: Start) -> None:
    server = start(settings={"AGENTOS_EMBEDDING_MODEL": "none", name: value})
    assert server.initialize()["serverInfo"]["name"] == "agentos"
    assert server.request("tools/list")["result"]["tools"]
    result = server.request("tools/call", {"name": "memory_list", "arguments": {}})["result"]
    assert result["isError"] and result["_meta"] == {"agentos/code": "wrong_settings"}
    assert result["content"][0]["text"].startswith(name) and named in result["content"][0]["text"]
