"""The lane of the extra `models`: nothing here is collected where it is not installed."""

import importlib.util
import warnings

from tests.integration.conftest import (  # noqa: F401
    clock,
    engine,
    home,
    new_home,
    open_home,
    open_store,
    pytest_generate_tests,
)

collect_ignore_glob = [] if importlib.util.find_spec("sentence_transformers") else ["test_*.py"]

if importlib.util.find_spec("sentence_transformers"):
    with warnings.catch_warnings():
        # torch's bindings (SWIG) define types without a module
        warnings.filterwarnings("ignore", message=".*has no __module__ attribute", category=DeprecationWarning)
        import sentence_transformers  # noqa: F401 - imported here once, where its warnings are known
