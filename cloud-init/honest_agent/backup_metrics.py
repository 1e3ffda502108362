"""Snapshots as metrics: a text file that node_exporter's textfile collector reads. No port is opened for it."""

import os

FILE = "/var/lib/honest-paas/metrics/snapshots.prom"


def lines(report):
    """report: what stands on the Node. What is not there yet has no line: a missing series is not a zero."""
    last, uploaded, drill = report["last"] or {}, report["uploaded"] or {}, report["drill"] or {}
    values = (
        ("schedule_seconds", "Time between two snapshots; 0 = none by schedule.", report["schedule_seconds"]),
        ("last_timestamp_seconds", "When the last good one was taken.", last.get("at")),
        ("last_size_bytes", "Size of the last good one.", last.get("size")),
        ("last_revision", "etcd's revision in it.", last.get("revision")),
        ("last_keys", "Keys in it.", last.get("keys")),
        ("held", "Good snapshots on this disk.", len(report["held"])),
        ("uploaded_timestamp_seconds", "When the last one that this node has sent to the target was taken.", uploaded.get("taken")),
        ("drill_timestamp_seconds", "When a restore was last tried with success.", drill.get("at")),
        ("drill_objects", "Objects that it brought back.", drill.get("objects")),
        ("drill_duration_seconds", "How long it took.", drill.get("seconds")),
    )
    made = []
    for name, words, value in values:
        if value is not None:
            full = "honest_paas_snapshot_" + name
            made += ["# HELP %s %s" % (full, words), "# TYPE %s gauge" % full, "%s %s" % (full, value)]
    full = "honest_paas_snapshot_failing"
    made += ["# HELP %s 1 while the last try failed." % full, "# TYPE %s gauge" % full]
    made += ['%s{what="%s"} %d' % (full, what, what in report["failed"]) for what in ("drill", "take", "upload")]
    return "".join(line + "\n" for line in made)


def write(report, path=FILE):
    os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
    with open(path + ".part", "w", encoding="utf-8") as f:
        os.chmod(path + ".part", 0o644)
        f.write(lines(report))
    os.rename(path + ".part", path)
