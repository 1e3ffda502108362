"""Octavia's driver of compute that makes no machine attaches no port either. This does nova's part of it; addresses,
ports and security groups of a balancer are real ones of neutron, by octavia's own driver."""

from octavia.network.drivers.neutron import allowed_address_pairs


class LabNetworkDriver(allowed_address_pairs.AllowedAddressPairsDriver):
    def plug_port(self, amphora, port):
        made = self.neutron_client.update_port(port.id, {"port": {"device_id": amphora.compute_id}})
        return self._port_to_octavia_interface(amphora.compute_id, made["port"])

    def plug_network(self, compute_id, network_id):
        owner = allowed_address_pairs.OCTAVIA_OWNER
        port = {"network_id": network_id, "device_id": compute_id, "device_owner": owner, "name": "octavia-amp"}
        made = self.neutron_client.create_port({"port": port})
        return self._port_to_octavia_interface(compute_id, made["port"])

    def unplug_network(self, compute_id, network_id):
        self._delete_ports(device_id=compute_id, network_id=network_id)

    def deallocate_vip(self, vip):
        for amphora in vip.load_balancer.amphorae:
            if amphora.compute_id:
                self._delete_ports(device_id=amphora.compute_id)
        super().deallocate_vip(vip)

    def _delete_ports(self, **of):
        for port in self.neutron_client.list_ports(**of)["ports"]:
            self.neutron_client.delete_port(port["id"])
