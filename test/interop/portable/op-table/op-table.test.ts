import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../../../support/find-peers.js";
import { opTable } from "./op-table.js";

test("the README's table of ops is what the differential tests prove (npx tsx build/op-table.ts)", () => {
  expect(readFileSync(path.join(repositoryRoot, "README.md"), "utf8")).toContain(opTable());
});
