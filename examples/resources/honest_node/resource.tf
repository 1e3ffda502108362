resource "honest_node" "cp_a" {
  cluster    = "demo"
  name       = "demo-cp-a"
  role       = "control-plane"
  pool       = "cp"
  vm_id      = honest_local_machine.cp_a.id
  release    = honest_boot.cp_a.release
  address    = honest_local_machine.cp_a.ip_address
  members    = ["demo-cp-a"]
  token_seed = honest_pki.demo.token_seed

  access = {
    endpoint       = "https://127.0.0.1:26443"
    ca_bundle      = honest_pki.demo.ca_cert
    client_ca_cert = honest_pki.demo.client_ca_cert
    client_ca_key  = honest_pki.demo.client_ca_key
  }

  # The gate has to reach the API while it waits.
  depends_on = [honest_local_balancer.api]
}
