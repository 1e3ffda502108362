// Sums the reports of vitest (JSON) and pytest (JUnit XML) into the last line of the CI run. A part that failed without a
// failing test (a build, a lint, a crash before the first test) counts as one failure, so that the line never looks green.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder = ".", brokenParts = "0"] = process.argv.slice(2);
let passed = 0;
let failed = 0;
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
  console.log(`${part}: ${report.numPassedTests} passed, ${report.numFailedTests} failed, ${report.numPendingTests} skipped`);
}
const pytest = join(folder, "pytest.xml");
if (existsSync(pytest)) {
  const count = (name) => Number(new RegExp(`<testsuite[^>]* ${name}="(\\d+)"`).exec(readFileSync(pytest, "utf8"))?.[1] ?? 0);
  const bad = count("failures") + count("errors");
  passed += count("tests") - bad - count("skipped");
  failed += bad;
  console.log(`python: ${count("tests") - bad - count("skipped")} passed, ${bad} failed, ${count("skipped")} skipped`);
} else {
  console.log("no report of python");
  failed += 1;
}
if (failed === 0) failed += Number(brokenParts);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
