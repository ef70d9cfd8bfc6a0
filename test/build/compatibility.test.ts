/** The list of what `npm run compatibility` runs names files that exist. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AREAS, LIMITS } from "../compatibility/areas.js";
import { VERSIONS } from "../compatibility/tensorflows.js";
import { repositoryRoot } from "../support/find-peers.js";

test.each(AREAS)("the files of $title exist", ({ files }) => {
  expect(files.filter((file) => !existsSync(join(repositoryRoot, file)))).toEqual([]);
});

test("a limit's pattern leaves out what it names and nothing else", () => {
  const dtypes = new RegExp(LIMITS.find(({ since }) => since === "2.16")?.tests ?? "$^");
  expect(dtypes.test("every dtype goes there and back float8_e5m2, fed and as a constant")).toBe(true);
  expect(dtypes.test("every dtype goes there and back uint4, fed and as a constant")).toBe(true);
  expect(dtypes.test("every dtype goes there and back uint64, fed and as a constant")).toBe(false);
});

test("a file that is left out is one of an area", () => {
  const listed = AREAS.flatMap(({ files }) => files);
  for (const { file } of LIMITS) if (file !== undefined) expect(listed).toContain(file);
});

test("versions are tried from the oldest to the newest", () => {
  const minors = VERSIONS.map((version) => Number(version.split(".")[1]));
  expect(minors).toEqual(minors.toSorted((a, b) => a - b));
});
