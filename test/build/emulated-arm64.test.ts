/** How `.ci/run` counts the run on an emulated machine. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { platformsCache, runEmulatedArm64 } from "../../build/lib/ci/emulated-arm64.mjs";

const NONE = { passed: 0, failed: 0, skipped: 0 };

test("its folders outlive a run, in the account's cache", () => {
  expect(platformsCache({ XDG_CACHE_HOME: "/cache" })).toBe(join("/cache", "tensordeck", "platforms"));
  expect(platformsCache({})).toMatch(/[\\/]\.cache[\\/]tensordeck[\\/]platforms$/);
});

test("a machine that cannot emulate another processor counts nothing; all else does", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-emulated-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const run = (lines: readonly string[], code: number) => {
    const program = `console.log(${JSON.stringify(lines.join("\n"))}); process.exit(${code});`;
    writeFileSync(join(folder, "platforms.mjs"), program);
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ scripts: { platforms: "node platforms.mjs" } }),
    );
    return runEmulatedArm64({ cwd: folder, env: process.env });
  };
  expect(await run(["linux-arm64 cannot be tried here. It needs root."], 3)).toEqual({
    counts: NONE,
    failures: [],
  });
  expect(await run(["3 passed, 0 failed"], 0)).toEqual({ counts: { ...NONE, passed: 3 }, failures: [] });
  const failure = "FAILED linux-arm64 > run example:welcome: 12 is not 11";
  expect(await run([failure, "2 passed, 1 failed"], 1)).toEqual({
    counts: { ...NONE, passed: 2, failed: 1 },
    failures: [failure],
  });
  expect(await run(["It crashed."], 1)).toEqual({ counts: { ...NONE, failed: 1 }, failures: [] });
});
