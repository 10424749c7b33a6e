"""What features serve beside the routes: whole parts of the tree of paths, with a protocol of their own."""

from collections.abc import Callable

from starlette.routing import BaseRoute

from ...config import Settings
from ...features import registered
from ...modules.plugins.feature import parts
from ...modules.records import dataclass
from .policy import CurrentPolicy
from .rest.operations import Behind

Routes = Callable[[Behind, CurrentPolicy], list[BaseRoute]]


@dataclass(frozen=True)
class Mount:
    """What is served below a `prefix`, where the body of a request may have `most_bytes`, to who has a key.

    `routes` are those of the home's own store, `of_others` those of each other store that is served beside it.
    """

    prefix: str
    most_bytes: int
    routes: Routes
    of_others: Routes


def mounts_of(settings: Settings) -> list[Mount]:
    """Return what the features that are on serve, where the settings want it."""
    made = (mounted(settings) for mounted in parts(registered(settings.features), "mounted"))
    return [one for one in made if one is not None]
