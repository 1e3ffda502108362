// A rotation of the authorities as machines read it: keys where only control planes' agents may look, certificates where
// every node does.
import { type KubeObject, systemNamespace } from "../object.js";
import { managedLabels } from "./parts.js";

/** A Secret for control planes and a ConfigMap for workers. */
export const rotationSecret = "honest-paas-rotation";
export const trustConfigMap = "honest-paas-trust";

/** What workers need of a set; the whole of it is honest_pki.rotation_set. */
export interface RotationParts {
  readonly number: number;
  readonly state: string;
  readonly authorities: { readonly ca: { readonly trust: string; readonly chain: string } };
}

export function rotationObjects(set: string): readonly KubeObject[] {
  const { number, state, authorities } = JSON.parse(set) as RotationParts;
  const meta = (name: string) => ({ name, namespace: systemNamespace, labels: managedLabels });
  const { trust, chain } = authorities.ca;
  return [
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: meta(rotationSecret),
      type: "Opaque",
      data: { set: Buffer.from(set).toString("base64") },
    },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: meta(trustConfigMap),
      data: { set: JSON.stringify({ number, state, authorities: { ca: { trust, chain } } }) },
    },
  ];
}
