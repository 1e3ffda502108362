resource "honest_local_balancer" "api" {
  cluster        = "demo"
  name           = "demo-api"
  network_id     = honest_local_network.demo.id
  address        = "10.98.0.10"
  image          = "honest-paas/machine:1.36.3"
  backends       = { "demo-cp-a" = "10.98.0.11:6443" }
  port           = 6443
  published_port = 26443
}
