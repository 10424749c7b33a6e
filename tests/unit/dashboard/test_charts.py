"""Charts as numbers: what is drawn stays in its frame, and the figures beside it are the same."""

from datetime import date, timedelta

from agentos.features.dashboard import charts, html
from agentos.features.dashboard.texts import Texts
from tests.tables import every

TODAY = date(2026, 3, 2)
TEXTS = Texts.read()
MEMORIES, ANSWERS = charts.counted(TEXTS, "memories"), charts.counted(TEXTS, "answers")


def test_columns_have_a_bar_for_each_day_that_has_a_value() -> None:
    shown = charts.spans(TODAY, 3)
    assert [one.first for one in shown] == charts.days(TODAY, 3) == [date(2026, 2, 28), date(2026, 3, 1), TODAY]
    values = {TODAY: 4.0, date(2026, 2, 28): 1.0, date(2020, 1, 1): 99.0}
    drawn = charts.columns(TEXTS, "Memories", MEMORIES, values, shown)
    assert [round(bar.height / charts.HEIGHT, 2) for bar in drawn.bars] == [0.25, 1.0]
    assert drawn.rows == (("2026-02-28", "1 memory"), ("2026-03-02", "4 memories"))
    assert drawn.bars[1].label == "2 Mar: 4 memories" and drawn.most == "4 memories"


def test_parts_stand_upon_each_other_and_lead_to_their_pages_and_long_ranges_have_wider_bars() -> None:
    shown = charts.spans(TODAY, 365)
    assert len(shown) == 53 and shown[-1] == (date(2026, 2, 24), TODAY) and shown[0].first == shown[0].last
    series = [charts.Series(name, {TODAY: 1.0, date(2026, 2, 24): 2.0}, lambda span: f"?since={span.first}")
              for name in ("facts", "events")]  # fmt: skip
    drawn = charts.stacked(TEXTS, "Growth", MEMORIES, series, shown)
    lower, upper = drawn.bars
    assert (lower.y, lower.height, upper.y, upper.colour) == (40.0, 40.0, 0.0, 1)
    assert upper.label == "24 Feb – 2 Mar: events: 3 memories" and upper.href == "?since=2026-02-24"
    assert drawn.legend == ("facts", "events") and len(drawn.rows) == 1


def test_a_day_without_a_value_parts_a_line() -> None:
    shown = charts.spans(TODAY, 5)
    drawn = charts.line(TEXTS, "Rate", dict(zip([shown[0], shown[1], shown[3]], (0.0, 1.0, 0.5), strict=True)), shown)
    assert drawn.lines == ("0.0,80.0 75.0,0.0", "200.0,40.0 250.0,40.0"), "a day by itself is a dash"
    assert all(0 <= bar.x <= charts.WIDTH and 0 <= bar.y <= charts.HEIGHT for bar in drawn.bars)
    assert drawn.rows[1] == (str(shown[1].first), "100 %")


def test_a_histogram_names_its_buckets() -> None:
    drawn = charts.histogram(TEXTS, "GET /x", ANSWERS, (1, 0, 3), (0.002, 1.0))
    assert drawn.rows == (("≤ 2 ms", "1 answer"), ("> 1 s", "3 answers"))
    assert [round(3 * bar.height / charts.HEIGHT, 6) for bar in drawn.bars] == [1, 3]


@every(
    "drawn",
    [
        charts.columns(TEXTS, "x", MEMORIES, {}, charts.spans(TODAY, 3)),
        charts.histogram(TEXTS, "x", ANSWERS, (0, 0), (1.0,)),
    ],
)
def test_nothing_is_an_empty_chart(drawn: charts.Chart) -> None:
    assert drawn.is_empty and drawn.bars == ()


def test_a_part_of_a_score_has_one_colour_in_all_hits_whatever_its_rank() -> None:
    stacks = html.stacked({"a": {"nearest": 6, "late": 2}, "b": {"late": -3, "own": 1}, "c": {}}, 110)
    assert [[(bar.name, bar.at, bar.length, bar.colour) for bar in bars] for bars in stacks.values()] == [
        [("nearest", 30, 60, 0), ("late", 90, 20, 1)],
        [("late", 0, 30, 1), ("own", 30, 10, 2)],
        [],
    ], "one scale for all, penalties to the left of where the others begin"


def test_a_year_has_its_days_in_weeks_shaded_by_how_much_happened_and_leading_to_their_pages() -> None:
    counts = {TODAY: 9, TODAY - timedelta(days=1): 1, TODAY - timedelta(days=400): 5}
    drawn = charts.heat(TEXTS, "Year", MEMORIES, counts, TODAY, lambda day: f"/timeline?day={day}")
    assert len(drawn.cells) == charts.YEAR and 53 <= drawn.weeks <= 54 and len(drawn.months) == 12
    busy = [cell for cell in drawn.cells if cell.shade]
    assert [cell.href for cell in busy] == [f"/timeline?day={TODAY - timedelta(days=1)}", f"/timeline?day={TODAY}"]
    assert busy[0].shade < busy[1].shade <= charts.SHADES
    assert (busy[1].week, busy[1].weekday) == (drawn.weeks - 1, TODAY.weekday())
