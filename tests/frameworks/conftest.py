"""The served home and the environments of the Python SDK's tests."""

from tests.sdk.conftest import installed, namespace, serving

__all__ = ["installed", "namespace", "serving"]
