"""Which tests are run on one engine alone, and why, stands in one table."""

import re
from collections import Counter

from tests.e2e.conftest import ON_POSTGRES
from tests.places import TESTS

ROW = re.compile(r"^\| `(.+?)` \| .+? \| (.+) \|$", re.MULTILINE)
MARK = re.compile(r"^(?:@|pytestmark = \[?)pytest\.mark\.sqlite\(\"(.+?)\"\)", re.MULTILINE)


def test_what_is_run_on_one_engine_alone_stands_in_the_table_with_its_reason() -> None:
    marked = Counter(
        (path.relative_to(TESTS).as_posix(), reason)
        for path in TESTS.rglob("test_*.py")
        for reason in MARK.findall(path.read_text(encoding="utf-8"))
    )
    entire_files = {path.relative_to(TESTS).as_posix() for path in TESTS.glob("e2e/test_*.py")}
    entire_files -= {f"e2e/test_{name}.py" for name in ON_POSTGRES}
    table = Counter(ROW.findall((TESTS / "README.md").read_text(encoding="utf-8")))
    files = {file for file, _ in table} - {file for file, _ in marked}
    assert files == entire_files
    assert (
        Counter({row: count for row, count in table.items() if row[0] not in entire_files or row in marked}) == marked
    )
