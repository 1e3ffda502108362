resource "honest_local_machine" "cp_a" {
  cluster          = "demo"
  name             = "demo-cp-a"
  network_id       = honest_local_network.demo.id
  address          = "10.98.0.11"
  zone             = "a"
  image            = honest_boot.cp_a.image
  instance_type    = honest_boot.cp_a.instance_type
  root_disk_gib    = honest_boot.cp_a.root_disk_gib
  user_data_base64 = honest_boot.cp_a.user_data
  disk_ids         = [honest_local_disk.cp_a.id]
}
