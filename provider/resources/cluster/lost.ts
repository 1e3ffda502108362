// Nodes that a person has given up for this one run. An environment variable, because Delete sees no configuration.
export const lostVariable = "HONEST_PAAS_LOST";

export const isLost = (name: string): boolean =>
  (process.env[lostVariable] ?? "")
    .split(",")
    .map((part) => part.trim())
    .includes(name);
