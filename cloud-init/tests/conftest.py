"""Tests do not touch the world: no programs, no sockets, no sleeping, unless a test says @pytest.mark.world."""

import socket
import subprocess
import time

import pytest


@pytest.fixture(autouse=True)
def no_world(request, monkeypatch):
    if request.node.get_closest_marker("world"):
        return

    def refuse(*args, **kwargs):
        raise AssertionError("this test touches the world: %r" % (args,))

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(subprocess, "run", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(time, "sleep", refuse)
