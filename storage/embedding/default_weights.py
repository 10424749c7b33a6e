"""The files of the default embedding model by their digests, and the folder in which a home keeps them."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from ...modules.records import dataclass

DEFAULT_MODEL = "all-MiniLM-L6-v2"
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
WEIGHTS = "model.safetensors"
GIT_DIGITS = 40


@dataclass(frozen=True)
class ModelFile:
    """One file of a model: its name in the folder, its size in bytes and its digest (hex).

    The digest is a sha256, or of 40 digits the number that Git gives the content: hubs know small files by that.
    """

    name: str
    size: int
    digest: str

    def is_intact_in(self, folder: Path) -> bool:
        """Return whether the folder holds the file, byte for byte. Raises OSError when it cannot be read."""
        path = folder / self.name
        if not path.is_file() or path.stat().st_size != self.size:
            return False
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, self._started).hexdigest() == self.digest

    def _started(self) -> "hashlib._Hash":
        if len(self.digest) == GIT_DIGITS:
            return hashlib.sha1(f"blob {self.size}\0".encode(), usedforsecurity=False)
        return hashlib.sha256()


FILES = (
    ModelFile("config.json", 612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
    ModelFile("modules.json", 349, "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"),
    ModelFile("1_Pooling/config.json", 190, "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23"),
    ModelFile("sentence_bert_config.json", 53, "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"),
    ModelFile(
        "config_sentence_transformers.json", 116, "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3"
    ),
    ModelFile("tokenizer_config.json", 350, "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"),
    ModelFile("special_tokens_map.json", 112, "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3"),
    ModelFile("tokenizer.json", 466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    ModelFile(WEIGHTS, 90_868_376, DEFAULT_SHA256),
)


def folder_in(models: Path) -> Path:
    """Return the folder of the weights within a home's folder of models, named by their digest."""
    return models / f"{DEFAULT_MODEL}@{DEFAULT_SHA256[:12]}"


def missing_in(folder: Path, files: Iterable[ModelFile] = FILES) -> list[ModelFile]:
    """Return the files that a folder lacks or holds with other bytes. Reads them whole. Raises OSError."""
    return [file for file in files if not file.is_intact_in(folder)]
