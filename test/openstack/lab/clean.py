"""Takes away everything that the tests' project has: what a run that was cut off has left. Run by Debian's Python."""

import time

import openstack


def clean(cloud):
    network = cloud.network
    mine = {"project_id": cloud.current_project_id}
    # a balancer takes its listeners, pools and members with it, and its port
    balancers = list(cloud.load_balancer.load_balancers())
    for balancer in balancers:
        cloud.load_balancer.delete_load_balancer(balancer, cascade=True)
    servers = list(cloud.compute.servers())
    for server in servers:
        cloud.compute.delete_server(server, ignore_missing=True)
    until_none(lambda: list(cloud.load_balancer.load_balancers()), "load balancers")
    until_none(lambda: list(cloud.compute.servers()), "servers")
    for group in cloud.compute.server_groups():
        cloud.compute.delete_server_group(group)
    for volume in cloud.block_storage.volumes():
        cloud.block_storage.delete_volume(volume)
    until_none(lambda: list(cloud.block_storage.volumes()), "volumes")
    for address in network.ips(**mine):
        network.delete_ip(address)
    for router in network.routers(**mine):
        for port in network.ports(device_id=router.id, device_owner="network:router_interface"):
            network.remove_interface_from_router(router, port_id=port.id)
        network.delete_router(router)
    for port in network.ports(**mine):
        network.delete_port(port)
    for one in network.networks(**mine):
        network.delete_network(one)
    for group in network.security_groups(**mine):
        if group.name != "default":
            network.delete_security_group(group)


def until_none(find, what):
    end = time.monotonic() + 120
    while found := find():
        if time.monotonic() > end:
            raise SystemExit(f"{what} are still there after 120 s: {found}")
        time.sleep(1)


if __name__ == "__main__":
    clean(openstack.connect(cloud="k8s"))
