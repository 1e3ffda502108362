resource "honest_cluster" "prod" {
  name    = "prod"
  version = "1.36.3"
  iaas    = { local = {} }

  control_plane = {
    replicas    = 3
    etcd_volume = { size_gib = 8 }
  }

  upgrade_policy = {
    maintenance_window = { days = ["tuesday"], hour = 3, duration_hours = 4, timezone = "Europe/Berlin" }
  }
}
