"""Tests do not touch the world: no programs, no sockets, no sleeping, unless a test says @pytest.mark.world or .engine."""

import socket
import subprocess
import time

import pytest


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


def pytest_collection_modifyitems(items):
    """Tests on machines need root and an engine; where there is none they say so instead of failing."""
    if not any(item.get_closest_marker("engine") for item in items):
        return
    from support import machine

    if machine.usable():
        return
    for item in items:
        if item.get_closest_marker("engine"):
            item.add_marker(pytest.mark.skip(reason="needs root and a container engine on this host"))
