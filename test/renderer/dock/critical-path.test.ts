import { describe, expect, it } from "vitest";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { slicedCriticalPath } from "../../../renderer/dock/critical-path.js";
import { atOnce } from "../../../worker-runtime/graph/slices.js";

const graph = (inputs: Readonly<Record<string, readonly string[]>>) =>
  new Map(
    Object.entries(inputs).map(([name, input]) => [name, NodeDef.fromPartial({ name, input: [...input] })]),
  );
const criticalPath = (...given: Parameters<typeof slicedCriticalPath>) =>
  atOnce(slicedCriticalPath(...given));
const ran = (node: string, device: string, startMicros: number, durationMicros: number) => ({
  ...{ node, device, startMicros, durationMicros, outputBytes: 0 },
});

describe("the critical path", () => {
  it("is the chain of inputs that ended last, with the time between them", () => {
    const nodes = graph({ a: [], b: [], x: ["a", "b:1"], y: ["a"], z: ["x", "^y"] });
    const runs = [
      ran("a", "0", 0, 10),
      ran("b", "0", 0, 30),
      ran("x", "0", 35, 10),
      ran("y", "1", 12, 8),
      ran("z", "1", 65, 5),
    ];
    const path = criticalPath(runs, nodes);
    expect(path.nodes.map(({ node }) => node)).toEqual(["b", "x", "z"]);
    expect([path.computeMicros, path.gapMicros, path.transferMicros]).toEqual([45, 5, 20]);
  });

  it("passes through nodes that were not recorded, and ends in a loop", () => {
    const nodes = graph({ a: [], folded: ["a"], loop: ["folded", "next"], next: ["loop"] });
    const path = criticalPath([ran("a", "0", 0, 1), ran("loop", "0", 2, 1), ran("next", "0", 4, 1)], nodes);
    expect(path.nodes.map(({ node }) => node)).toEqual(["a", "loop", "next"]);
    expect(criticalPath([], nodes).nodes).toEqual([]);
  });
});
