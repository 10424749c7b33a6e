"""Ask over HTTP: the route and the page."""

from typing import Any

from tests.integration.http.conftest import SignIn

QUESTION = "When does Maria deploy?"


async def test_the_route_answers_with_the_memory_of_each_sentence(owner: Any) -> None:
    stored = (await owner.post("/api/v1/memories", json={"content": "Maria deploys on Tuesday mornings."})).json()
    answer = (await owner.post("/api/v1/ask", json={"question": QUESTION})).json()
    assert answer["outcome"] == "answered" and answer["sentences"][0]["memories"] == [stored["id"]]
    assert (await owner.post("/api/v1/ask", json={"question": ""})).status_code == 400


async def test_the_page_answers_and_says_what_is_not_known(sign_in: SignIn) -> None:
    browser = await sign_in()
    assert "Not known." not in (await browser.get("ask")).text
    assert "Not known." in (await browser.get("ask", q="Where does Maria live?")).text
