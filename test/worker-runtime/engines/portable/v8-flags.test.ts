import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { flagsForSteps, START_FLAGS } from "../../../../worker-runtime/engines/portable/v8-flags.js";

test("the V8 that runs this knows each flag", () => {
  const { stdout } = spawnSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  const known = new Set(stdout.match(/^ {2}--[a-z0-9-]+/gm)?.map((line) => line.trim()));
  expect(known.size).toBeGreaterThan(100);
  for (const flag of [...START_FLAGS, ...flagsForSteps(process.versions.v8)]) {
    expect(known).toContain(flag.replace(/=.*/, "").replace(/^--no-/, "--"));
  }
});

test("a flag that newer ones lack is not set there", () => {
  const budget = expect.arrayContaining([expect.stringMatching(/^--interrupt-budget=/)]);
  expect(flagsForSteps("11.3.244.8-node.33")).toEqual(budget);
  for (const newer of ["11.8.172.17-node.20", "12.4.254.21-node.60", "13.6.233.17-node.48"])
    expect(flagsForSteps(newer)).not.toEqual(budget);
});
