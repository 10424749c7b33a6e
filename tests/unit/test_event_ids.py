"""The ids of events hide the log and lead back into it."""

from agentos.modules.events.ids import ID_BITS, EventIds


def test_an_id_leads_back_to_its_cursor_and_tells_no_order() -> None:
    ids = EventIds(b"the home's own", "a store")
    cursors = [*range(200), 2**39]
    shown = [ids.shown(one) for one in cursors]
    assert [ids.cursor(one) for one in shown] == cursors == [ids.cursor(ids.place(one)) for one in cursors]
    assert len({*shown}) == len(cursors) and shown[1:] != sorted(shown[1:]) and max(shown) < 2**ID_BITS
    for other in (EventIds(b"another's", "a store"), EventIds(b"the home's own", "another")):
        assert other.cursor(shown[7]) != 7
