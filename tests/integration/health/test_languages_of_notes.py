"""In which languages of a store's own notes updates are noticed, and in which nothing is said of them."""

import os
from pathlib import Path
from typing import Any

import pytest

from agentos import config, database
from agentos.modules.agentos import AgentOS
from agentos.modules.health.models import Severity
from agentos.modules.health.service import examine
from agentos.modules.store_request import StoreRequest
from agentos.storage.embedding.lazy import NoEmbedder

READ = ("The staging server listens on port 8443.", "Сервер переехал в Казань.", "会议改到星期二。", "12345 !!")
UNREAD = ("เซิร์ฟเวอร์อยู่ที่กรุงเทพฯ", "השרת נמצא בחיפה")


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def test_doctor_says_in_which_languages_of_the_notes_updates_are_noticed(
    kind: str, request: pytest.FixtureRequest, home: Path, clock: Any
) -> None:
    url = request.getfixturevalue("postgres_url") if kind == "postgres" else ""
    settings = config.load({}, home=home, database_url=url, database_schema=f"languages_{os.getpid()}")
    store = await database.open_store(settings, clock)
    agentos = AgentOS.over(store, NoEmbedder(), settings, clock)

    def told() -> tuple[Severity, str]:
        with database.health_checks(settings, clock, deep=False) as checks:
            [found] = [one for one in examine(checks, repair=False).results if one.id == "rows.languages"]
        return found.severity, found.message

    try:
        severity, message = told()
        assert severity is Severity.OK and "English" in message
        for text in READ:
            await agentos.memory.store("ada", StoreRequest(text))
        severity, message = told()
        assert severity is Severity.OK and "newest 3 memories" in message
        assert "1 by the model" in message and "Cyrillic 1" in message and "Chinese 1" in message
        for text in UNREAD:
            await agentos.memory.store("ada", StoreRequest(text))
        severity, message = told()
        assert severity is Severity.INFO and "2 not at all" in message and "Thai 1" in message and "Hebrew 1" in message
    finally:
        await agentos.close()
        await store.close()
