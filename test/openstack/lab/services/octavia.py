from .. import place
from . import common, credentials

# exactly as long as octavia demands
PASSPHRASE = "a-passphrase-of-32-characters-ok"


def table():
    authority = place.state / "certs"
    return {
        "DEFAULT": {"transport_url": place.rabbit},
        "api_settings": {
            "bind_host": place.address,
            "auth_strategy": "keystone",
            "enabled_provider_drivers": "amphora:no data plane",
            "default_provider_driver": "amphora",
        },
        "oslo_messaging": {"topic": "octavia_prov"},
        "database": {"connection": place.database("octavia")},
        "service_auth": credentials(),
        "controller_worker": {
            "workers": 1,
            "amphora_driver": "amphora_noop_driver",
            "compute_driver": "compute_noop_driver",
            "image_driver": "image_noop_driver",
            "volume_driver": "volume_noop_driver",
            "distributor_driver": "distributor_noop_driver",
            "network_driver": "honest_lab",
            "loadbalancer_topology": "SINGLE",
            # one that names no network makes every member fail
            "amp_boot_network_list": "",
            "amp_flavor_id": 1,
            "amp_image_tag": "amphora",
            "client_ca": authority / "ca.pem",
        },
        # the flow signs certificates even for a balancer that does not exist
        "certificates": {
            "cert_generator": "local_cert_generator",
            "ca_certificate": authority / "ca.pem",
            "ca_private_key": authority / "ca.key",
            "ca_private_key_passphrase": place.PASSWORD,
            "server_certs_key_passphrase": PASSPHRASE,
        },
        "health_manager": {"heartbeat_key": "insecure"},
        "quotas": {f"default_{kind}_quota": -1 for kind in ("load_balancer", "listener", "member", "pool", "health_monitor")},
        **common(),
    }
