"""The services of OpenStack: what each runs as, and by what one knows that it works."""

from . import place, processes


def file(name):
    return place.settings / f"{name}.conf"


def module(path, *arguments):
    """Debian's packages with the daemons are not installed; their main functions are in the libraries."""
    return [place.PYTHON, "-c", f"import sys; from {path} import main; sys.argv[0] = '{path}'; sys.exit(main())", *arguments]


def oslo(path, *settings):
    return module(path, *(word for name in settings for word in ("--config-file", file(name))))


def web(application, service, threads):
    bind = f"{place.address}:{place.ports[service]}"
    flags = ["-w", "1", "-k", "gthread", "--threads", threads, "-b", bind, "--timeout", "120", "--keep-alive", "30"]
    return [place.PYTHON, "-m", "gunicorn", *flags, f"honest_lab.wsgi:{application}"]


first = {
    "keystone": web("keystone()", "keystone", 4),
    "placement": web("placement()", "placement", 2),
}
rest = {
    "glance": oslo("glance.cmd.api", "glance"),
    "neutron": oslo("neutron.cmd.eventlet.server", "neutron"),
    "nova-conductor": oslo("nova.cmd.conductor", "nova"),
    "nova-scheduler": oslo("nova.cmd.scheduler", "nova"),
    "nova-api": oslo("nova.cmd.api_os_compute", "nova"),
    "cinder-api": oslo("cinder.cmd.api", "cinder"),
    "cinder-scheduler": oslo("cinder.cmd.scheduler", "cinder"),
    "cinder-volume": oslo("cinder.cmd.volume", "cinder"),
    "octavia-api": web(f"octavia('{file('octavia')}')", "octavia-api", 4),
    "octavia-worker": oslo("octavia.cmd.octavia_worker", "octavia"),
}
# after placement answers: they write themselves into it
hypervisors = {f"nova-compute-{zone}": oslo("nova.cmd.compute", "nova", f"compute-{zone}") for zone in place.ZONES}

every = {**first, **rest, **hypervisors}


def start(some):
    for name in some:
        processes.start(name, every[name])


def work(some):
    for name in some:
        if name in place.ports:
            processes.answers(name, place.url(name) + ("/v3" if name == "keystone" else "/"))
