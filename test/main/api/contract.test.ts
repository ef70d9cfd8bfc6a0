import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { events, methods } from "../../../main/api/contract.js";

const api = fileURLToPath(new URL("../../../main/api", import.meta.url));

/** The names in all that the files of main/api export under a name with that ending: those of every slice. */
async function namesInSlices(ending: "Methods" | "Events"): Promise<string[]> {
  const files = readdirSync(api).filter((file) => file.endsWith(".ts"));
  const modules = await Promise.all(
    files.map(async (file) => (await import(/* @vite-ignore */ join(api, file))) as Record<string, object>),
  );
  return modules
    .flatMap((module) => Object.entries(module).filter(([name]) => name.endsWith(ending)))
    .flatMap(([, slice]) => Object.keys(slice))
    .sort();
}

it("the contract has every slice, and no two slices have a method or an event of one name", async () => {
  expect(Object.keys(methods).sort()).toEqual(await namesInSlices("Methods"));
  expect(Object.keys(events).sort()).toEqual(await namesInSlices("Events"));
  expect(Object.keys(methods)).toContain("cluster.addTasks");
});
