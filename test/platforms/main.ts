/**
 * `npm run platforms -- NAME [options]`: what has to work on another platform, tried on an emulation of it (README.md). Ends
 * with 1 if a check fails, or the platform could not be made, and with 3 if it never can be here.
 */
import { closingLine, failureLine } from "../../build/lib/ci/counted-run.mjs";
import { type Check, NotPossibleHere, type PlatformChecks } from "./check.js";

interface Platform {
  /** @throws Error if it cannot be made here, with the reason and what to do. */
  checks(args: readonly string[]): Promise<PlatformChecks>;
}

interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  /** Why it did not pass; empty if it did. */
  readonly problem: string;
  readonly seconds: number;
}

/** An exit code of its own: `.ci/run` does not fail because of the machine that it is on. */
const NOT_POSSIBLE_HERE = 3;

const PLATFORMS: Readonly<Record<string, () => Promise<Platform>>> = {
  windows: () => import("./windows/windows.js"),
  "linux-x64": () => import("./packages/linux-packages.js"),
  "linux-arm64": async () => (await import("./linux/linux.js")).arm64,
  "linux-armhf": async () => (await import("./linux/linux.js")).armhf,
};

async function outcomeOf({ name, run }: Check): Promise<Outcome> {
  const start = performance.now();
  let problem = "";
  const passed = await run().then(
    () => true,
    (error: unknown) => {
      problem = said(error);
      console.log(problem);
      return false;
    },
  );
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`${passed ? "passed" : "FAILED"}: ${name} (${seconds} s)`);
  return { name, passed, problem, seconds };
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** As it stands in README.md. */
function printTable(platform: string, outcomes: readonly Outcome[]): void {
  console.log(`\n| case | ${platform} |\n|---|---|`);
  for (const { name, passed, seconds } of outcomes) {
    console.log(`| ${name} | ${passed ? "passed" : "**failed**"}, ${seconds} s |`);
  }
  console.log("");
}

async function main([name = "", ...args]: readonly string[]): Promise<number> {
  const load = Object.hasOwn(PLATFORMS, name) ? PLATFORMS[name] : undefined;
  if (load === undefined) {
    console.error(`Usage: npm run platforms -- ${Object.keys(PLATFORMS).join("|")} [options]`);
    return 2;
  }
  let platform: PlatformChecks;
  try {
    platform = await (await load()).checks(args);
  } catch (error) {
    if (error instanceof NotPossibleHere) {
      console.log(`${name} cannot be tried here. ${said(error)}`);
      return NOT_POSSIBLE_HERE;
    }
    console.error(`${name} could not be made. ${said(error)}`);
    console.log(failureLine(name, "its making", said(error)));
    console.log(closingLine({ passed: 0, failed: 1, skipped: 0 }));
    return 1;
  }
  const outcomes: Outcome[] = [];
  try {
    for (const check of platform.checks) outcomes.push(await outcomeOf(check));
  } finally {
    await platform.dispose();
  }
  printTable(name, outcomes);
  const failed = outcomes.filter(({ passed }) => !passed);
  for (const { name: check, problem } of failed) console.log(failureLine(name, check, problem));
  console.log(closingLine({ passed: outcomes.length - failed.length, failed: failed.length, skipped: 0 }));
  return failed.length === 0 ? 0 : 1;
}

// The interrupted run, too, takes back what it has changed in the system. The signal may come twice, by the group and by tsx.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));

// Waits that were in vain, or ended before their deadlines, may still have timers.
process.exit(await main(process.argv.slice(2)));
