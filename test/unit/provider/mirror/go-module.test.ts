import { describe, expect, it } from "vitest";
import { kubernetesBuild } from "../../../../provider/mirror/artefact.js";
import { compilerEnv, recipeOf, wrapperGoMod } from "../../../../provider/mirror/go-module.js";

describe("wrapperGoMod", () => {
  it("repeats replacements that name a version, drops those that name a folder", () => {
    const upstream = `module example.com/a

go 1.25.3

require example.com/b v1.0.0

replace example.com/b => ./b

replace (
	example.com/c => example.com/fork/c v1.2.3
	example.com/d v1.0.0 => example.com/d v1.0.1
	example.com/e => ../e
)
`;
    expect(wrapperGoMod(upstream, "example.com/a", "v1.0.0")).toBe(`module honest-paas.dev/build

go 1.25.3

require example.com/a v1.0.0

replace (
	example.com/c => example.com/fork/c v1.2.3
	example.com/d v1.0.0 => example.com/d v1.0.1
)
`);
  });

  it("finds Kubernetes' staging modules in both forms of its go.mod", () => {
    const replaced = "go 1.25.0\nreplace (\n\tk8s.io/api => ./staging/src/k8s.io/api\n)\n";
    const zero = "go 1.25.0\nrequire (\n\tk8s.io/api v0.0.0\n\tk8s.io/klog/v2 v2.130.1\n\tk8s.io/client-go v0.0.0 // indirect\n)\n";
    expect(wrapperGoMod(replaced, "k8s.io/kubernetes", "v1.36.3")).toContain("\tk8s.io/api => k8s.io/api v0.36.3\n");
    const text = wrapperGoMod(zero, "k8s.io/kubernetes", "v1.37.2");
    expect(text).toContain("\tk8s.io/client-go => k8s.io/client-go v0.37.2\n");
    expect(text).not.toContain("klog");
    expect(wrapperGoMod(zero, "example.com/other", "v1.0.0")).not.toContain("v0.");
  });
});

it("recipes differ by version and by stamp", () => {
  const build = kubernetesBuild("1.36.3");
  expect(recipeOf(build)).toBe(recipeOf(kubernetesBuild("1.36.3")));
  expect(recipeOf(build)).not.toBe(recipeOf(kubernetesBuild("1.37.2")));
  expect(recipeOf(build)).not.toBe(recipeOf({ ...build, stamp: {} }));
});

describe("compilerEnv", () => {
  const gib = 2 ** 30;
  it("gives each compiler its share of the memory before it collects garbage", () =>
    expect(compilerEnv(12 * gib, 2, {})).toEqual({ GOGC: "off", GOMEMLIMIT: String(4 * gib) }));
  it("leaves Go alone where the largest packages would not fit into a share", () => expect(compilerEnv(8 * gib, 8, {})).toEqual({}));
  it.each(["GOGC", "GOMEMLIMIT"])("leaves what the user set: %s", (name) => expect(compilerEnv(12 * gib, 2, { [name]: "50" })).toEqual({}));
});
