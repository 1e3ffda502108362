resource "honest_local_disk" "cp_a" {
  cluster  = "demo"
  name     = "demo-cp-a-etcd"
  size_gib = 4
  zone     = "a"
}
