// One place for the version: package.json, put in by the bundler.
import packageJson from "../package.json" with { type: "json" };

export const version: string = packageJson.version;
