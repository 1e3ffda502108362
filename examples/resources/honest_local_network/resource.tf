resource "honest_local_network" "demo" {
  cluster = "demo"
  name    = "demo"
  cidr    = "10.98.0.0/24"
}
