"""`agentos status`: what the store holds and who works on it, at a glance; opens nothing and changes nothing."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from socket import gethostname
from typing import Any

from ... import config, database
from ...modules.clock import system_clock
from ...modules.health.overview import StoreOverview
from ...modules.text.counting import bytes_counted
from ...modules.version import VERSION
from ..stdio.front import hello
from ..stdio.front.place import socket_path
from .doctor import processes
from .opened import settings_here
from .outcome import ExitCode
from .terminal import one_line, say, say_json

ANSWER_WITHIN_S = 1.0
LONGEST_NAME = 20


def run(home: Path | None, *, as_json: bool) -> int:
    """Report on standard output; return the exit code."""
    facts = look(settings_here(home))
    if as_json:
        say_json(facts)
    else:
        say(text(facts), end="")
    return ExitCode.UNAVAILABLE if facts["problem"] else ExitCode.DONE


def look(settings: config.Settings) -> dict[str, Any]:
    """Return the current status as JSON. Blocks for milliseconds; opens nothing and changes nothing."""
    store = database.overview(settings, system_clock)
    return _facts(settings.home, store, _daemon(settings, store, system_clock()))


def _daemon(settings: config.Settings, store: StoreOverview, now: datetime) -> dict[str, Any]:
    """Return the daemon's state: from itself when it answers, else from its record and lock."""
    socket = socket_path(settings.home)
    answer = hello.ask_status(socket, ANSWER_WITHIN_S) if os.path.exists(socket) else None
    if answer is not None:
        started = datetime.fromisoformat(answer["started_at"])
        return {"state": "running", "uptime_s": round((now - started).total_seconds()), **answer}
    holder = processes.holder(settings.database.with_name("daemon.lock"))
    if holder is not None:
        return {"state": "silent", "pid": holder}
    here = gethostname()  # what runs elsewhere is not this home's
    own = next((daemon for daemon in store.daemons if daemon.host == here or daemon.state != "running"), None)
    if own is None:
        return {"state": "none"}
    return {**_plain(asdict(own)), "state": "stopped" if own.stopped_at is not None else "dead"}


def _facts(home: Path, store: StoreOverview, daemon: dict[str, Any]) -> dict[str, Any]:
    """Return everything as JSON; its keys are stable."""
    known: dict[str, Any] = _plain(asdict(store))
    agents = [
        {
            "agent_id": agent["agent_id"],
            "memories": {
                "total": sum(agent["memories"].values()),
                "by_type": agent["memories"],
                "bytes": agent["memory_bytes"],
                "expired": agent["expired"],
                "last_stored_at": agent["last_stored_at"],
            },
            "goals": {"total": sum(agent["goals"].values()), "by_status": agent["goals"]},
            "reflections": agent["reflections"],
            "open_insights": agent["open_insights"],
            "pending_approvals": agent["pending_approvals"],
        }
        for agent in known["agents"]
    ]
    return {
        "version": VERSION,
        "home": str(home),
        "problem": known["problem"],
        "schema": known["schema"],
        "sizes": known["sizes"],
        "agents": agents,
        "vectors": known["vectors"],
        "daemon": daemon,
        "daemons": known["daemons"],
        "standby": known["standby"],
        "jobs": known["jobs"],
        "backup": known["backup"],
    }


