"""Which backups are kept: the newest few, and the newest of each of the last weeks."""

from datetime import UTC, datetime, timedelta

from agentos.modules.backup.models import Backup
from agentos.modules.backup.service import superfluous

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)  # a Monday


def backup(days_ago: float, problem: str | None = None) -> Backup:
    made = NOW - timedelta(days=days_ago)
    return Backup(f"{days_ago:g}", "", made, 1, 1, 1, mark="x", problem=problem)


def gone(backups: list[Backup], keep: int) -> list[str]:
    return [entry.name for entry in superfluous(backups, keep, NOW)]


def test_the_newest_stay_and_one_of_each_of_four_weeks() -> None:
    daily = [backup(day) for day in range(40)]
    retained = {entry.name for entry in daily} - set(gone(daily, 7))
    # 0 to 6 by number; this week 0, the weeks before it their Sundays: 1, 8 and 15 days ago.
    assert retained == {"0", "1", "2", "3", "4", "5", "6", "8", "15"}


def test_few_backups_are_all_kept() -> None:
    assert gone([backup(0), backup(100)], 2) == []
    assert gone([], 1) == []


def test_a_backup_that_cannot_be_used_takes_no_place_of_a_good_one() -> None:
    assert gone([backup(0, "damaged"), backup(50), backup(60)], 1) == ["0", "60"]


def test_a_year_changes_within_a_week() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    backups = [Backup(str(n), "", at - timedelta(days=n), 1, 1, 1, mark="x") for n in range(5)]
    assert [entry.name for entry in superfluous(backups, 1, at)] == ["1", "2", "3"], (
        "two weeks, one of them last year's"
    )
