import { describe, expect, it } from "vitest";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { slicedCriticalPath } from "../../../renderer/dock/critical-path.js";
import { atOnce } from "../../../worker-runtime/graph/slices.js";
import fc from "../../support/seeded-check.js";

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
    const path = criticalPath(runs, nodes, 75);
    expect(path.nodes.map(({ node }) => node)).toEqual(["b", "x", "z"]);
    // 5 between b and x, and 5 after z.
    expect([path.computeMicros, path.waitMicros, path.transferMicros]).toEqual([45, 10, 20]);
  });

  it("counts no moment of nodes that overlap twice", () => {
    const nodes = graph({ a: [], x: ["a"], z: ["x"] });
    const runs = [ran("a", "0", 0, 30), ran("x", "0", 20, 20), ran("z", "1", 35, 30)];
    const path = criticalPath(runs, nodes, 65);
    expect([path.computeMicros, path.waitMicros, path.transferMicros]).toEqual([65, 0, 0]);
  });

  it("adds up to the step, whatever overlaps in it", () => {
    const names = Array.from({ length: 12 }, (_, index) => `n${index}`);
    const record = fc.record({
      device: fc.constantFrom("0", "1", "2"),
      start: fc.nat(1000),
      duration: fc.nat(500),
      inputs: fc.array(fc.nat(names.length - 1), { maxLength: 3 }),
      isRecorded: fc.boolean(),
    });
    const records = fc.array(record, { minLength: 1, maxLength: names.length });
    fc.assert(
      fc.property(records, fc.nat(1600), (drawn, stepMicros) => {
        const nodes = graph(
          Object.fromEntries(
            drawn.map(({ inputs }, index) => [names[index] ?? "", inputs.map((at) => names[at] ?? "")]),
          ),
        );
        const runs = drawn.flatMap(({ device, start, duration, isRecorded }, index) =>
          isRecorded ? [ran(names[index] ?? "", device, start, duration)] : [],
        );
        const { computeMicros, transferMicros, waitMicros } = criticalPath(runs, nodes, stepMicros);
        expect(computeMicros + transferMicros + waitMicros).toBe(stepMicros);
        expect(Math.min(computeMicros, transferMicros, waitMicros)).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it("passes through nodes that were not recorded, and ends in a loop", () => {
    const nodes = graph({ a: [], folded: ["a"], loop: ["folded", "next"], next: ["loop"] });
    const path = criticalPath(
      [ran("a", "0", 0, 1), ran("loop", "0", 2, 1), ran("next", "0", 4, 1)],
      nodes,
      5,
    );
    expect(path.nodes.map(({ node }) => node)).toEqual(["a", "loop", "next"]);
    expect(criticalPath([], nodes, 5).nodes).toEqual([]);
  });
});
