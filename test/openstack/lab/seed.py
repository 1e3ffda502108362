"""What an operator makes before there are customers. Run by Debian's Python, in steps: `people`, `wait`, `offer`."""

import sys
import time

import openstack

from lab import place

# what a newcomer's project is given: nothing of an administrator
member = ("member", "load-balancer_member")


def people(cloud):
    identity = cloud.identity
    roles = {role.name: role for role in identity.roles()}
    for name in ("service", "load-balancer_admin", "load-balancer_member"):
        if name not in roles:
            roles[name] = identity.create_role(name=name)

    def account(name, project_name, granted):
        project = identity.create_project(name=project_name, domain_id="default")
        user = identity.create_user(name=name, password=place.PASSWORD, domain_id="default")
        for role in granted:
            identity.assign_project_role_to_user(project, user, roles[role])

    account("svc", "service", ("admin", "service", "load-balancer_admin"))
    account("k8s", "k8s", member)
    admin = identity.find_user("admin")
    identity.assign_project_role_to_user(identity.find_project("admin"), admin, roles["load-balancer_admin"])
    catalog = (
        ("glance", "image", place.url("glance")),
        ("nova", "compute", place.url("nova-api") + "/v2.1"),
        ("placement", "placement", place.url("placement")),
        ("neutron", "network", place.url("neutron")),
        ("cinderv3", "volumev3", place.url("cinder-api") + "/v3/$(project_id)s"),
        ("octavia", "load-balancer", place.url("octavia-api")),
    )
    for name, kind, url in catalog:
        service = identity.create_service(name=name, type=kind)
        for interface in ("public", "internal", "admin"):
            identity.create_endpoint(service_id=service.id, interface=interface, url=url, region_id=place.REGION)


def wait(cloud):
    """Until every service of nova and cinder says that it is up."""
    end = time.monotonic() + 120
    seen = ""
    while time.monotonic() < end:
        try:
            nova = [service for service in cloud.compute.services() if service.state == "up"]
            cinder = cloud.block_storage.get("/os-services").json()["services"]
            hypervisors = [service for service in nova if service.binary == "nova-compute"]
            stores = [service for service in cinder if service["state"] == "up"]
            if len(hypervisors) >= len(place.ZONES) and len(nova) >= len(place.ZONES) + 2 and len(stores) >= len(place.ZONES) + 1:
                return
            seen = f"{nova} {cinder}"
        except Exception as problem:
            # an API that is not there yet fails in many ways; what it was is told at the end
            seen = repr(problem)
        time.sleep(1)
    raise SystemExit(f"nova and cinder are not up after 120 s: {seen}")


def offer(cloud):
    for name, processors, memory, disk in (("m1.small", 2, 2048, 20), ("m1.medium", 4, 4096, 40)):
        cloud.compute.create_flavor(name=name, vcpus=processors, ram=memory, disk=disk, is_public=True)
    image = {"disk_format": "raw", "container_format": "bare", "visibility": "public"}
    cloud.image.create_image(name="debian", data=b"not a disk", **image)
    for zone in place.ZONES:
        aggregate = cloud.compute.create_aggregate(name=zone, availability_zone=zone)
        cloud.compute.add_host_to_aggregate(aggregate, f"compute-{zone}")
    pool(cloud, "public", "203.0.113.0/24", "203.0.113.1", "203.0.113.10", "203.0.113.250")
    # enough for a router and for nothing else
    pool(cloud, "scarce", "198.51.100.0/24", "198.51.100.1", "198.51.100.10", "198.51.100.10")


def pool(cloud, name, cidr, gateway, start, end):
    physical = {"provider_network_type": "flat", "provider_physical_network": name}
    network = cloud.network.create_network(name=name, is_router_external=True, **physical)
    addresses = {"cidr": cidr, "gateway_ip": gateway, "allocation_pools": [{"start": start, "end": end}]}
    cloud.network.create_subnet(network_id=network.id, ip_version=4, is_dhcp_enabled=False, **addresses)


if __name__ == "__main__":
    {"people": people, "wait": wait, "offer": offer}[sys.argv[1]](openstack.connect(cloud="admin"))
