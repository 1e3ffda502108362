"""What an agent says of etcd, from what etcd answers over HTTP."""

import importlib.util
import pathlib
import sys

import pytest

SOURCE = pathlib.Path(__file__).parents[1] / "honest_agent" / "etcd.py"
sys.path.insert(0, str(SOURCE.parent))
spec = importlib.util.spec_from_file_location("honest_agent_etcd", SOURCE)
etcd = importlib.util.module_from_spec(spec)
spec.loader.exec_module(etcd)

# ids above 2^53, as etcd's are
A, B = 10276657743932975437, 14841639068965178418


@pytest.fixture
def answers(monkeypatch):
    """By address and path; None = no answer."""
    given = {
        ("127.0.0.1", "/v3/cluster/member/list"): {
            "members": [
                {"ID": str(B), "name": "demo-cp-b", "clientURLs": ["https://10.0.0.2:2379"]},
                {"ID": str(A), "name": "demo-cp-a", "clientURLs": ["https://10.0.0.1:2379"]},
                {"ID": "7", "isLearner": True},
            ]
        },
        ("127.0.0.1", "/v3/maintenance/status"): {"header": {"member_id": str(A)}, "leader": str(B)},
        ("10.0.0.1", "/v3/kv/range"): {},
        ("10.0.0.2", "/v3/kv/range"): {},
    }
    monkeypatch.setattr(etcd, "ask", lambda address, path, body: given[(address, path)])
    return given


def test_members_and_who_leads(answers):
    assert etcd.members() == [
        {"name": "", "id": "7", "learner": True, "answers": False, "leader": False},
        {"name": "demo-cp-a", "id": "%x" % A, "learner": False, "answers": True, "leader": False},
        {"name": "demo-cp-b", "id": "%x" % B, "learner": False, "answers": True, "leader": True},
    ]


def test_nobody_leads_when_the_local_member_cannot_say(answers):
    answers[("127.0.0.1", "/v3/maintenance/status")] = None
    assert [m["leader"] for m in etcd.members()] == [False, False, False]


def test_no_report_without_a_list(answers):
    answers[("127.0.0.1", "/v3/cluster/member/list")] = None
    assert etcd.members() is None
    assert etcd.addresses("demo-cp-a") == []


def test_a_member_that_does_not_confirm_a_read_does_not_answer(answers):
    answers[("10.0.0.2", "/v3/kv/range")] = None
    assert [(m["name"], m["answers"]) for m in etcd.members()] == [("", False), ("demo-cp-a", True), ("demo-cp-b", False)]


def test_addresses_of_the_others_without_learners(answers):
    assert etcd.addresses("demo-cp-a") == ["10.0.0.2"]
