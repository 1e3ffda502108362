resource "honest_barrier" "demo" {
  cluster           = "demo"
  version           = "1.36.3"
  uid               = honest_pki.demo.uid
  pod_ipv4_cidr     = "10.244.0.0/16"
  service_ipv4_cidr = "10.96.0.0/16"
  endpoint_name     = "api.demo.honest.internal"
  members           = { "demo-cp-a" = "10.98.0.11" }
  token_seed        = honest_pki.demo.token_seed

  workers = {
    "demo-workers-a-0" = {
      vm_id   = honest_local_machine.worker.id
      release = honest_boot.worker.release
      address = honest_local_machine.worker.ip_address
    }
  }

  access = {
    endpoint       = "https://127.0.0.1:26443"
    ca_bundle      = honest_pki.demo.ca_cert
    client_ca_cert = honest_pki.demo.client_ca_cert
    client_ca_key  = honest_pki.demo.client_ca_key
  }

  # Every block of the cluster: destroy begins here.
  depends_on = [
    honest_local_network.demo,
    honest_local_balancer.api,
    honest_local_disk.cp_a,
    honest_local_machine.cp_a,
    honest_node.cp_a,
  ]
}
