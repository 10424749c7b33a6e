"""The pairs that supersession is judged by: enough, each once, and test apart from what weights are fitted to."""

from collections import Counter

from agentos.benchmarks.lifecycle.supersession_cases import ParallelPair, Split, Updated, parallel_pairs, updated

SPLITS: tuple[Split, ...] = ("train", "validation", "test", "kept")


def all_parallel() -> list[ParallelPair]:
    return [pair for split in SPLITS for pair in parallel_pairs(split)]


def all_updated() -> list[Updated]:
    return [one for split in SPLITS for one in updated(split)]


def test_there_are_enough_pairs_in_eight_languages_half_of_them_one_sentence_with_another_key() -> None:
    pairs = all_parallel()
    languages = Counter(pair.language for pair in pairs)

    assert len(pairs) >= 300
    assert len(updated("test")) >= 120
    assert len(languages) == 8
    assert 0.4 < languages["en"] / len(pairs) < 0.6
    assert 0.4 < sum(pair.wording == "same" for pair in pairs) / len(pairs) < 0.7
    assert sum(pair.right == "newer" for pair in pairs) >= 50


def test_no_kind_of_parallel_pair_is_in_two_splits() -> None:
    kinds = [{pair.kind for pair in parallel_pairs(split)} for split in SPLITS]

    assert sum(map(len, kinds)) == len(set().union(*kinds))


def test_no_text_comes_twice() -> None:
    texts = [text for pair in all_parallel() for text in (pair.older, pair.newer)]
    texts += [text for one in all_updated() for text in (one.older, one.newer, one.note)]

    assert [text for text, count in Counter(texts).items() if count > 1] == []
