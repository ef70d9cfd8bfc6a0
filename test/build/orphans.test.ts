/** Outputs of deleted sources do not stay in build/out. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeOrphans } from "../../build/lib/orphans.mjs";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tensordeck-orphans-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(...files: readonly string[]): void {
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "");
  }
}

test("what no source makes is removed with its folder; the rest, and other folders, stay", () => {
  const kept = ["main/a.js", "main/a.js.map", "main/a.d.ts", "main/a.d.ts.map", "main/.tsbuildinfo"];
  const others = ["main/p.cjs", "main/p.d.cts", "worker-runtime/examples/x.py", "renderer/gone.js"];
  const orphans = ["main/b.js", "main/b.d.ts", "main/old/c.js", "worker-runtime/examples/y.py"];
  write(...kept, ...others, ...orphans);
  const sources = ["main/a.ts", "main/p.cts", "worker-runtime/examples/x.py"];
  expect(removeOrphans(folder, sources)).toEqual(orphans.toSorted());
  for (const file of [...kept, ...others]) expect(existsSync(join(folder, file)), file).toBe(true);
  for (const file of [...orphans, "main/old"]) expect(existsSync(join(folder, file)), file).toBe(false);
  expect(removeOrphans(folder, sources)).toEqual([]);
});
