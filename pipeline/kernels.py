"""Kernels that start at once: one process imports the core and proves its theorems, and every
kernel of a build is forked from it.

Nothing is believed from a file: a kernel holds the very judgments that were proved before the fork.
`python -m pipeline.kernels ADDRESS OWNER` is that process; it ends when the process OWNER does.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from pipeline.files import BUILD, core

if TYPE_CHECKING:  # a build that has nothing to execute proves nothing
    from polycore.proof import Theorem

OWNER = os.getpid()  # doit's first process: its workers are forked from it, and keep this number
ADDRESS = Path(tempfile.gettempdir(), f"companion-{OWNER}.socket")
SPEC = {
    "argv": [
        sys.executable,
        "-ISs",
        str(Path(__file__).with_name("kernel.py")),
        "{connection_file}",
    ],
    "display_name": "Python 3",
    "language": "python",
}
NAME = "forked"
PR_SET_PDEATHSIG = 1
# When Python looks for garbage. As it is by default, whenever 700 objects are new, it looks through
# the terms of all proofs again and again, a sixth of a kernel's time; and they are not garbage.
COLLECT = 100_000, 50, 100
# what begins so imports JAX, which has threads and cannot be forked
UNLIKE = "polycore.ranks.training", "polycore.ranks.degree_experiment", "polycore.trained"


def die_with_parent() -> None:
    """On Linux: be killed when the process that forked this one ends, whatever ended it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def offered(folder: str | Path, settings: dict[str, str]) -> str:
    """The name of the kernel to start, described in ``folder``; the server runs from then on."""
    with open(BUILD / "kernels.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ADDRESS.exists():
            start(settings)
    described = Path(folder, "kernels", NAME, "kernel.json")
    described.parent.mkdir(parents=True)
    described.write_text(json.dumps(SPEC))
    os.environ.update(JUPYTER_PATH=str(folder), KERNELS=str(ADDRESS))
    return NAME


def call(function: str) -> None:
    """Call a function of the build, ``module:name``, in a fork that holds all proofs; here, where
    there is no server. What it returns is lost.
    """
    if not ADDRESS.exists():
        resolve(function)()
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        connection.connect(str(ADDRESS))
        told = {"call": function, "environment": dict(os.environ), "folder": os.getcwd()}
        socket.send_fds(connection, [json.dumps(told).encode()], [1, 2])
        connection.recv(32)
        if connection.recv(1) != b"+":
            raise RuntimeError(f"{function} failed; the reason stands above")


def resolve(function: str) -> Callable[[], object]:
    module, _, name = function.partition(":")
    return getattr(importlib.import_module(module), name)


def start(settings: dict[str, str]) -> None:
    """Start the server and wait until it answers; the error has what it said where it does not."""
    command = [sys.executable, "-m", "pipeline.kernels", str(ADDRESS), str(OWNER)]
    with tempfile.TemporaryFile("w+") as said:
        server = subprocess.Popen(
            command, env=os.environ | settings, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )
        while not ADDRESS.exists():
            if server.poll() is not None:
                said.seek(0)
                raise RuntimeError(
                    f"the process that kernels are forked from ended:\n{said.read()}"
                )
            time.sleep(0.05)


def theorems() -> Iterator[Theorem]:
    """Import what chapters import; every theorem of the core."""
    import ipykernel.kernelapp  # noqa: F401  a kernel is forked with it
    import matplotlib.pyplot  # noqa: F401  and with it

    from polycore.proof import Theorem

    rooms = [importlib.import_module(name) for name in core() if not name.startswith(UNLIKE)]
    return (one for room in rooms for one in vars(room).values() if isinstance(one, Theorem))


def serve(address: Path, owner: int, unproved: Iterator[Theorem]) -> None:
    """Fork a kernel for each connection, and prove a theorem between two, until ``owner`` ends.

    So no core waits for proofs: the first kernels do without those of which it is not yet the turn.
    """
    os.umask(0o077)
    ended = os.pidfd_open(owner)  # can be read from the moment at which it ends
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        address.unlink(missing_ok=True)
        listening.bind(f"{address}.new")
        listening.listen(64)
        os.rename(f"{address}.new", address)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a kernel that ended
        working = True
        try:
            while True:
                ready, _, _ = select.select(
                    [ended, listening.fileno()], [], [], 0 if working else None
                )
                if ended in ready:
                    return
                if ready:
                    fork(listening)
                else:
                    working = prove(next(unproved, None))
        finally:
            address.unlink(missing_ok=True)


def prove(theorem: Theorem | None) -> bool:
    """Whether there was one to prove; its queries are written as well, which takes as long."""
    if theorem is None:
        gc.collect()
        gc.freeze()  # what is shared stays shared: no collection writes to it
        return False
    return bool(theorem.queries)


def fork(listening: socket.socket) -> None:
    """A kernel for who connected."""
    connection, _ = listening.accept()
    if os.fork() == 0:
        listening.close()
        run(connection)
    connection.close()


def run(connection: socket.socket) -> NoReturn:
    """In the fork: be the kernel that was asked for, until it is done or nobody wants it."""
    die_with_parent()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    told, descriptors, _, _ = socket.recv_fds(connection, 2**20, 2)
    for place, descriptor in zip((1, 2), descriptors):
        os.dup2(descriptor, place)
    asked = json.loads(told)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    connection.send(str(os.getpid()).encode())
    threading.Thread(target=lambda: connection.recv(1) or os._exit(1), daemon=True).start()
    try:
        work(asked)
        connection.send(b"+")
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(0)


def work(asked: dict[str, Any]) -> None:
    from ipykernel.kernelapp import launch_new_instance

    resolve(asked["call"])() if "call" in asked else launch_new_instance(argv=asked["arguments"])


if __name__ == "__main__":
    gc.set_threshold(*COLLECT)
    serve(Path(sys.argv[1]), int(sys.argv[2]), theorems())
