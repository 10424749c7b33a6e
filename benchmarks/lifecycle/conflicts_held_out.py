from .wording import ConflictPair, Paraphrase

CONFLICTS: tuple[ConflictPair, ...] = ()
PARAPHRASES: tuple[Paraphrase, ...] = ()
