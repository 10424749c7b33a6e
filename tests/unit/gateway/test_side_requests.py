"""What clients ask for themselves is told from what people say, in every dialect, by its kind."""

import json

from agentos.features.gateway import requests
from agentos.features.gateway.requests import Dialect, Request
from agentos.features.gateway.side_requests import SideRequests
from tests import client_requests
from tests.client_requests import Asked, talks
from tests.tables import every

DIALECTS = (Dialect.CHAT, Dialect.RESPONSES, Dialect.MESSAGES, Dialect.GEMINI, Dialect.OLLAMA)


def read(dialect: Dialect, asked: Asked) -> Request:
    return requests.read(dialect, json.dumps(asked.body(dialect)).encode(), "k", streams=asked.streams)


@every("dialect", DIALECTS)
def test_no_side_request_of_ten_conversations_is_a_persons_and_no_person_is_taken_for_a_client(
    dialect: Dialect,
) -> None:
    side_requests = SideRequests()
    wrong = []
    for talk in talks():
        for asked, is_a_persons in talk.asked:
            request = read(dialect, asked)
            kind = side_requests.kind(talk.client, request)
            side_requests.note(talk.client, request, [client_requests.ANSWER], is_side=bool(kind))
            if bool(kind) is is_a_persons:
                wrong.append((talk.name, kind, request.question[:60]))
    assert not wrong


@every("dialect, asked", [(dialect, asked) for dialect in DIALECTS for asked in client_requests.PERSONS])
def test_people_may_speak_of_titles_and_summaries(dialect: Dialect, asked: Asked) -> None:
    side_requests = SideRequests()
    fresh = side_requests.kind("c", read(dialect, asked))
    for talk in talks():
        for other, _ in talk.asked:
            side_requests.note("c", read(dialect, other), [client_requests.ANSWER], is_side=False)
    assert (fresh, side_requests.kind("c", read(dialect, asked))) == ("", "")


def test_a_prompt_in_another_language_is_known_by_the_conversation_that_it_quotes() -> None:
    side_requests = SideRequests()
    said = "Die Straßenbahn hält ab Mai an der neuen Werft."
    real = Asked((("user", said),), tools=True)
    side_requests.note("c", read(Dialect.CHAT, real), [client_requests.ANSWER], is_side=False)
    quoted = f"<chat_history>\nUSER: {said}\nASSISTANT: {client_requests.ANSWER}\n</chat_history>"
    words = f"Erstelle eine Überschrift.\n{quoted}"
    assert side_requests.kind("c", read(Dialect.CHAT, Asked((("user", words),), streams=False)))
    assert not side_requests.kind("c", read(Dialect.CHAT, Asked((("user", said),), streams=False)))
