/**
 * `npm run platforms -- NAME [options]`: what has to work on another platform, tried on an emulation of it (README.md). Ends
 * with 1 if a check fails.
 */
import type { Check } from "./check.js";

/** A platform's checks; `dispose` ends what they have started. */
interface Platform {
  checks(args: readonly string[]): Promise<{ readonly checks: readonly Check[]; dispose(): Promise<void> }>;
}

const PLATFORMS: Readonly<Record<string, () => Promise<Platform>>> = {
  windows: () => import("./windows/windows.js"),
};

async function main([name = "", ...args]: readonly string[]): Promise<number> {
  const load = Object.hasOwn(PLATFORMS, name) ? PLATFORMS[name] : undefined;
  if (load === undefined) {
    console.error(`Usage: npm run platforms -- ${Object.keys(PLATFORMS).join("|")} [options]`);
    return 2;
  }
  const { checks, dispose } = await (await load()).checks(args);
  let failed = 0;
  try {
    for (const check of checks) {
      try {
        await check.run();
        console.log(`passed: ${check.name}`);
      } catch (error) {
        failed += 1;
        console.log(`FAILED: ${check.name}\n${error instanceof Error ? error.message : String(error)}`);
      }
    }
  } finally {
    await dispose();
  }
  console.log(`${checks.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
