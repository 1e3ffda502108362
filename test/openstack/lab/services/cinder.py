from .. import place
from . import common, credentials, service_token


def table():
    backends = {
        f"store-{zone}": {
            "volume_driver": "honest_lab.volumes.LabVolumeDriver",
            "volume_backend_name": f"store-{zone}",
            "backend_availability_zone": zone,
        }
        for zone in place.ZONES
    }
    return {
        "DEFAULT": {
            "transport_url": place.rabbit,
            "state_path": place.state / "cinder",
            "my_ip": place.address,
            "host": "lab",
            "osapi_volume_listen": place.address,
            "osapi_volume_workers": 1,
            "api_paste_config": place.paste / "cinder.ini",
            "resource_query_filters_file": place.paste / "resource_filters.json",
            "auth_strategy": "keystone",
            "enabled_backends": list(backends),
            "default_volume_type": "__DEFAULT__",
            "default_availability_zone": place.ZONES[0],
            "storage_availability_zone": place.ZONES[0],
            "glance_api_servers": place.url("glance"),
            "quota_volumes": -1,
            "quota_gigabytes": -1,
        },
        **backends,
        "database": {"connection": place.database("cinder"), "max_pool_size": 5},
        "service_user": service_token(),
        "nova": credentials(),
        **common(),
    }
