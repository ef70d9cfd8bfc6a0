import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createKernelRegistry } from "../../../../worker-runtime/engines/portable/kernels/all.js";
import { repositoryRoot } from "../../../support/find-peers.js";
import { wrongReasons } from "./lowered-ops.js";
import { opTable } from "./op-table.js";

test("the table of ops in the engine's README is what the differential tests prove (npx tsx build/op-table.ts)", () => {
  const readme = path.join(repositoryRoot, "worker-runtime", "engines", "portable", "README.md");
  expect(readFileSync(readme, "utf8")).toContain(opTable());
});

test("each pure op of numbers has a lowering or a reason why not", () => {
  expect(wrongReasons(createKernelRegistry())).toEqual([]);
});
