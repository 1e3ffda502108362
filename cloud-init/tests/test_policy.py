"""What the cluster wants of its agents: asked for seldom, and the last word stands while nobody answers."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import policy


class Api:
    def __init__(self):
        self.answers, self.asked = {"data": {"certificates": '{"lifetime_seconds": 600}'}}, 0

    def get(self, _path):
        self.asked += 1
        if isinstance(self.answers, Exception):
            raise self.answers
        return self.answers


def test_is_asked_for_each_half_minute_and_kept_while_nobody_answers():
    api = Api()
    told = policy.Policy(api)
    for at in range(0, 29):
        told.read(1000.0 + at)
    assert api.asked == 1
    assert told.part("certificates") == {"lifetime_seconds": 600}
    assert told.part("backup") == {}
    api.answers = OSError("refused")
    told.read(1030.0)
    assert api.asked == 2 and told.part("certificates") == {"lifetime_seconds": 600}
    # the ConfigMap was deleted: nobody wishes anything
    api.answers = None
    told.read(1060.0)
    assert told.part("certificates") == {}


def test_a_clock_that_was_set_back_does_not_hold_it_up():
    api = Api()
    told = policy.Policy(api)
    told.read(1000.0)
    told.read(10.0)
    assert api.asked == 2


def test_a_part_that_is_no_json_is_refused():
    api = Api()
    api.answers = {"data": {"certificates": "no JSON"}}
    told = policy.Policy(api)
    told.read(1000.0)
    with pytest.raises(ValueError):
        told.part("certificates")
