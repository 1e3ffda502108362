resource "honest_pki" "demo" {
  cluster  = "demo"
  endpoint = "https://127.0.0.1:26443"
}
