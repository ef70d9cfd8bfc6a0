// `npm test`: builds what is out of date, installs what the tests need (lib/peers), runs vitest (with further
// arguments), lists what is missing here, and ends with a line that counts tests: "N passed, N failed", and
// ", N skipped" if any were. With CI=true a skipped test is a failure. In place of further arguments, --root-tests runs only
// the files that need root, --without-root-tests only the others.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { closingLine, failureLine } from "./lib/ci/counted-run.mjs";
import { bringPeers, lackLines } from "./lib/peers/peers.mjs";
import { systemEnvironment } from "./lib/programs.mjs";
import { main, root, runTool } from "./lib/project.mjs";
import { selectedPeers, vitestArguments } from "./lib/selected-peers.mjs";
import { buildAll } from "./lib/steps.mjs";

/** Tests by outcome, and a line for each failure, from vitest's JSON report; undefined if it wrote none. */
function readCounts(file) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
  const counts = { passed: 0, failed: 0, skipped: [], failures: [] };
  for (const suite of report.testResults) {
    const failedBefore = counts.failed;
    const fail = (name, message) => {
      counts.failed += 1;
      counts.failures.push(failureLine(relative(root, suite.name), name, message));
    };
    for (const test of suite.assertionResults) {
      if (test.status === "passed") counts.passed += 1;
      else if (test.status === "failed") fail(test.fullName, test.failureMessages.join("\n"));
      else counts.skipped.push(test.fullName);
    }
    // A file that cannot be collected, or whose hooks fail, has failed even if none of its tests has.
    if (suite.status === "failed" && counts.failed === failedBefore) fail("", suite.message ?? "");
  }
  return counts;
}

await main(async () => {
  const underCi = process.env.CI === "true";
  const scratch = mkdtempSync(join(tmpdir(), "tensordeck-test-"));
  const reportFile = join(scratch, "report.json");
  let args = process.argv.slice(2);
  let peers = [];
  let counts;
  let exitCode = 1;
  try {
    await buildAll();
    args = vitestArguments(args, scratch);
    const selected = selectedPeers(args, scratch);
    await bringPeers(selected, underCi);
    peers = selected;
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
    const env = systemEnvironment();
    exitCode = await runTool("vitest", "vitest.mjs", ["run", ...reporters, ...args], { env });
    counts = readCounts(reportFile);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    counts ??= { passed: 0, failed: 1, skipped: [], failures: [] };
    if (exitCode !== 0 && counts.failed === 0) {
      counts.failed = 1;
      counts.failures.push(
        failureLine("", "the run", "It failed outside of its tests; its output says where."),
      );
    }
    if (counts.passed === 0 && counts.failed === 0 && counts.skipped.length === 0) {
      counts.failed = 1;
      counts.failures.push(failureLine("", "the run", "No test ran."));
    }
    if (underCi && counts.skipped.length > 0) {
      console.error(
        `With CI=true every test must run. Skipped:\n${counts.skipped.map((name) => `  ${name}`).join("\n")}`,
      );
    }
    for (const line of lackLines(peers)) console.error(line);
    if (exitCode === 0 && (counts.failed > 0 || (underCi && counts.skipped.length > 0))) exitCode = 1;
    process.exitCode = exitCode;
    // Written to one stream after the other, so the counts stay the last line if the two are merged.
    process.once("exit", () => {
      for (const line of counts.failures) console.log(line);
      console.log(closingLine({ ...counts, skipped: counts.skipped.length }));
    });
  }
});
