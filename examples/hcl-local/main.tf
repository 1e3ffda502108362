# A cluster with two groups of workers on this computer: machines are containers of its Docker engine.
terraform {
  required_providers {
    honest = { source = "honest-paas/honest" }
  }
}

variable "name" {
  type    = string
  default = "hcl"
}

resource "honest_cluster" "this" {
  name    = var.name
  version = "1.36.3"
  iaas    = { local = {} }

  control_plane = { replicas = 1 }

  # a cluster that somebody uses leaves this out: it is protected then
  deletion_protection = false
}

resource "honest_node_group" "workers" {
  cluster        = honest_cluster.this.handle
  name           = "workers"
  scaling_config = { desired_size = 1 }
}

resource "honest_node_group" "batch" {
  cluster        = honest_cluster.this.handle
  name           = "batch"
  scaling_config = { desired_size = 1 }
  labels         = { "example.org/for" = "batch" }
  taint          = [{ key = "example.org/batch", effect = "NO_SCHEDULE" }]
}

output "endpoint" {
  value = honest_cluster.this.endpoint
}

output "blocks" {
  value = [for block in honest_cluster.this.blocks : "${block.action} ${block.type} ${block.name}"]
}
