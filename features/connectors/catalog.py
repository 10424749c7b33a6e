"""The connectors that there are, by name."""

from .models import Connector
from .readers.browser import BROWSER
from .readers.calendar import CALENDAR
from .readers.documents import DOCUMENTS
from .readers.editor import EDITOR
from .readers.terminal import TERMINAL
from .readers.trackers import INCIDENTS, PULL_REQUESTS, TICKETS

CONNECTORS: dict[str, Connector] = {
    one.name: one for one in (EDITOR, TERMINAL, BROWSER, DOCUMENTS, TICKETS, CALENDAR, PULL_REQUESTS, INCIDENTS)
}
