from .. import place
from . import common, credentials, service_token


def table():
    return {
        "DEFAULT": {
            "transport_url": place.rabbit,
            "state_path": place.state / "nova",
            "my_ip": place.address,
            "compute_driver": "fake.FakeDriver",
            "osapi_compute_listen": place.address,
            "osapi_compute_workers": 1,
            "enabled_apis": "osapi_compute",
            "rpc_response_timeout": 60,
            "vif_plugging_is_fatal": False,
            "vif_plugging_timeout": 0,
            # the fake driver forgets its machines when it restarts; nova must not take that for a shutdown
            "sync_power_state_interval": -1,
            "running_deleted_instance_poll_interval": 0,
            "heal_instance_info_cache_interval": 0,
            "update_resources_interval": 300,
        },
        "api": {"auth_strategy": "keystone"},
        "wsgi": {"api_paste_config": place.paste / "nova.ini"},
        "api_database": {"connection": place.database("nova_api"), "max_pool_size": 5},
        "database": {"connection": place.database("nova"), "max_pool_size": 5},
        "conductor": {"workers": 1},
        "scheduler": {"workers": 1, "discover_hosts_in_cells_interval": -1},
        # no limit but those that a test sets for the project
        "quota": {"instances": -1, "cores": -1, "ram": -1, "key_pairs": -1, "server_groups": -1, "server_group_members": -1},
        "service_user": service_token(),
        "placement": credentials(),
        "neutron": credentials(),
        # a disk of one zone is never given to a machine of another
        "cinder": {"catalog_info": "volumev3:cinderv3:publicURL", "cross_az_attach": False, **credentials()},
        "glance": {"api_servers": place.url("glance")},
        "vnc": {"enabled": False},
        **common(),
    }
