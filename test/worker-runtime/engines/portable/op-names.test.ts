import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundledOpRegistry } from "../../../../worker-runtime/graph/op-registry.js";

const engine = join(import.meta.dirname, "../../../../worker-runtime/engines/portable");
const ops = bundledOpRegistry();

/** The engine's own files but for the kernels and the lowerings, which are written op by op, and what knows ONNX's ops. */
function sources(): string[] {
  return readdirSync(engine, { recursive: true, encoding: "utf8" }).filter(
    (file) =>
      file.endsWith(".ts") && !["kernels", "lowering", "onnx"].some((folder) => file.startsWith(folder)),
  );
}

/** Where a text decides by the names of ops: by comparisons, cases, beginnings of names, sets and maps, lists in one string. */
function decisions(text: string): string[] {
  const compared = [...text.matchAll(/(?:[=!]== |case )"(\w+)"/g)];
  const listed = [...text.matchAll(/new (?:Set|Map)(?:<[^()]*>)?\(\[(.*?)\]\)/gs)].flatMap(
    ([, list = ""]) => [...list.matchAll(/"(\w+)"/g)],
  );
  const named = [...compared, ...listed].map(([, name = ""]) => name).filter((name) => ops.has(name));
  const joined = [...text.matchAll(/"(\w+(?: \w+)+) ?"/g)]
    .map(([, names = ""]) => names)
    .filter((names) => names.split(" ").every((name) => ops.has(name)));
  const partly = [...text.matchAll(/\bop\??\.(?:startsWith|endsWith|includes|match)\([^)]*\)/g)];
  return [...named, ...joined, ...partly.map(([whole]) => whole)];
}

test("only kernels, and the ops that give graphs their structure, are known by name", () => {
  const files = sources();
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((file) =>
    decisions(readFileSync(join(engine, file), "utf8")).map((what) => `${file}: ${what}`),
  );
  expect(found).toEqual([]);
});

test("what decides by names is found", () => {
  expect(decisions('if (node.op === "Switch") {')).toEqual(["Switch"]);
  expect(decisions('case "StatelessIf":')).toEqual(["StatelessIf"]);
  expect(decisions('new Set([\n  "Shape",\n  "Rank",\n])')).toEqual(["Shape", "Rank"]);
  expect(decisions('new Map<string, Role>([["Merge", "merge"]])')).toEqual(["Merge"]);
  expect(decisions('op.startsWith("Collective")')).toEqual(['op.startsWith("Collective")']);
  expect(decisions('"Shape Rank".split(" ")')).toEqual(["Shape Rank"]);
  expect(decisions('makeNodeDef(name, "Const", [])')).toEqual([]);
});
