terraform import honest_local_disk.cp_a demo/demo-cp-a-etcd
