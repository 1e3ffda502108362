"""A machine of stand-ins for the healer: its parts, its disks, and the API with Node, Lease and policy."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import heal
import policy
from api import ApiError

NOW, ME = 1_800_000_000.0, "demo-cp-a"


class Api:
    """Node, Lease, policy; away: nobody listens, full: etcd takes no writes."""

    port = 6443

    def __init__(self):
        self.annotations, self.lease, self.events, self.away, self.full = {}, None, [], False, False
        self.policy = {"data": {"self_heal": '{"enabled": true}'}}

    def get(self, path):
        return self.call("GET", path)

    def call(self, method, path, body=None, kind=None):
        if self.away:
            raise OSError("refused")
        if method == "GET":
            return (
                self.policy if "configmaps" in path else self.lease if "leases" in path else {"metadata": {"annotations": self.annotations}}
            )
        if self.full:
            raise ApiError(500, "database space exceeded")
        if "events" in path:
            self.events.append((body["type"], body["reason"], body["message"]))
        else:
            self.lease = dict(body, metadata=dict(body["metadata"], resourceVersion="1"))
        return {}


class Machine:
    def __init__(self, monkeypatch, folder, doc):
        self.api, self.mended, self.at, self.retired = Api(), [], 0, folder / "retired"
        self.boot = {"active": "active", "sub": "exited"}
        names = ["containerd", "kubelet"] + (["honest-etcd"] if doc["node"]["role"] == "control-plane" else [])
        self.parts = {n: {"active": "active", "sub": "running", "answers": True, "seconds": 9000.0, "restarts": 0} for n in names}
        self.others, self.alarm, self.disks = [True, True], False, []
        monkeypatch.setattr(heal.probe, "parts", self.look)
        monkeypatch.setattr(heal.probe, "units", lambda _: {"honest-boot": self.boot})
        monkeypatch.setattr(heal.probe, "disks", lambda: self.disks)
        monkeypatch.setattr(heal.probe, "alarmed", lambda: self.alarm)
        monkeypatch.setattr(heal.probe, "fragmentation", lambda: (300 << 20, 299 << 20))
        monkeypatch.setattr(heal.probe, "static_pods", lambda *_: [])
        monkeypatch.setattr(heal.probe, "last_words", lambda _: "no such flag")
        monkeypatch.setattr(heal.etcd, "addresses", lambda _: [])
        monkeypatch.setattr(heal.retire, "RETIRED", str(self.retired))
        monkeypatch.setattr(heal, "mend", self.mend)
        monkeypatch.setattr(heal.Healer, "others", lambda _: self.others)
        monkeypatch.setattr(heal.Healer, "addresses", lambda _: [])
        self.told = policy.Policy(self.api)
        self.healer = heal.Healer(self.api, doc, doc["node"]["name"], self.told, str(folder / "wish.json"))

    def look(self, _):
        return heal.probe.is_done(self.boot), {n: dict(p) for n, p in self.parts.items()}

    def mend(self, action, unit):
        self.mended.append((action, unit))
        self.parts[unit].update(active="active", sub="running", answers=True, seconds=0.0)

    def looks(self, count):
        for _ in range(count):
            self.told.read(NOW + self.at)
            self.healer.look(NOW + self.at)
            self.at += 10
        return json.loads(self.healer.text) if self.healer.text else None

    def stop(self, unit):
        self.parts[unit].update(active="inactive", sub="dead")

    def hang(self, unit):
        self.parts[unit].update(answers=False)
