terraform {
  required_providers {
    honest = {
      source  = "honest-paas/honest"
      version = "~> 0.1"
    }
  }
}

provider "honest" {
  docker_host = "unix:///var/run/docker.sock"
}
