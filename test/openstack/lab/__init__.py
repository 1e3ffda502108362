"""A small OpenStack on a loopback address: keystone, glance, placement, nova, neutron, cinder and octavia as Debian has
them, with the drivers that they bring for their own tests. Their APIs, databases, schedulers and policies are the real
ones; what is not there is everything behind a hypervisor: no machine boots and no packet moves."""
