// Sums the reports of vitest (JSON) and pytest (JUnit XML) into the last line of the CI run. A part that failed without a
// failing test (a build, a lint, a crash before the first test) counts as one failure, so that the line never looks green.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder = ".", brokenParts = "0"] = process.argv.slice(2);
let passed = 0;
let failed = 0;
/** What failed, a line each: whoever sees only the end of the output knows where to look. */
const broken = [];
/** The first line, and the first after it that tells of an error: a program's whole output may follow "ended with 1". */
function gist(text) {
  const [first = "", ...rest] = (text ?? "").replace(/\u001b\[[0-9;]*m/g, "").split("\n");
  const error = rest.find((line) => /^\W*Error: /.test(line));
  return (error ? `${first} ${error.trim()}` : first).slice(0, 300);
}
for (const part of ["unit", "unit-node22", "unit-node24", "acceptance", "e2e"]) {
  const file = join(folder, `vitest-${part}.json`);
  if (!existsSync(file)) {
    console.log(`no report of ${part}`);
    failed += 1;
    continue;
  }
  const report = JSON.parse(readFileSync(file, "utf8"));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  // a file that cannot be loaded has no failing test
  if (!report.success && report.numFailedTests === 0) failed += 1;
  for (const file of report.testResults) {
    const name = file.name.replace(`${process.cwd()}/`, "");
    const bad = file.assertionResults.filter(({ status }) => status === "failed");
    for (const test of bad) broken.push(`${part}: ${name}: ${test.fullName}: ${gist(test.failureMessages[0])}`);
    if (file.status === "failed" && bad.length === 0) broken.push(`${part}: ${name}: ${gist(file.message)}`);
  }
  console.log(`${part}: ${report.numPassedTests} passed, ${report.numFailedTests} failed, ${report.numPendingTests} skipped`);
}
const pytest = join(folder, "pytest.xml");
if (existsSync(pytest)) {
  const xml = readFileSync(pytest, "utf8");
  const count = (name) => Number(new RegExp(`<testsuite[^>]* ${name}="(\\d+)"`).exec(xml)?.[1] ?? 0);
  for (const [, where, name, message] of xml.matchAll(
    /<testcase classname="([^"]*)" name="([^"]*)"[^>]*><(?:failure|error) message="([^"]*)"/g,
  ))
    broken.push(`python: ${where}: ${name}: ${message.split("&#10;")[0].slice(0, 300)}`);
  const bad = count("failures") + count("errors");
  passed += count("tests") - bad - count("skipped");
  failed += bad;
  console.log(`python: ${count("tests") - bad - count("skipped")} passed, ${bad} failed, ${count("skipped")} skipped`);
} else {
  console.log("no report of python");
  failed += 1;
}
if (broken.length > 0) console.log(`\nwhat failed:\n${broken.map((line) => `  ${line}`).join("\n")}\n`);
if (failed === 0) failed += Number(brokenParts);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
