import { existsSync, readFileSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../support/find-peers.js";

const MAX_README_BYTES = 12 * 1024;
const NOT_OURS = new Set(["node_modules", "out", "dist", "generated"]);
/** Folders that must have a README: every top-level folder, and every engine. */
const DOCUMENTED = [
  "build",
  "main",
  "protos",
  "renderer",
  "test",
  "worker-runtime",
  "worker-runtime/engines/portable",
  "worker-runtime/engines/tensorflow",
];

async function markdownFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !entry.name.startsWith(".") && !NOT_OURS.has(entry.name))
        return markdownFiles(path);
      return entry.isFile() && entry.name.endsWith(".md") ? [path] : [];
    }),
  );
  return found.flat();
}

/** The anchors of a page's headings, as GitHub forms them. */
const anchors = (text: string) =>
  [...text.matchAll(/^#+ +(.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );

test("the README is short", () => {
  expect(statSync(join(repositoryRoot, "README.md")).size).toBeLessThanOrEqual(MAX_README_BYTES);
});

test("every top-level folder and every engine has a README", () => {
  expect(DOCUMENTED.filter((folder) => !existsSync(join(repositoryRoot, folder, "README.md")))).toEqual([]);
});

test("every link in the documents leads somewhere", async () => {
  const broken: string[] = [];
  for (const file of await markdownFiles(repositoryRoot)) {
    const text = readFileSync(file, "utf8");
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = "", anchor] = target.split("#");
      const linked = path === "" ? file : join(dirname(file), path);
      const exists = existsSync(linked);
      if (!exists || (anchor !== undefined && !anchors(readFileSync(linked, "utf8")).includes(anchor)))
        broken.push(`${relative(repositoryRoot, file)}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});
