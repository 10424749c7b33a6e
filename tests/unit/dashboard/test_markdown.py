"""Markdown of memories: shown as what it means, and nothing in it runs, loads or looks like the page."""

from agentos.features.dashboard.markdown import LONGEST, rendered
from tests.tables import every


def test_marks_are_shown_as_what_they_mean() -> None:
    page = str(
        rendered("# Deploy\n\n1. **Drain** `it`\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n[run](https://example.org/x)")
    )
    for part in ("<h3>Deploy</h3>", "<strong>Drain</strong>", "<code>it</code>", "<td>2</td>",
                 '<a href="https://example.org/x" rel="noreferrer">run</a>'):  # fmt: skip
        assert part in page
    assert "style=" not in page


@every(
    "text",
    ["Tea is at four.", "2 * 3 * 4, test_checkout_total and a < b\nnext line", "x" * 30_000, "**x** " * 2_000, ""],
)
def test_a_text_without_marks_or_of_great_length_is_left_as_it_is(text: str) -> None:
    assert rendered(text) is None


@every(
    "text",
    [
        "**x** <script>alert(1)</script> <img src=x onerror=alert(1)>",
        "[x](javascript:alert(1)) **x** [y](data:text/html,x) [z](/dashboard/sign-out)",
        "**x** ![a](https://example.org/a.png)",
        '**x** [a](https://example.org "\\" onmouseover=alert(1)")',
    ],
)
def test_nothing_of_it_runs_or_loads(text: str) -> None:
    page = str(rendered(text))
    assert "<script" not in page and "<img" not in page and 'href="javascript' not in page
    assert 'href="/' not in page and 'href="data' not in page and '" onmouseover' not in page


def test_marks_of_direction_are_shown() -> None:
    assert "⟦U+202E⟧" in str(rendered("**a** \u202e evil"))


def test_a_long_text_is_read_by_its_sections_and_code_is_not_cut() -> None:
    code = "```sh\n# not a heading\n" + "echo 1\n" * 300 + "```\n"
    text = "".join(f"## Part {n}\n\nA *mark*.\n\n{code}\n" for n in range(6))
    html = rendered(text)
    assert LONGEST < len(text) and html is not None
    assert html.count("<h4>") == 6 and html.count("<em>mark</em>") == 6 and html.count("<pre>") == 6
    assert rendered("word *x* " * LONGEST) is None
