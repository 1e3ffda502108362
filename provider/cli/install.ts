// honest-paas provider install: the bundled provider where terraform looks without any configuration.
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { version } from "../version.js";
import { type Command, first, UserError } from "./command.js";
import { packageRoot } from "./package-root.js";

/** terraform's and tofu's default host; each looks only below its own. */
export const registryHosts = ["registry.terraform.io", "registry.opentofu.org"] as const;

const goNames: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64", linux: "linux", darwin: "darwin" };

/** "linux_amd64", as terraform names it. */
export function terraformPlatform(platform: string = process.platform, arch: string = process.arch): string {
  const os = goNames[platform];
  const cpu = goNames[arch];
  if (!os || !cpu)
    throw new UserError(`The provider does not run on ${platform}/${arch}: it needs sh. Allowed: Linux and macOS on amd64 and arm64.`);
  return `${os}_${cpu}`;
}

export function installProvider(source: string, plugins: string): readonly string[] {
  return registryHosts.map((host) => {
    const target = join(plugins, host, "honest-paas", "honest", version, terraformPlatform());
    const beside = `${target}.${process.pid}.part`;
    mkdirSync(dirname(target), { recursive: true });
    rmSync(beside, { recursive: true, force: true });
    cpSync(source, beside, { recursive: true });
    rmSync(target, { recursive: true, force: true });
    renameSync(beside, target);
    return target;
  });
}

export const providerInstall: Command = {
  name: "provider install",
  summary: "Installs the Terraform provider for projects in plain HCL and for terraform -chdir.",
  details: [
    "Stacks made by the constructs carry the provider with them and need no installation. Everything else finds it in ~/.terraform.d/plugins: no registry, no CLI configuration.",
    `Use it as:\n\n  terraform {\n    required_providers {\n      honest = { source = "honest-paas/honest", version = "${version}" }\n    }\n  }`.replace(
      /^/gm,
      "  ",
    ),
  ],
  flags: [{ name: "plugins", value: "FOLDER", help: "Default ~/.terraform.d/plugins." }],
  async run(flags, io) {
    const source = join(packageRoot(), "dist", "provider");
    if (!existsSync(source)) throw new UserError(`There is no built provider at ${source}. In a clone, run npm run build first.`);
    const plugins = resolve(io.cwd, first(flags, "plugins") ?? join(io.env.HOME ?? homedir(), ".terraform.d", "plugins"));
    for (const folder of installProvider(source, plugins)) io.say(`installed ${folder}`);
    return 0;
  },
};
