"""How ONNX Runtime is loaded."""

import subprocess
import sys

ORDER = """
import sys
asked = []
class Noting:
    def find_spec(self, name, path=None, target=None):
        asked.append(name)
sys.meta_path.insert(0, Noting())
from agentos.storage.embedding import runtime
runtime.onnxruntime()
print(asked.index("numpy") < asked.index("onnxruntime"))
"""


def test_numpy_is_loaded_before_it_so_that_no_two_threads_load_numpy_from_both_ends() -> None:
    done = subprocess.run([sys.executable, "-c", ORDER], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "True"
