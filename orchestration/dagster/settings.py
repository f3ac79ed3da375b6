"""Dagster's settings of this checkout: the file `.dagster/dagster.yaml`, which belongs to the user.

Belongs here: writing the file once, adding what it lacks, naming its folder in .env. Not here: opening the
instance (instance.py).

Two keys are not the user's to choose: where the storage is follows from SILVERLOOM_DAGSTER_POSTGRES, and how
many runs are in progress at once from params.yaml, if `engine.partitions` is set there and the user has no
run coordinator of their own. Any other key stays as it is in the file, with its comments. A key that the file
lacks is added with our value.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from dotenv import dotenv_values, set_key
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from silverloom.orchestration.compat import NO_CAPTURE, ONE_EVENT_LOG
from silverloom.orchestration.executors.parts import engine_params
from silverloom.orchestration.files.publish import write_changed
from silverloom.orchestration.workspace import postgres

#: The settings of Dagster's servers, and of this project's own commands. The commands capture no output of
#: runs: capture takes over the whole process's output, including the progress display, and starts four
#: processes per run.
SERVERS, COMMANDS = "dagster.yaml", "commands.yaml"

#: Storage on a server: the settings name the variable, never its content.
_POSTGRES = f"""
storage:
  postgres:
    postgres_url: {{env: {postgres.DAGSTER}}}
""".encode()

#: Keys of a user that Dagster refuses beside our `concurrency`.
_INSTEAD_OF_QUEUE = ("run_queue", "run_coordinator")

#: The keys that say where Dagster's storage is. A file may have those that we write, and no others.
_STORAGE = ("storage", "run_storage", "event_log_storage", "schedule_storage")


_CORRECT = "correct it, or remove it to get the default settings"


def prepare(home: Path, on_server: bool) -> None:
    """Write the settings into Dagster's home, and tell Dagster's own commands where it is.

    Raises RuntimeError as `write_settings` does.
    """
    write_settings(home, on_server)
    _tell_dagster(home)


def _tell_dagster(home: Path) -> None:
    """Set DAGSTER_HOME in .env, where Dagster's own commands look for it. Other lines of .env stay.

    A Postgres URL in .env gets the driver name that Dagster's commands need.
    """
    place = home.parent / ".env"
    with contextlib.suppress(OSError, UnicodeDecodeError):  # the project's own commands do not need .env
        said = dotenv_values(place)
        wanted = {"DAGSTER_HOME": str(home)}
        if server := said.get(postgres.DAGSTER):
            wanted[postgres.DAGSTER] = postgres.with_driver(server)
        for name, value in wanted.items():
            if said.get(name) != value:
                set_key(place, name, value)


def write_settings(home: Path, on_server: bool) -> None:
    """Write the settings into Dagster's home, or add to the user's what they lack.

    Raises RuntimeError if the user's settings are unreadable, or set the storage, which follows from an
    environment variable.
    """
    path = home / SERVERS
    settings = _read(path) or _load(configuration(on_server))
    former = _dump(settings)
    _set_storage(path, settings, on_server)
    for key, value in _load(configuration(on_server)).items():
        if key != "concurrency" or not any(other in settings for other in _INSTEAD_OF_QUEUE):
            settings.setdefault(key, value)
    _set_queue(settings)
    if not path.is_file() or _dump(settings) != former:
        write_changed(path, _dump(settings))
    write_changed(home / COMMANDS, _dump({**settings, **_load(NO_CAPTURE)}))


def configuration(on_server: bool = False) -> bytes:
    """Return our settings, for a storage in SQLite files or on a Postgres server."""
    text = (Path(__file__).parent / SERVERS).read_bytes()
    return text + (_POSTGRES if on_server else ONE_EVENT_LOG)


def _read(path: Path) -> MutableMapping[str, Any] | None:
    """Return the settings in a file, or None if there are none. Raises RuntimeError if it is no mapping."""
    try:
        settings = _load(path.read_bytes()) if path.exists() else None
    except (YAMLError, UnicodeDecodeError) as error:
        raise RuntimeError(f"{path}: {' '.join(str(error).split())}; {_CORRECT}") from None
    if settings is not None and not isinstance(settings, MutableMapping):
        raise RuntimeError(f"{path}: it holds no mapping; {_CORRECT}")
    return settings


def _set_storage(path: Path, settings: MutableMapping[str, Any], on_server: bool) -> None:
    """Set the storage that the environment asks for, if the present one is ours or there is none."""
    ours = {**_load(_POSTGRES), **_load(ONE_EVENT_LOG)}
    for key in _STORAGE:
        if key in settings and settings[key] != ours.get(key):
            raise RuntimeError(
                f"{path}: remove the key `{key}`; silverloom itself sets the storage: SQLite files "
                f"in this folder, or the server in {postgres.DAGSTER} of .env"
            )
        if key not in (_load(_POSTGRES) if on_server else _load(ONE_EVENT_LOG)):
            settings.pop(key, None)


def _set_queue(settings: MutableMapping[str, Any]) -> None:
    """Limit the runs in progress as params.yaml says, unless it says nothing or a coordinator is set."""
    if (partitions := engine_params().partitions) is None or "run_coordinator" in settings:
        return
    concurrency = settings.get("concurrency") or {}
    # Dagster refuses the queue's number beside these
    in_concurrency = "runs" in concurrency or "pools" in concurrency
    holder, key = (concurrency, "runs") if in_concurrency else (settings, "run_queue")
    holder[key] = holder.get(key) or {}
    holder[key]["max_concurrent_runs"] = partitions


def _load(text: bytes) -> Any:
    return YAML().load(text)


def _dump(settings: MutableMapping[str, Any]) -> bytes:
    stream = io.BytesIO()
    YAML().dump(settings, stream)
    return stream.getvalue()
