"""Ask: a question answered from memory, each sentence with the memories that bear it."""

from pathlib import Path

from ..dashboard.pages import DashboardPage
from ..dashboard.visit import Shown, Visit

MAX_CHARS = 300
TEMPLATE = str(Path(__file__).with_suffix(".html"))


async def show(visit: Visit, path: str) -> Shown:
    """Show the answer to a question; the form alone for none."""
    question = visit.given("q")[:MAX_CHARS]
    answer = await visit.call("memory_ask", question=question) if question.strip() else {}
    return Shown(TEMPLATE, {"question": question, "answer": answer})


PAGES = (DashboardPage("ask", None, show),)
