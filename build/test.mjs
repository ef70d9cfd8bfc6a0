// `npm test`: builds what is out of date, installs what the tests need (lib/peers), runs vitest (with further
// arguments), lists what is missing here, and ends with a line that counts tests: "N passed, N failed", and
// ", N skipped" if any were. With CI=true a skipped test is a failure.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bringPeers, lackLines } from "./lib/peers/peers.mjs";
import { systemEnvironment } from "./lib/programs.mjs";
import { main, runTool } from "./lib/project.mjs";
import { selectedPeers } from "./lib/selected-peers.mjs";
import { buildAll } from "./lib/steps.mjs";

/** Tests by outcome, from vitest's JSON report; undefined if it wrote none. */
function readCounts(file) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
  const counts = { passed: 0, failed: 0, skipped: [] };
  for (const suite of report.testResults) {
    const failedBefore = counts.failed;
    for (const test of suite.assertionResults) {
      if (test.status === "passed") counts.passed += 1;
      else if (test.status === "failed") counts.failed += 1;
      else counts.skipped.push(test.fullName);
    }
    // A file that cannot be collected, or whose hooks fail, has failed even if none of its tests has.
    if (suite.status === "failed" && counts.failed === failedBefore) counts.failed += 1;
  }
  return counts;
}

await main(async () => {
  const underCi = process.env.CI === "true";
  const scratch = mkdtempSync(join(tmpdir(), "tensordeck-test-"));
  const reportFile = join(scratch, "report.json");
  const args = process.argv.slice(2);
  let peers = [];
  let counts;
  let exitCode = 1;
  try {
    await buildAll();
    const selected = selectedPeers(args, scratch);
    await bringPeers(selected, underCi);
    peers = selected;
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
    const env = systemEnvironment();
    exitCode = await runTool("vitest", "vitest.mjs", ["run", ...reporters, ...args], { env });
    counts = readCounts(reportFile);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    counts ??= { passed: 0, failed: 1, skipped: [] };
    if (exitCode !== 0 && counts.failed === 0) {
      console.error("The test run failed outside of its tests; the lines above say where.");
      counts.failed = 1;
    }
    if (counts.passed === 0 && counts.failed === 0 && counts.skipped.length === 0) {
      console.error("No test ran.");
      counts.failed = 1;
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
      const skipped = counts.skipped.length > 0 ? `, ${counts.skipped.length} skipped` : "";
      console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
    });
  }
});
