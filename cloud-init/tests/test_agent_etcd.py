"""What an agent says of etcd, from what etcdctl says."""

import importlib.util
import json
import pathlib
import types

import pytest

SOURCE = pathlib.Path(__file__).parents[1] / "honest_agent" / "etcd.py"
spec = importlib.util.spec_from_file_location("honest_agent_etcd", SOURCE)
etcd = importlib.util.module_from_spec(spec)
spec.loader.exec_module(etcd)

# ids above 2^53, as etcd's are
A, B = 10276657743932975437, 14841639068965178418


def said(returncode, value=None):
    return types.SimpleNamespace(returncode=returncode, stdout=json.dumps(value) if value is not None else "")


@pytest.fixture
def answers(monkeypatch):
    given = {
        ("member", "list"): said(
            0,
            {
                "members": [
                    {"ID": B, "name": "demo-cp-b", "clientURLs": ["https://10.0.0.2:2379"]},
                    {"ID": A, "name": "demo-cp-a", "clientURLs": ["https://10.0.0.1:2379"]},
                    {"ID": 7, "isLearner": True},
                ]
            },
        ),
        ("endpoint", "status"): said(0, [{"Endpoint": "x", "Status": {"header": {"member_id": A}, "leader": B}}]),
        ("endpoint", "health"): said(0, []),
    }
    monkeypatch.setattr(etcd, "etcdctl", lambda *args, endpoints="": given[args])
    return given


def test_members_and_who_leads(answers):
    assert etcd.members() == [
        {"name": "", "id": "7", "learner": True, "answers": False, "leader": False},
        {"name": "demo-cp-a", "id": "%x" % A, "learner": False, "answers": True, "leader": False},
        {"name": "demo-cp-b", "id": "%x" % B, "learner": False, "answers": True, "leader": True},
    ]


def test_nobody_leads_when_the_local_member_cannot_say(answers):
    answers[("endpoint", "status")] = said(1)
    assert [m["leader"] for m in etcd.members()] == [False, False, False]


def test_no_report_without_a_list(answers):
    answers[("member", "list")] = said(1)
    assert etcd.members() is None
