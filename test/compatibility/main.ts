/**
 * `npm run compatibility [-- VERSION …]`: runs what has to work with every TensorFlow (areas.ts) against several of its
 * versions, with an environment of its own each, and prints the table of README.md. Tests that do not pass are named
 * below it. Ends with 1 if any did not.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { repositoryRoot } from "../support/find-peers.js";
import { AREAS, type Area, LIMITS, type Limit } from "./areas.js";
import { bringTensorflow, type InstalledTensorflow, VERSIONS } from "./tensorflows.js";

interface Outcome {
  readonly passed: number;
  readonly failed: readonly string[];
}

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

const firstLine = (text: string | undefined): string => text?.split("\n")[0]?.slice(0, 200) ?? "";

/** Tests by outcome, with the first line of why one failed. */
function outcomeOf(report: VitestReport): Outcome {
  let passed = 0;
  const failed: string[] = [];
  for (const file of report.testResults) {
    const name = relative(repositoryRoot, file.name);
    const before = failed.length;
    for (const test of file.assertionResults) {
      if (test.status === "passed") passed += 1;
      else if (test.status === "failed") {
        failed.push(`${name}: ${test.fullName}: ${firstLine(test.failureMessages[0])}`);
      }
    }
    if (file.status === "failed" && failed.length === before)
      failed.push(`${name}: ${firstLine(file.message)}`);
  }
  return { passed, failed };
}

const minorOf = (version: string): number => Number(version.split(".")[1]);

/** The tests that this TensorFlow cannot pass. */
function limitsOf({ version }: InstalledTensorflow): readonly Limit[] {
  return LIMITS.filter(({ since }) => minorOf(version) < minorOf(since));
}

async function runArea(area: Area, tensorflow: InstalledTensorflow, library: string): Promise<Outcome> {
  const limits = limitsOf(tensorflow);
  const excluded = limits.flatMap(({ tests }) => tests ?? []);
  const files = area.files.filter((name) => !limits.some(({ file }) => file === name));
  const names = excluded.length === 0 ? [] : ["-t", `^(?!.*(?:${excluded.join("|")}))`];
  const scratch = await mkdtemp(join(tmpdir(), "tensordeck-compatibility-"));
  try {
    const report = join(scratch, "report.json");
    const child = spawn(
      process.execPath,
      [
        join(repositoryRoot, "node_modules", "vitest", "vitest.mjs"),
        ...["run", "--reporter=json", `--outputFile.json=${report}`, ...names, ...files],
      ],
      {
        cwd: repositoryRoot,
        env: {
          ...process.env,
          TENSORDECK_TEST_PYTHON: tensorflow.python,
          TENSORDECK_TEST_LIBTENSORFLOW: library,
        },
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    await once(child, "exit");
    return outcomeOf(JSON.parse(await readFile(report, "utf8")) as VitestReport);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function cell(outcome: Outcome | undefined): string {
  if (outcome === undefined) return "no library in the wheel";
  const { passed, failed } = outcome;
  return failed.length === 0 ? `${passed} passed` : `${passed} passed, **${failed.length} failed**`;
}

async function main(versions: readonly string[]): Promise<number> {
  const columns: { readonly title: string; readonly cells: readonly string[] }[] = [];
  const failures: string[] = [];
  const limits = new Set<Limit>();
  for (const version of versions) {
    process.stderr.write(`TensorFlow ${version} …\n`);
    const tensorflow = await bringTensorflow(version);
    // Tests that also need an engine `tensorflow` take the newest if the wheel has none.
    const { packageFolder: library } = tensorflow.hasLibrary
      ? tensorflow
      : await bringTensorflow(VERSIONS.at(-1) ?? version);
    const cells: string[] = [];
    for (const area of AREAS) {
      process.stderr.write(`TensorFlow ${tensorflow.version}: ${area.title} …\n`);
      const lacking = area.needsLibrary === true && !tensorflow.hasLibrary;
      const outcome = lacking ? undefined : await runArea(area, tensorflow, library);
      cells.push(cell(outcome));
      failures.push(...(outcome?.failed ?? []).map((line) => `${tensorflow.version}: ${line}`));
    }
    columns.push({ title: tensorflow.version, cells });
    for (const limit of limitsOf(tensorflow)) limits.add(limit);
  }
  process.stdout.write(`| | ${columns.map(({ title }) => title).join(" | ")} |\n`);
  process.stdout.write(`|---|${columns.map(() => "---|").join("")}\n`);
  for (const [index, { title }] of AREAS.entries()) {
    process.stdout.write(`| ${title} | ${columns.map(({ cells }) => cells[index]).join(" | ")} |\n`);
  }
  for (const { since, why } of limits) process.stdout.write(`\nNot asked before ${since}: ${why}.\n`);
  for (const line of failures) process.stdout.write(`\n${line}\n`);
  return failures.length === 0 ? 0 : 1;
}

try {
  const wanted = process.argv.slice(2);
  process.exitCode = await main(wanted.length > 0 ? wanted : VERSIONS);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
