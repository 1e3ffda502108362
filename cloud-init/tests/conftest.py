"""Tests do not touch the world: no programs, no sockets, no sleeping, unless a test says @pytest.mark.world or .engine."""

import signal
import socket
import subprocess
import time

import pytest

pytest_plugins = ["support.etc_kubernetes"]


@pytest.fixture(autouse=True)
def no_world(request, monkeypatch):
    if request.node.get_closest_marker("world") or request.node.get_closest_marker("engine"):
        return

    def refuse(*args, **kwargs):
        raise AssertionError("this test touches the world: %r" % (args,))

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(subprocess, "run", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(time, "sleep", refuse)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Tests on machines say why they are skipped where no machine can be made; elsewhere they begin on clean ground."""
    chosen = [item for item in items if item.get_closest_marker("engine")]
    if not chosen:
        return
    from support import lab

    why = lab.why_not()
    if why is None:
        lab.sweep()
        return
    for item in chosen:
        item.add_marker(pytest.mark.skip(reason=why))


def pytest_configure():
    """A run that is told to end takes its machines away, as after ctrl-C."""

    def end(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)
