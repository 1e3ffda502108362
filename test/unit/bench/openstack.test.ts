import { expect, it } from "vitest";
import { plainStack } from "../../../bench/openstack.js";

const stack = JSON.stringify({
  terraform: { required_providers: { honest: { source: "honest-paas/honest" }, openstack: { source: "vendor/openstack" } } },
  provider: { honest: [{}], openstack: [{}] },
  output: { endpoint: { value: "${honest_barrier.b.endpoint}" } },
  data: { openstack_networking_network_v2: { pool: { name: "public" } } },
  resource: {
    honest_boot: { a: { spec: {} } },
    openstack_compute_instance_v2: {
      a: {
        image_id: "${honest_boot.a.image}",
        network: [{ port: "${openstack_networking_port_v2.a.id}" }],
        lifecycle: { create_before_destroy: true, replace_triggered_by: ["honest_boot.a.instance_type"] },
      },
    },
  },
});

it("leaves the vendor's resources with the values that ours gave them, and nothing of ours", () => {
  const plain = plainStack(stack, { "honest_boot.a": { image: "an id" } });
  expect(plain).toEqual({
    terraform: { required_providers: { openstack: { source: "vendor/openstack" } } },
    provider: { openstack: [{}] },
    data: { openstack_networking_network_v2: { pool: { name: "public" } } },
    resource: {
      openstack_compute_instance_v2: {
        a: {
          image_id: "an id",
          network: [{ port: "${openstack_networking_port_v2.a.id}" }],
          lifecycle: { create_before_destroy: true },
        },
      },
    },
  });
});

it("fails when a value of ours is not known", () => {
  expect(() => plainStack(stack, {})).toThrow("honest_boot.a.image");
});
