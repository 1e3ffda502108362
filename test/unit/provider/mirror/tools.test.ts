import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { missingTools } from "../../../../provider/mirror/tools.js";
import { put, scratch } from "./fixture.js";

it("names all missing tools at once, with their packages", async () => {
  const folder = await scratch();
  await chmod(await put(join(folder, "here"), ""), 0o755);
  await put(join(folder, "not-a-program"), "");
  const tools = ["here", "not-a-program", "none", join(folder, "file"), join(folder, "here")].map((needs) => ({
    needs,
    package: `p-${needs}`,
  }));
  const text = await missingTools(tools, `:${folder}`);
  expect(text).toContain(`needs not-a-program, none, ${join(folder, "file")}, missing`);
  expect(text).toContain("(Debian packages: p-not-a-program, p-none, ");
  expect(await missingTools(tools.slice(0, 1), folder)).toBeUndefined();
});
