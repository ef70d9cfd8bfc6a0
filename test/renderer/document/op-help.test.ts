import { expect, it } from "vitest";
import { argumentHelp, opHelp } from "../../../renderer/document/op-help.js";
import { texts } from "../../../renderer/texts/texts.js";
import { bundledOpRegistry } from "../../../worker-runtime/graph/op-registry.js";

const explainedOps = Object.keys(texts.opHelp.ops);
const registry = bundledOpRegistry();

it("texts are of ops that exist, and are sentences", () => {
  expect(explainedOps.filter((op) => registry.get(op) === undefined)).toEqual([]);
  expect(explainedOps.filter((op) => !/^[^a-z]?.*[.…]$/s.test(opHelp(op) ?? ""))).toEqual([]);
  expect(explainedOps.length).toBeGreaterThanOrEqual(300);
});

it("texts of arguments are of names that ops have", () => {
  const names = new Set(
    registry.names().flatMap((op) => {
      const { inputArg = [], attr = [] } = registry.get(op) ?? {};
      return [...inputArg, ...attr].map(({ name }) => name);
    }),
  );
  expect(Object.keys(texts.opHelp.arguments).filter((name) => !names.has(name))).toEqual([]);
  expect(argumentHelp("transpose_a")).toBe("Transposes a before multiplying.");
  expect(argumentHelp("constructor")).toBeUndefined();
});
