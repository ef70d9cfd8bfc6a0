/** Equal sources give equal files: what is built again, in another folder, is what is there. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bundleProgram } from "../../build/lib/bundle.mjs";
import { repositoryRoot } from "../support/peers.js";
import { filesBelow } from "./support/desktop-package.js";

const built = join(repositoryRoot, "build", "out");
const folder = mkdtempSync(join(tmpdir(), "tensordeck-again-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Names of files that only one folder has, or that differ. */
function differences(one: string, other: string): string[] {
  const [first, second] = [filesBelow(one), filesBelow(other)];
  return [...new Set([...first, ...second])].filter(
    (file) =>
      !first.includes(file) ||
      !second.includes(file) ||
      !readFileSync(join(one, file)).equals(readFileSync(join(other, file))),
  );
}

test("the programs", async () => {
  expect(await bundleProgram(folder)).toBe(0);
  expect(differences(join(built, "program"), join(folder, "program"))).toEqual([]);
  expect(filesBelow(join(folder, "program")).length).toBeGreaterThan(20);
});

test("the window", () => {
  const output = join(folder, "renderer");
  const vite = join(repositoryRoot, "node_modules", "vite", "bin", "vite.js");
  const made = spawnSync(
    process.execPath,
    [vite, "build", "--logLevel", "warn", "--outDir", output, "--emptyOutDir"],
    { cwd: repositoryRoot, encoding: "utf8", env: { ...process.env, NODE_ENV: "production" } },
  );
  expect(made.status, made.stderr).toBe(0);
  // The build completes it from package-lock.json.
  expect(differences(join(built, "renderer"), output)).toEqual(["licences.json"]);
});
