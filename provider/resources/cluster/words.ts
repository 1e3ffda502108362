// Sentences that several resources say. Equal summaries: Terraform folds them into one warning for the whole cluster.

import { type Problem, wordProblem } from "../../../constructs/spec/problem.js";
import { type Diagnostic, error, warning } from "../../framework/diagnostic.js";
import { type Failure, wordFailure } from "../../kube/outcome.js";

export const consoleHint =
  'What a machine did stands on its serial console, one line for each stage, each beginning with "honest:" ' +
  "(local: docker logs MACHINE; OpenStack: openstack console log show MACHINE; AWS and K2: aws ec2 get-console-output --instance-id ID).";

export const unreachableWarning = (cluster: string, endpoint: string, failure: Failure): Diagnostic =>
  warning(
    `Cluster ${cluster} could not be read`,
    `${capital(wordFailure(failure))}. The state is kept as it was and nothing is taken for gone. ` +
      `The machine that runs Terraform must reach ${endpoint}; nothing that needs the cluster's health moves until it does.`,
  );

export const versionRefused = (cluster: string, problem: Problem, path: readonly string[]): Diagnostic =>
  error("Cluster cannot go to this Kubernetes version", `Cluster ${cluster}, ${wordProblem(problem)}. Nothing of it is changed.`, path);

export const badTimeout = (verb: string, got: string): Diagnostic =>
  error(
    "Not a duration",
    `timeouts.${verb} is ${JSON.stringify(got)}. Write a number with a unit (ms, s, m, h) or several of them: "20m", "1h30m".`,
    ["timeouts", verb],
  );

export const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);
