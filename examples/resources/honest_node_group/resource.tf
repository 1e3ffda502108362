resource "honest_node_group" "workers" {
  cluster = honest_cluster.prod.handle
  name    = "workers"

  scaling_config = { desired_size = 3, min_size = 1, max_size = 10 }
  instance_types = ["local.cpu2.mem2048"]
  labels         = { tier = "web" }

  # another name is another group: the new one serves before the old one is drained
  lifecycle {
    create_before_destroy = true
  }
}
