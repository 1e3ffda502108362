// What a mirror of one Kubernetes version consists of, and which of it is still to be had.
import { type Architecture, type Artefact, artefactsOf, type GoBuild } from "./artefact.js";
import { hashOf } from "./cache.js";
import { type Contents, isIntact } from "./contents.js";
import { type ImageRecipe, imageRecipeId, imageRecipes } from "./images.js";
import { readImage } from "./oci.js";
import type { Components } from "./versions.js";

export type Source = "auto" | "upstream" | "gomod";

export interface FileItem {
  readonly kind: "file";
  readonly name: string;
  /** Several where one archive holds the binaries of several modules. */
  readonly parts: readonly [Artefact, ...Artefact[]];
  readonly recipe: string;
}

export interface ImageItem {
  readonly kind: "image";
  readonly name: string;
  readonly image: ImageRecipe;
  readonly recipe: string;
}

export type Item = FileItem | ImageItem;

const filesOf = (c: Components, arch: Architecture): readonly FileItem[] => {
  const byPath = new Map<string, [Artefact, ...Artefact[]]>();
  for (const artefact of artefactsOf(c, arch)) {
    const before = byPath.get(artefact.path);
    if (before) before.push(artefact);
    else byPath.set(artefact.path, [artefact]);
  }
  return [...byPath].map(([name, parts]) => ({
    kind: "file",
    name,
    parts,
    recipe: hashOf(parts.map(({ build, binaries, prefix, form }) => ({ build, binaries, prefix, form }))),
  }));
};

export const itemsOf = (c: Components, arch: Architecture): readonly Item[] => [
  ...filesOf(c, arch),
  ...imageRecipes(c).map((image): ImageItem => ({ kind: "image", name: image.reference, image, recipe: imageRecipeId(image) })),
];

/** An explicit source wants its own bytes; `auto` takes what is there. What was built in another way is built again. */
export function serves(found: { readonly source: string; readonly recipe: string }, source: Source, recipe: string): boolean {
  if (found.source === "upstream") return source !== "gomod";
  return source !== "upstream" && found.recipe === recipe;
}

/** "broken" was there before and is missing or spoilt now; "absent" was never there, or was made in another way. */
export async function stateOf(
  mirror: string,
  contents: Contents,
  item: Item,
  arch: Architecture,
  source: Source,
  thorough: boolean,
): Promise<"whole" | "broken" | "absent"> {
  const found = item.kind === "file" ? contents.files[item.name] : contents.images[item.name]?.[arch];
  if (!found || !serves(found, source, item.recipe)) return "absent";
  const whole =
    "digest" in found
      ? (await readImage(mirror, item.name, found.digest, thorough)) !== undefined
      : await isIntact(mirror, item.name, found, thorough);
  return whole ? "whole" : "broken";
}

/** The Go builds behind items, one per module, with the binaries that are wanted of it. */
export function buildsOf(items: readonly Item[]): readonly { readonly build: GoBuild; readonly wanted: readonly string[] }[] {
  const byRecipe = new Map<string, { build: GoBuild; wanted: string[] }>();
  const want = (build: GoBuild, names: readonly string[]): void => {
    const id = hashOf(build);
    const entry = byRecipe.get(id) ?? { build, wanted: [] };
    for (const name of names) if (!entry.wanted.includes(name)) entry.wanted.push(name);
    byRecipe.set(id, entry);
  };
  for (const item of items) {
    if (item.kind === "file") for (const part of item.parts) want(part.build, part.binaries);
    else if (item.image.build !== "pause") want(item.image.build, [item.image.name]);
  }
  return [...byRecipe.values()];
}
