"""What is served is served as in tests/e2e."""

from tests.e2e.conftest import home  # noqa: F401
from tests.e2e.test_serve import start  # noqa: F401
