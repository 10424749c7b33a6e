"""The page of Markdown: what was stored is text on it, never a link, an image or a way to steer a terminal."""

from datetime import UTC, datetime

from agentos.modules.goals.models import Goal, GoalStatus
from agentos.modules.portability import markdown
from agentos.modules.views.labels import Labels
from tests.tables import every

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@every(
    ("stored", "shown"),
    [
        ("![pixel](http://evil.example/p.png)", r"!\[pixel\](http:\//evil.example/p.png)"),
        ("[click](javascript:alert)", r"\[click\](javascript:alert)"),
        ("[a]: https://evil.example", r"\[a\]: https:\//evil.example"),
        ("![[embedded]]", r"!\[\[embedded\]\]"),
        ("see www.evil.example", r"see www\.evil.example"),
        ("<img src=x> <http://evil.example>", r"&lt;img src=x&gt; &lt;http:\//evil.example&gt;"),
        (r"escaped already: \[x\](y)", r"escaped already: \\\[x\\\](y)"),
        ("a\x1b]52;c;eA==\x07 b\u202ec", r"a \]52;c;eA==  b c"),
        ("C++ & 3 * 4 = 12, naïve, 東京, می‌خواهم", "C++ &amp; 3 * 4 = 12, naïve, 東京, می‌خواهم"),
    ],
)
def test_links_and_images_of_a_page_are_inert(stored: str, shown: str) -> None:
    goal = Goal("goal_1", "me", stored, stored, 0.5, 0.5, None, 0.0, GoalStatus.ACTIVE, None, (), (), NOW, NOW)
    page = markdown.page("me", [], [goal], Labels(NOW))
    assert f"**{' '.join(shown.split())}**" in page and f"\n  {shown}\n" in page
