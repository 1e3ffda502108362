from .. import place
from . import common, credentials

quotas = ("network", "subnet", "port", "router", "floatingip", "security_group", "security_group_rule")


def table():
    return {
        "DEFAULT": {
            "transport_url": place.rabbit,
            "state_path": place.state / "neutron",
            "bind_host": place.address,
            "core_plugin": "ml2",
            "service_plugins": "router",
            "auth_strategy": "keystone",
            "api_workers": 1,
            "rpc_workers": 0,
            "rpc_state_report_workers": 0,
            "dhcp_agent_notification": False,
            # so that a floating IP shows among the addresses of its server, as in any cloud
            "notify_nova_on_port_status_changes": True,
            "notify_nova_on_port_data_changes": True,
            "api_paste_config": place.paste / "neutron.ini",
        },
        "database": {"connection": place.database("neutron"), "max_pool_size": 10},
        "nova": credentials(),
        "quotas": {f"quota_{name}": -1 for name in quotas},
        "ml2": {
            "type_drivers": "local,flat,vxlan",
            "tenant_network_types": "vxlan",
            "mechanism_drivers": "honest_lab",
            "extension_drivers": "port_security",
        },
        "ml2_type_flat": {"flat_networks": "public,scarce"},
        "ml2_type_vxlan": {"vni_ranges": "1:4000"},
        "securitygroup": {"enable_security_group": True},
        **common(),
    }
