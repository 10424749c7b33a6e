"""Schemathesis makes requests of the OpenAPI document: each answer must be one that the document promises."""

import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from tests.e2e.test_serve import KEY, Serving
from tests.tables import every

EXAMPLES = "10"
EXCLUDED_CHECKS = {
    "positive_data_acceptance": "random texts break rules that no schema has, such as printable characters: see below",
    "negative_data_rejection": "null, empty texts and numbers as texts are read as clients mean them",
}
EXCLUDED_ROUTES = {
    "export_bundle": "a stream of lines, not of JSON",
    "import_bundle": "takes a bundle, of which there is no schema here",
    "make_backup": "each makes a file",
    "stream_events": "does not end",
}
BETWEEN_ARGUMENTS = {
    "attach_file": "a file has bytes, and a name that files have",
    "memory_delete": "either memory_id or the other arguments",
    "memory_delete_one": "a version either in If-Match or in the query",
    "memory_update": "something must change",
    "memory_forget": "either topic or memory_ids",
    "goal_update": "something must change",
    "session_update": "something must change",
    "context_compile": "a query, but for one preset",
    "govern_namespace": "the form of what is watched",
    "session_branch": "a branch is called otherwise than its parent",
    "create_branch": "a branch is called otherwise than its origin",
    "issue_token": "the key of the environment issues none",
    "store_sealed": "a vector that is not all zeros",
    "search_sealed": "a vector that is not all zeros",
}
"""Operations with a rule between arguments or behind them, which a schema cannot say."""
WITHIN_S = 1800


@every(
    "checks, phases, left_out",
    [
        (("--checks", "all", "--exclude-checks", ",".join(EXCLUDED_CHECKS)), "examples,coverage,fuzzing", ()),
        (("--checks", "positive_data_acceptance"), "examples,coverage", BETWEEN_ARGUMENTS),
    ],
)
def test_every_answer_is_one_that_the_document_promises(
    home: Path, tmp_path: Path, checks: tuple[str, ...], phases: str, left_out: Collection[str]
) -> None:
    excluded = "|".join(f"^{name}$" for name in (*EXCLUDED_ROUTES, *left_out))
    serving = Serving(home, AGENTOS_HTTP_REQUESTS_PER_MINUTE="1000000")
    try:
        done = subprocess.run(
            (
                *(Path(sys.executable).with_name("schemathesis"), "run", f"{serving.url}/openapi.json"),
                *("--header", f"Authorization: Bearer {KEY}", "--max-examples", EXAMPLES, *checks),
                *("--phases", phases, "--exclude-operation-id-regex", excluded, "--no-color"),
            ),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
        )
        assert done.returncode == 0, done.stdout[-20_000:]
        assert serving.process.poll() is None and serving.request("GET", "/readyz")[0] == 200
    finally:
        serving.end()
        assert serving.process.stderr is not None
        serving.process.stderr.close()
