ephemeral "honest_kubeconfig" "demo" {
  cluster     = "demo"
  ttl_minutes = 15

  access = {
    endpoint       = "https://127.0.0.1:26443"
    ca_bundle      = honest_pki.demo.ca_cert
    client_ca_cert = honest_pki.demo.client_ca_cert
    client_ca_key  = honest_pki.demo.client_ca_key
  }
}

provider "kubernetes" {
  host = "https://127.0.0.1:26443"

  client_certificate     = base64decode(yamldecode(ephemeral.honest_kubeconfig.demo.kubeconfig).users[0].user["client-certificate-data"])
  client_key             = base64decode(yamldecode(ephemeral.honest_kubeconfig.demo.kubeconfig).users[0].user["client-key-data"])
  cluster_ca_certificate = honest_pki.demo.ca_cert
}
