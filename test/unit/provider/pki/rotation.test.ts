import { execFileSync } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { crossSign, expiryOf, issueCertificate } from "../../../../provider/pki/certificate.js";
import { createPki } from "../../../../provider/pki/create.js";
import { issueClient } from "../../../../provider/pki/issue.js";
import {
  authorityNames,
  createSuccessors,
  nextInstead,
  type Rotation,
  rotationSet,
  wordRotation,
} from "../../../../provider/pki/rotation.js";
import { openWorld } from "../../../support/open-world.js";

// openssl is the judge of what openssl, etcd and Kubernetes will say
openWorld("processes");

const folder = mkdtempSync(join(tmpdir(), "honest-rotation-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pki = createPki("demo", 1_000);
const old = { ca: pki.ca, client_ca: pki.clientCa, etcd_ca: pki.etcdCa, front_proxy_ca: pki.frontProxyCa };
const next = createSuccessors("demo", 1, 2_000, old);

/** Whether a client with that chain is believed by somebody who trusts `roots`. */
function believed(chain: string, roots: string): boolean {
  const [leaf = "", ...rest] = chain.split(/(?<=-----END CERTIFICATE-----\n)/);
  writeFileSync(join(folder, "leaf.pem"), leaf);
  writeFileSync(join(folder, "rest.pem"), rest.join("") || leaf);
  writeFileSync(join(folder, "roots.pem"), roots);
  const files = ["-CAfile", join(folder, "roots.pem"), "-untrusted", join(folder, "rest.pem"), join(folder, "leaf.pem")];
  try {
    execFileSync("openssl", ["verify", "-x509_strict", "-purpose", "sslclient", ...files], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
}

describe("new authorities", () => {
  it.each(authorityNames)("%s has a name and a key of its own, and belongs to its certificate", (name) => {
    const [before, fresh] = [new X509Certificate(old[name].cert), new X509Certificate(next.fresh[name].cert)];
    expect(fresh.subject).toBe(`${before.subject} 1`);
    expect(fresh.checkPrivateKey(createPrivateKey(next.fresh[name].key))).toBe(true);
    expect(next.fresh[name].key).not.toBe(old[name].key);
  });

  it.each(authorityNames)("%s is certified by the one before, and ends no later than it", (name) => {
    const cross = new X509Certificate(next.cross[name]);
    expect(cross.subject).toBe(new X509Certificate(next.fresh[name].cert).subject);
    expect(cross.verify(new X509Certificate(old[name].cert).publicKey)).toBe(true);
    expect(cross.ca).toBe(true);
    expect(expiryOf(next.cross[name])).toEqual(expiryOf(old[name].cert));
  });

  it("is not certified by a key that is another's", () => {
    const cross = new X509Certificate(crossSign(next.fresh.ca.cert, { cert: old.ca.cert, key: old.etcd_ca.key }));
    expect(cross.verify(new X509Certificate(old.ca.cert).publicKey)).toBe(false);
  });
});

describe("what the new authority signs", () => {
  const issue = (caCert: string) =>
    issueClient({ caCert, caKey: next.fresh.client_ca.key, commonName: "x", organizations: ["y"], minutes: 10 });
  const oldOne = old.client_ca.cert;
  const newOne = next.fresh.client_ca.cert;

  it("is believed with its chain by who trusts the old one, the new one, or both; without it only by who trusts the new one", async () => {
    const chained = (await issue(newOne + next.cross.client_ca)).cert;
    expect([oldOne, newOne, oldOne + newOne].map((roots) => believed(chained, roots))).toEqual([true, true, true]);
    const bare = (await issue(newOne)).cert;
    expect([oldOne, newOne].map((roots) => believed(bare, roots))).toEqual([false, true]);
  });

  it("is not believed by who trusts another cluster's", async () => {
    const stranger = createPki("demo", 10).clientCa.cert;
    expect(believed((await issue(newOne + next.cross.client_ca)).cert, stranger)).toBe(false);
  });

  it("leaves what the old one signed believed while both are trusted, and not after", () => {
    const leaf = issueCertificate({
      subject: { commonName: "x" },
      notBefore: new Date(Date.now() - 1000),
      notAfter: new Date(Date.now() + 60_000),
      issuer: old.client_ca,
    }).cert;
    const roots = (state: Rotation["state"]) => rotationSet(next, state).authorities.client_ca.trust;
    expect([roots("create"), roots("promote"), roots("retire")].map((trust) => believed(leaf, trust))).toEqual([true, true, false]);
  });
});

describe("a set", () => {
  const parts = (state: Rotation["state"]) => rotationSet(next, state).authorities.ca;
  it("names the signer first, and gives its key from promote on", () => {
    expect(parts("create")).toEqual({ trust: old.ca.cert + next.fresh.ca.cert, key: null, chain: "" });
    expect(parts("promote")).toEqual({ trust: next.fresh.ca.cert + old.ca.cert, key: next.fresh.ca.key, chain: next.cross.ca });
    expect(parts("retire")).toEqual({ trust: next.fresh.ca.cert, key: next.fresh.ca.key, chain: "" });
  });
});

describe("states follow one another", () => {
  const states: readonly (Rotation | null)[] = [
    null,
    ...[1, 2].flatMap((number) => (["create", "promote", "retire"] as const).map((state) => ({ number, state }))),
  ];
  const word = (rotation: Rotation | null) => (rotation === null ? "none" : `${rotation.number} ${rotation.state}`);
  // what may follow, by what was applied last; staying is always allowed
  const follows: Readonly<Record<string, string>> = {
    none: "1 create",
    "1 create": "1 promote",
    "1 promote": "1 retire",
    "1 retire": "2 create",
    "2 create": "2 promote",
    "2 promote": "2 retire",
  };
  it.each(states.flatMap((prior) => states.map((wanted) => ({ prior, wanted }))))("$prior then $wanted", ({ prior, wanted }) => {
    const instead = nextInstead(prior, wanted);
    const allowed = word(prior) === word(wanted) || follows[word(prior)] === word(wanted);
    expect(instead === undefined).toBe(allowed);
    if (instead === undefined) return;
    // a rotation that is done is kept, every other one goes on
    const stays = wanted === null && prior?.state === "retire";
    expect(word(instead)).toBe(stays ? word(prior) : (follows[word(prior)] ?? "3 create"));
    expect(nextInstead(prior, instead)).toBeUndefined();
    expect(wordRotation(instead)).toMatch(/^\{ number = \d, state = "(create|promote|retire)" \}$/);
  });
});
