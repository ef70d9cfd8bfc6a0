/**
 * `npm run platforms -- NAME [options]`: what has to work on another platform, tried on an emulation of it (README.md). Ends
 * with 1 if a check fails, or the platform cannot be made here.
 */
import type { Check, PlatformChecks } from "./check.js";

interface Platform {
  /** @throws Error if it cannot be made here, with the reason and what to do. */
  checks(args: readonly string[]): Promise<PlatformChecks>;
}

interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
}

const PLATFORMS: Readonly<Record<string, () => Promise<Platform>>> = {
  windows: () => import("./windows/windows.js"),
  "linux-x64": () => import("./packages/linux-packages.js"),
  "linux-arm64": async () => (await import("./linux/linux.js")).arm64,
  "linux-armhf": async () => (await import("./linux/linux.js")).armhf,
};

async function outcomeOf({ name, run }: Check): Promise<Outcome> {
  const start = performance.now();
  const passed = await run().then(
    () => true,
    (error: unknown) => {
      console.log(said(error));
      return false;
    },
  );
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(`${passed ? "passed" : "FAILED"}: ${name} (${seconds} s)`);
  return { name, passed, seconds };
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
    console.error(`${name} cannot be tried here. ${said(error)}`);
    return 1;
  }
  const outcomes: Outcome[] = [];
  try {
    for (const check of platform.checks) outcomes.push(await outcomeOf(check));
  } finally {
    await platform.dispose();
  }
  printTable(name, outcomes);
  const failed = outcomes.filter(({ passed }) => !passed).length;
  console.log(`${outcomes.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

// Waits that were in vain, or ended before their deadlines, may still have timers.
process.exit(await main(process.argv.slice(2)));
