resource "honest_boot" "cp_a" {
  spec = {
    cluster           = "demo"
    pool              = "cp"
    name              = "demo-cp-a"
    role              = "control-plane"
    version           = "1.36.3"
    template_epoch    = 1
    endpoint_name     = "api.demo.honest.internal"
    endpoint_port     = 6443
    pod_ipv4_cidr     = "10.244.0.0/16"
    service_ipv4_cidr = "10.96.0.0/16"
    cert_names        = ["127.0.0.1", "localhost"]
    component_flags   = {}
    shape = {
      instance_type = "local.cpu2.mem2048"
      image         = "honest-paas/machine:1.36.3"
      root_disk_gib = 20
    }
  }

  # May be unknown at plan; a change takes effect one apply later.
  late = {
    endpoint_address = "10.98.0.10"
    address          = "10.98.0.11"
    etcd_disk        = honest_local_disk.cp_a.device_id
    pki              = honest_pki.demo.bundle
    members          = { "demo-cp-a" = "10.98.0.11" }
  }

  born    = honest_pki.demo.born
  members = ["demo-cp-a"]
  # What each machine of the pool is to run, computed by the constructs; one machine an apply takes it.
  roster = { "demo-cp-a" = "r0123456789ab" }

  access = {
    endpoint       = "https://127.0.0.1:26443"
    ca_bundle      = honest_pki.demo.ca_cert
    client_ca_cert = honest_pki.demo.client_ca_cert
    client_ca_key  = honest_pki.demo.client_ca_key
  }
}
