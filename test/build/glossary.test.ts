/** The private words that the glossary of CONTRIBUTING.md replaced do not come back. */
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { repositoryRoot } from "../support/find-peers.js";

/** Words that appear nowhere, on their own or as a part of a name. */
const BANNED = /(?<![a-z])(?:knock|shower|stranger|slopes)(?:s|ed|ing)?(?![a-z])/gi;
/** The same as a later part of a camelCase name. */
const BANNED_PART = /(?<=[a-z])(?:Knock|Shower|Stranger|Slopes)(?:s|ed|ing)?(?![a-z])/g;
/** Words that have a meaning of their own in a sentence, but are no names. */
const BANNED_NAME = /\b(?:const|let|var|function|interface|type|class|readonly) #?(?:standing|beside)\b/g;
/** "place" for an index: the second parameter of a callback, the key of `entries()`, the counter of a loop. */
const PLACE_AS_INDEX =
  /[\w\])}], place\) =>|\[place, [^=]*\] of .*\.entries\(\)|\blet place = \d|\bplace(?:s)?: (?:readonly )?number\b/g;
/** A comment without a subject: "What a task runs." */
const FRAGMENT = /(?:\/\/|\/\*\*?(?:\n\s*\*)?) (?:What|Of)\b/g;
const TEXT_FILE = /\.(?:ts|tsx|mjs|mts|py|md|proto|css|html|yml)$/;
const NOT_OURS = new Set(["node_modules", "out", "dist", "generated", "coverage"]);
/** The page that lists the words, and this test. */
const EXEMPT = new Set(["CONTRIBUTING.md", relative(repositoryRoot, import.meta.filename)]);

function bannedIn(text: string): string[] {
  return [BANNED, BANNED_PART, BANNED_NAME, PLACE_AS_INDEX, FRAGMENT].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => {
      const line = text.slice(0, match.index).split("\n").length;
      return `${line}: ${match[0]}`;
    }),
  );
}

async function sourceFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map((entry) => {
      if (entry.name.startsWith(".") || NOT_OURS.has(entry.name)) return [];
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return sourceFiles(path);
      return entry.isFile() && TEXT_FILE.test(entry.name) ? [path] : [];
    }),
  );
  return found.flat();
}

test("no file uses a word that the glossary replaced", async () => {
  const files = await sourceFiles(repositoryRoot);
  expect(files.length).toBeGreaterThan(1000);
  const found = files.flatMap((path) => {
    const file = relative(repositoryRoot, path);
    return EXEMPT.has(file) ? [] : bannedIn(readFileSync(path, "utf8")).map((words) => `${file}:${words}`);
  });
  expect(found).toEqual([]);
});

test.each([
  "an unknown Stranger",
  "const fromStranger = 1",
  "let place = 0;",
  "names.map((name, place) => 1)",
  "for (const [place, name] of names.entries()) {",
  "interface Edge { readonly place: number }",
  "const beside = [1]",
  "// What a task runs.",
  "/** Of a step. */",
  "/**\n * What a step\n */",
])("%j is found", (text) => {
  expect(bannedIn(text)).toHaveLength(1);
});

test.each([
  "beside the canvas",
  "in place of",
  "const place = origin",
  "a long-standing rule",
  "// Whatever it is",
])("%j is fine", (text) => {
  expect(bannedIn(text)).toEqual([]);
});