def _plain(value: Any) -> Any:
    """Return the same with times as ISO 8601."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value.isoformat() if isinstance(value, datetime) else value


def text(facts: dict[str, Any]) -> str:
    """Return the status from `look`, for people."""
    now = system_clock()
    sections = [f"agentos {facts['version']}, {facts['home']}"]
    if facts["problem"]:
        sections.append(f"{facts['problem']}; agentos doctor has details")
    elif facts["schema"] is None:
        sections.append("there is no data yet")
    sections.append(_sizes(facts))
    if facts["agents"]:
        sections.append(_agents(facts["agents"]))
    of_store = _vectors_rows(facts) if facts["schema"] is not None else []
    of_store += [["standby", facts["standby"]]] if facts["standby"] else []
    sections.append(_table([_daemon_row(facts["daemon"]), *of_store, _backup_row(facts["backup"], now)]))
    if len(living := [each for each in facts["daemons"] if each["state"] == "running"]) > 1:
        sections.append(_daemons(living))
    if facts["jobs"]:
        sections.append(_jobs(facts["jobs"], now))
    return "\n\n".join(sections) + "\n"


def _sizes(facts: dict[str, Any]) -> str:
    shown = [(name.replace("_", " "), bytes_counted(size)) for name, size in facts["sizes"].items()]
    return _table([[name for name, _ in shown], [size for _, size in shown]])


def _agents(agents: Sequence[dict[str, Any]]) -> str:
    rows = [["agent", "memories", "bytes", "goals", "reflections", "insights", "approvals"]]
    kinds = []
    for agent in agents:
        memories, name = agent["memories"], _cut(one_line(agent["agent_id"]))
        rows.append(
            [
                name,
                str(memories["total"]),
                bytes_counted(memories["bytes"]),
                _goals(agent["goals"]),
                str(agent["reflections"]),
                str(agent["open_insights"]),
                str(agent["pending_approvals"]),
            ]
        )
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(memories["by_type"].items()) if count)
        kinds += [[name, counts]] if counts else []
    return "\n".join([_table(rows), *([_table([["agent", "memories by type"], *kinds])] if kinds else [])])


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _goals(goals: dict[str, Any]) -> str:
    active = goals["by_status"].get("active", 0)
    return f"{active} of {goals['total']} open" if goals["total"] else "0"


def _daemon_row(daemon: dict[str, Any]) -> list[str]:
    state = daemon["state"]
    if state == "running":
        parts = [f"running, pid {daemon['pid']}, {daemon['sessions']} sessions, up {_duration(daemon['uptime_s'])}"]
        parts += [f"model {daemon['model']['state']}"] if daemon.get("model") else []
        parts += [f"index {daemon['index']['state']}"] if daemon.get("index") else []
        return ["daemon", ", ".join(parts)]
    descriptions = {
        "none": "never started; the first session starts it",
        "silent": f"pid {daemon.get('pid')} holds its lock and does not answer; agentos doctor has details",
        "stopped": f"not running, ended {_time(daemon.get('stopped_at'))}; the next session starts it",
        "dead": f"not running, killed after {_time(daemon.get('last_seen_at'))}; the next session starts it",
    }
    return ["daemon", descriptions[state]]


def _daemons(daemons: Sequence[dict[str, Any]]) -> str:
    """Return a table of the daemons that share the store."""
    rows = [["daemon", "version", "since", "last seen", "clock"]]
    for each in daemons:
        name = f"{each['pid']} on {_cut(one_line(each['host']))}"
        clock = f"{each['skew_s']:+.1f} s"
        rows.append([name, each["version"], _time(each["started_at"]), _time(each["last_seen_at"]), clock])
    return _table(rows)


def _vectors_rows(facts: dict[str, Any]) -> list[list[str]]:
    vectors = facts["vectors"]
    if vectors["model"] is None:
        return [["vectors", f"none yet, {vectors['waiting']} memories wait"]]
    return [
        ["vectors", f"{vectors['count']} of {vectors['model']}, {vectors['waiting']} waiting"],
        ["index", f"at change {vectors['index_applied']} of {vectors['newest_change']}"],
    ]


def _backup_row(backup: dict[str, Any] | None, now: datetime) -> list[str]:
    if backup is None:
        return ["backup", "none; agentos backup makes one"]
    age = _duration((now - datetime.fromisoformat(backup["made_at"])).total_seconds())
    return ["backup", f"{backup['name']}, {age} ago, {bytes_counted(backup['bytes'])}"]


def _jobs(jobs: Sequence[dict[str, Any]], now: datetime) -> str:
    rows = [["job", "last run", "next run", "last error"]]
    for job in jobs:
        due = datetime.fromisoformat(job["next_due_at"]) <= now
        next_run = "due" if due else _time(job["next_due_at"])
        rows.append([job["name"], _time(job["last_finished_at"]), next_run, one_line(job["last_error"] or "-")])
    return _table(rows)


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Return aligned columns: numbers to the right, words to the left."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    right = [all(row[column][:1].isdigit() for row in rows[1:]) and len(rows) > 1 for column in range(len(widths))]
    lines = [
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines)


def _duration(seconds: float) -> str:
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds // length:.0f} {unit}"
    return f"{max(seconds, 0):.0f} s"


def _time(iso: str | None) -> str:
    if iso is None:
        return "never"
    return f"{datetime.fromisoformat(iso).replace(tzinfo=UTC).astimezone():%Y-%m-%d %H:%M}"
