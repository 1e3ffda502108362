"""One file a service: the table of its settings. What all of them share is here."""

from .. import place


def credentials():
    """Of the services towards each other."""
    return {
        "auth_type": "password",
        "auth_url": f"{place.url('keystone')}/v3",
        "username": "svc",
        "password": place.PASSWORD,
        "project_name": "service",
        "user_domain_name": "Default",
        "project_domain_name": "Default",
        "region_name": place.REGION,
    }


def service_token():
    """Since CVE-2023-2088 cinder detaches a volume only for nova itself, which shows by a second token."""
    return {"send_service_user_token": True, **credentials()}


def common():
    return {
        "keystone_authtoken": {
            "www_authenticate_uri": f"{place.url('keystone')}/v3",
            "service_token_roles": "service",
            "service_token_roles_required": True,
            **credentials(),
        },
        "oslo_concurrency": {"lock_path": place.state / "lock"},
        "oslo_messaging_rabbit": {"heartbeat_in_pthread": False},
    }
