export type NodeMajor = 20 | 22 | 24;
export const nodeReleases: Readonly<Record<NodeMajor, string>>;
export function nodeFolder(major: NodeMajor): string;
