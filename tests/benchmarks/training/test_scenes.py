"""What the succession model is trained with besides: every scene is whole, and what is held back stays out."""

import random

from agentos.benchmarks.lifecycle.scenes import WORLDS as SEALED
from agentos.benchmarks.lifecycle.scenes import scenes
from agentos.training.scene_pairs import HELD_BACK, SCENES, WORLDS, held_back, trained_with

FILES = [*scenes(SCENES), *scenes(WORLDS)]


def test_every_scene_is_complete() -> None:
    assert sum(map(len, FILES)) > 1_500
    for scene in (one for own in (*FILES, *scenes(HELD_BACK), *scenes(SEALED)) for one in own):
        texts = (*scene.older, *scene.newer, *scene.beside)
        assert len(scene.older) == 2 and len(scene.newer) >= 2 and len(scene.beside) >= 2, scene
        assert all(text.strip() == text and text for text in texts), scene
        assert not set(scene.newer) & {*scene.older, *scene.beside}, scene


def test_pairs_are_of_every_kind_and_nothing_held_back_is_trained_with() -> None:
    trained, held_out = (made(FILES, random.Random(1)) for made in (trained_with, held_back))
    assert {pair.kind for pair in held_out} == {"scene", "scene: beside", "scene: the same", "scene: another"}
    assert all(pair.replaces == (pair.kind == "scene") for pair in (*trained, *held_out))
    assert 0.2 < sum(pair.replaces for pair in trained) / len(trained) < 0.5
    both = {pair.older for pair in trained} & {pair.older for pair in held_out}
    assert len(both) < 0.05 * len({pair.older for pair in held_out}), both


def test_every_fact_is_asked_for() -> None:
    for one in (one for own in FILES for one in own):
        assert one.asks and all(ask.strip() == ask and ask for ask in one.asks), one


def test_every_fact_of_a_world_has_a_question_of_its_own() -> None:
    worlds = [one for folder in (WORLDS, HELD_BACK, SEALED) for own in scenes(folder) for one in own]
    assert all(one.world for one in worlds)
    assert len({(one.world, one.asks[0]) for one in worlds}) > 0.99 * len(worlds)


def test_what_is_sealed_is_trained_with_nowhere() -> None:
    sealed = {text for own in scenes(SEALED) for one in own for text in one.older}
    others = {text for own in (*FILES, *scenes(HELD_BACK)) for one in own for text in one.older}
    assert len(sealed) > 400 and len(sealed & others) < 0.01 * len(sealed)
