"""Writes what the services read: one INI file each, from the tables of the folder `services`, and what clients read."""

import importlib
import json

from . import place

services = ("keystone", "placement", "glance", "nova", "neutron", "cinder", "octavia")


def write():
    for folder in (place.settings, place.logs, place.pids, place.state / "lock", place.state / "images", place.state / "certs"):
        folder.mkdir(parents=True, exist_ok=True)
    for service in services:
        table = importlib.import_module(f"lab.services.{service}").table
        (place.settings / f"{service}.conf").write_text(ini(table()))
    for zone in place.ZONES:
        (place.settings / f"compute-{zone}.conf").write_text(ini({"DEFAULT": {"host": f"compute-{zone}"}}))
    clouds = {name: cloud(name) for name in ("admin", "k8s")}
    # JSON is YAML
    (place.settings / "clouds.yaml").write_text(json.dumps({"clouds": clouds}, indent=2))
    # terraform runs as a user without any right beyond its project
    (place.root / "environment.json").write_text(json.dumps(user_environment("k8s"), indent=2))


def ini(table):
    lines = []
    for section, values in table.items():
        lines += [f"[{section}]", *(f"{key} = {text(value)}" for key, value in values.items()), ""]
    return "\n".join(lines)


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(value)
    return str(value)


def cloud(user):
    names = {"username": user, "project_name": user, "user_domain_name": "Default", "project_domain_name": "Default"}
    return {"auth": {"auth_url": f"{place.url('keystone')}/v3", "password": place.PASSWORD, **names}, "region_name": place.REGION}


def user_environment(user):
    return {
        "OS_AUTH_URL": f"{place.url('keystone')}/v3",
        "OS_USERNAME": user,
        "OS_PASSWORD": place.PASSWORD,
        "OS_PROJECT_NAME": user,
        "OS_USER_DOMAIN_NAME": "Default",
        "OS_PROJECT_DOMAIN_NAME": "Default",
        "OS_REGION_NAME": place.REGION,
    }
