from .. import place
from . import common


def table():
    return {
        "DEFAULT": {"bind_host": place.address, "workers": 0, "enabled_backends": "file:file"},
        "glance_store": {"default_backend": "file"},
        "file": {"filesystem_store_datadir": place.state / "images"},
        "database": {"connection": place.database("glance")},
        "paste_deploy": {"flavor": "keystone", "config_file": place.paste / "glance.ini"},
        **common(),
    }
