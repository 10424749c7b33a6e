"""Schemathesis makes requests of the OpenAPI document: each answer must be one that the document promises."""

import subprocess
import sys
from pathlib import Path

from tests.e2e.test_serve import KEY, Serving

EXAMPLES = "10"
EXCLUDED_CHECKS = {
    "positive_data_acceptance": "rules between arguments are not in a schema: give either this or that, not both",
    "negative_data_rejection": "null, empty texts and numbers as texts are read as clients mean them",
}
EXCLUDED_ROUTES = {
    "export_bundle": "a stream of lines, not of JSON",
    "import_bundle": "takes a bundle, of which there is no schema here",
    "make_backup": "each makes a file",
    "stream_events": "does not end",
}
WITHIN_S = 1800


def test_every_answer_is_one_that_the_document_promises(home: Path, tmp_path: Path) -> None:
    serving = Serving(home, AGENTOS_HTTP_REQUESTS_PER_MINUTE="1000000")
    try:
        done = subprocess.run(
            (
                *(Path(sys.executable).with_name("schemathesis"), "run", f"{serving.url}/openapi.json"),
                *("--header", f"Authorization: Bearer {KEY}", "--checks", "all", "--max-examples", EXAMPLES),
                *("--exclude-checks", ",".join(EXCLUDED_CHECKS), "--phases", "examples,coverage,fuzzing"),
                *("--exclude-operation-id-regex", "|".join(EXCLUDED_ROUTES), "--no-color"),
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
