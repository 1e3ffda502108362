"""What stands in for hypervisors, switches and disks: as little as lets the real services come to their real answers."""
