"""Which certificate is renewed next: tables over what was seen, the policy, the clock and whose turn it is."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "honest_agent"))
import certificates
import keeper

HOUR, DAY, NOW = 3600, 86400, 1_800_000_000
POLICY = {"lifetime": 90 * DAY, "renew_before": 30 * DAY}
FREE = {"known": True, "mine": False, "holder": None}
MINE = {"known": True, "mine": True, "holder": None}
OTHER = {"known": True, "mine": False, "holder": "cp-b"}
SILENT = {"known": False, "mine": False, "holder": None}


def leaf(name="apiserver-kubelet-client", left=60 * DAY, **over):
    ends = None if left is None else NOW + left
    plain = {
        "name": name,
        "by": "kit",
        "life": 90 * DAY,
        "ends": ends,
        "digest": "d",
        "changed": NOW - 10 * DAY,
        "ca_ends": NOW + 3650 * DAY,
    }
    return {"port": False, "served": None, "component": None, "loaded": None, "foreign": False, **plain, **over}


def served(name="apiserver", digest="d", left=60 * DAY, **over):
    return leaf(name, **{"port": True, "served": {"ends": NOW + left, "life": 90 * DAY, "digest": digest}, **over})


def seen(*leaves, signing=POLICY["lifetime"], authorities=None, stale=()):
    return {"leaves": list(leaves), "authorities": authorities or {}, "signing": signing, "stale": list(stale)}


def step(*leaves, lease=MINE, failed=None, started=None, policy=POLICY, **over):
    return certificates.next_step(seen(*leaves, **over), policy, lease, NOW, failed or {}, started or {})


def first(found):
    return found and found[:2]


@pytest.mark.parametrize(
    "left, policy, ca_left, due",
    [
        (60 * DAY, POLICY, 3650 * DAY, False),
        (30 * DAY + 1, POLICY, 3650 * DAY, False),
        (30 * DAY, POLICY, 3650 * DAY, True),
        (-DAY, POLICY, 3650 * DAY, True),
        (None, POLICY, 3650 * DAY, True),
        # the policy was made shorter
        (365 * DAY, POLICY, 3650 * DAY, True),
        (90 * DAY, POLICY, 3650 * DAY, False),
        # the authority ends with it: a new one would end no later
        (20 * DAY, POLICY, 20 * DAY, False),
        (10 * DAY, POLICY, 20 * DAY, True),
        (20 * DAY, POLICY, None, True),
        (61, {"lifetime": 180, "renew_before": 60}, 3650 * DAY, False),
        (60, {"lifetime": 180, "renew_before": 60}, 3650 * DAY, True),
    ],
)
def test_when_a_certificate_is_due(left, policy, ca_left, due):
    ca_ends = None if ca_left is None else NOW + ca_left
    assert (certificates.needs_new(leaf(left=left, ca_ends=ca_ends), policy, NOW) is not None) == due


DUE = 29 * DAY


@pytest.mark.parametrize(
    "what, lease, expected",
    [
        ("it is nobody's turn", FREE, ("take", "etcd-peer")),
        ("it is ours", MINE, ("renew", "etcd-peer")),
        ("another renews", OTHER, ("wait", "etcd-peer")),
        ("nobody can say", SILENT, ("wait", "etcd-peer")),
        ("ours, and the API is away", {"known": False, "mine": True, "holder": None}, ("renew", "etcd-peer")),
    ],
)
def test_one_control_plane_at_a_time(what, lease, expected):
    assert first(step(leaf("etcd-peer", DUE), lease=lease)) == expected, what


@pytest.mark.parametrize("left, expected", [(8 * DAY, "wait"), (7 * DAY, "renew"), (-1, "renew")])
def test_nearly_out_of_time_nobody_is_asked_when_the_api_is_silent(left, expected):
    """The API may be silent because its certificate has ended: renewing must not need it."""
    assert first(step(leaf("apiserver", left), lease=SILENT))[0] == expected
    # nor is another waited for: born together, their certificates end together, and the last turn may come too late
    assert first(step(leaf("apiserver", left), lease=OTHER))[0] == expected


def test_what_stops_something_is_done_beside_nobody():
    old = served(digest="old", left=-10, component="kube-apiserver")
    assert first(step(old, lease=OTHER)) == ("wait", "kube-apiserver")


def test_what_ended_while_served_goes_alone_too():
    old = served(digest="old", left=-10, component="kube-apiserver")
    assert first(step(old, lease=SILENT)) == ("restart", "kube-apiserver")


def test_the_turn_is_given_back_when_nothing_is_left():
    assert first(step(leaf())) == ("free", None)
    assert step(leaf(), lease=FREE) is None
    assert step(leaf(), lease=OTHER) is None
    assert step(leaf(), lease=SILENT) is None


@pytest.mark.parametrize(
    "what, first_leaf, expected",
    [
        ("not served yet: the next one waits", served(digest="old", changed=NOW - 5), ("wait", "apiserver")),
        ("the port is silent for a moment", served(served=None, changed=NOW - 5), ("wait", "apiserver")),
        ("served: on to the next", served(changed=NOW - 5), ("renew", "scheduler.conf")),
        (
            "not loaded by the API server",
            served(digest="old", changed=NOW - 91, component="kube-apiserver"),
            ("restart", "kube-apiserver"),
        ),
        ("etcd is reported, never stopped", served("etcd-peer", "old", changed=NOW - 91), ("renew", "scheduler.conf")),
        ("a port that was silent for long is not our doing", served(served=None, changed=NOW - 91), ("renew", "scheduler.conf")),
        (
            "a kubeconfig is read at the start only",
            leaf("controller-manager.conf", component="kube-controller-manager", loaded=False),
            ("restart", "kube-controller-manager"),
        ),
        (
            "it does not run: nobody to restart",
            leaf("controller-manager.conf", component="kube-controller-manager", loaded=None),
            ("renew", "scheduler.conf"),
        ),
    ],
)
def test_the_new_one_is_in_use_before_the_next(what, first_leaf, expected):
    assert first(step(first_leaf, leaf("scheduler.conf", DUE))) == expected, what


def test_a_pod_that_starts_is_waited_for():
    late = leaf("scheduler.conf", component="kube-scheduler", loaded=False)
    assert first(step(late, started={"kube-scheduler": NOW - 5})) == ("wait", "kube-scheduler")
    assert first(step(late, started={"kube-scheduler": NOW - 31})) == ("restart", "kube-scheduler")


def test_what_failed_is_left_alone_for_a_while_and_the_others_go_on():
    both = (leaf("admin.conf", DUE), leaf("scheduler.conf", DUE))
    assert first(step(*both)) == ("renew", "admin.conf")
    assert first(step(*both, failed={"admin.conf": NOW + 1})) == ("renew", "scheduler.conf")
    assert first(step(*both, failed={"admin.conf": NOW})) == ("renew", "admin.conf")
    assert first(step(both[0], failed={"admin.conf": NOW + 1})) == ("free", None)


def test_what_kubelets_are_given_follows_the_policy():
    assert first(step(leaf(), signing=DAY)) == ("restart", "kube-controller-manager")
    assert first(step(leaf(), signing=None)) == ("free", None)
    # certificates first: the restart comes with them
    assert first(step(leaf(left=DUE), signing=DAY))[0] == "renew"


def test_what_a_component_made_for_itself_is_made_anew_by_its_start():
    own = served("kube-scheduler", left=29 * DAY, by="component", component="kube-scheduler", ends=None, digest=None)
    assert first(step(own)) == ("restart", "kube-scheduler")
    # it lives for a year, so a window of ten years would restart it for ever
    ten_years = {"lifetime": 7300 * DAY, "renew_before": 3650 * DAY}
    fresh = dict(own, served={"ends": NOW + 364 * DAY, "digest": "x"})
    assert step(fresh, policy=ten_years, signing=ten_years["lifetime"], lease=FREE) is None


def test_kubelets_own_are_never_renewed_here():
    assert step(leaf("kubelet-client", -DAY, by="kubelet"), lease=FREE) is None


@pytest.mark.parametrize(
    "what, leaves, words",
    [
        ("all is well", [leaf(), served()], None),
        ("etcd serves an old one", [served("etcd-peer", "old", changed=NOW - 91)], "from before is still served"),
        ("a pod did not start anew", [leaf("scheduler.conf", component="kube-scheduler", loaded=False)], "kube-scheduler still runs"),
        ("a kubelet is late", [leaf("kubelet-client", 4 * DAY, by="kubelet")], "kubelet has not renewed kubelet-client"),
        ("a kubelet has time", [leaf("kubelet-client", 5 * DAY, by="kubelet")], None),
        ("a kubelet's own is shorter than the policy", [leaf("kubelet-client", 60, by="kubelet", life=600)], None),
        ("ours is late", [leaf(left=7 * DAY)], "apiserver-kubelet-client is not renewed yet, it ends 2027-01-22"),
        ("ours is due", [leaf(left=8 * DAY)], None),
        (
            "served is what counts",
            [served("kubelet-server", "old", left=DAY, by="kubelet")],
            "has not renewed kubelet-server",
        ),
    ],
)
def test_what_does_not_get_better_by_itself_is_said(what, leaves, words):
    said = certificates.problems(seen(*leaves), POLICY, NOW)
    assert said == [] if words is None else words in said[0], what


def test_an_authority_that_ends_is_said_in_time():
    ends = {"ca": NOW + 30 * DAY, "etcd-ca": NOW + 31 * DAY}
    assert [words[:33] for words in certificates.problems(seen(leaf(), authorities=ends), POLICY, NOW)] == [
        "the authority ca ends 2027-02-14T"
    ]


def test_the_report_names_what_is_on_the_disk_and_what_is_served():
    told = certificates.report(seen(leaf(left=0), served(left=DAY), leaf("broken", None), authorities={"ca": NOW}), "x")
    at = certificates.iso(NOW)
    assert told == {
        "items": {
            "apiserver-kubelet-client": {"not_after": at},
            "apiserver": {"not_after": certificates.iso(NOW + 60 * DAY), "served": certificates.iso(NOW + DAY)},
            "ca": {"not_after": at},
        },
        "problem": "x",
    }


DOCUMENT = {"leaf_seconds": 900, "node": {"role": "control-plane"}}


@pytest.mark.parametrize(
    "said, expected",
    [
        ({}, {"lifetime": 900, "renew_before": 300}),
        ({"lifetime_seconds": 600, "renew_before_seconds": 60}, {"lifetime": 600, "renew_before": 60}),
        ({"lifetime_seconds": 600}, {"lifetime": 600, "renew_before": 200}),
    ],
)
def test_the_policy_is_the_clusters_else_the_documents(said, expected):
    assert keeper.policy_of(said, DOCUMENT) == expected


@pytest.mark.parametrize("said", [{"lifetime_seconds": 600, "renew_before_seconds": 600}, {"lifetime_seconds": "x"}])
def test_a_policy_without_sense_is_refused(said):
    with pytest.raises(ValueError):
        keeper.policy_of(said, DOCUMENT)
