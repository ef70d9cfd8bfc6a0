import { describe, expect, it } from "vitest";
import type { NodeRun, Transfer } from "../../../main/api/runs.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { inferShapes } from "../../../renderer/document/shapes.js";
import { KernelCatalogue } from "../../../renderer/kernels/kernel-catalogue.js";
import { KernelNeeds } from "../../../renderer/kernels/kernel-needs.js";
import { NodePlaces } from "../../../renderer/kernels/node-places.js";
import { sentBytes } from "../../../renderer/placement/crossings.js";
import {
  type DocumentStep,
  documentStep,
  taskNow,
  tensorSize,
} from "../../../renderer/placement/document-step.js";
import { ShapeEstimates } from "../../../renderer/placement/estimates.js";
import { measurementsOf, NOTHING_MEASURED } from "../../../renderer/placement/measurements.js";
import { pinsOf } from "../../../renderer/placement/pins.js";
import { StepSimulator } from "../../../renderer/placement/simulate.js";
import { isAllowed } from "../../../renderer/placement/step-problem.js";
import { colocationGroup } from "../../../worker-runtime/graph/colocation-groups.js";
import { atOnce } from "../../../worker-runtime/graph/slices.js";
import fc from "../../support/seeded-check.js";
import { constant, documentOf, lookup, node, placeholder, type } from "../document/graphs.js";
import { trainedVariable, variablesOnPs } from "../document/real-graphs.js";
import { enginesOf, kernelList } from "../kernels/cases.js";

interface Wish {
  readonly engines?: Parameters<typeof enginesOf>[0];
  readonly measured?: typeof NOTHING_MEASURED;
  readonly keepPins?: boolean;
  readonly fetches?: readonly string[];
  readonly targets?: readonly string[];
  readonly master?: string;
}

function stepOf(nodes: readonly NodeDef[], wish: Wish = {}): DocumentStep {
  const engines = enginesOf(wish.engines ?? { "worker/0": "portable", "worker/1": "tensorflow" });
  const { fetches = [], targets = [] } = wish;
  const plain = documentOf(nodes);
  const document = { ...plain, runConfig: { ...plain.runConfig, fetches, targets } };
  return atOnce(
    documentStep({
      document,
      lookup,
      shapes: inferShapes(document.nodes, lookup),
      kernels: { needs: new KernelNeeds(lookup, []), catalogue: new KernelCatalogue(kernelList) },
      engines,
      tasks: engines.tasks.map((engine) => ({
        engine,
        device: `/job:${engine.job}/task:${engine.index}`,
        machineId: engine.name,
        cores: 4,
        memoryBytes: 1e9,
        roundTripMillis: undefined,
        bytesPerSecond: new Map(),
      })),
      measured: wish.measured ?? NOTHING_MEASURED,
      master: wish.master,
      keepPins: wish.keepPins ?? true,
    }),
  );
}

const unitOf = ({ nodes, problem }: DocumentStep, name: string) => problem.unitOf[nodes.indexOf(name)] ?? -1;
const tasksFor = (step: DocumentStep, name: string) =>
  step.tasks
    .filter((_, task) => isAllowed(step.problem, unitOf(step, name), task))
    .map(({ engine }) => engine.name);

const ran = (name: string, task: number, durationMicros: number, startMicros = 0): NodeRun => ({
  ...{ node: name, device: `/job:worker/replica:0/task:${task}/device:CPU:0`, outputBytes: 64 },
  ...{ startMicros, durationMicros },
});

describe("the step of a document", () => {
  it("has what a run needs, and keeps a variable with what reads and changes it", () => {
    const step = stepOf(trainedVariable(), { targets: ["train"] });
    expect(step.nodes).toEqual(["x", "w", "w/read", "y", "rate", "gradient", "train"]);
    expect(new Set(["w", "train"].map((name) => unitOf(step, name))).size).toBe(1);
    expect(unitOf(step, "y")).not.toBe(unitOf(step, "w"));
    // The unit is pinned as a whole, with what initializes and restores it.
    expect(step.members[unitOf(step, "w")]).toEqual(["w", "w/Assign", "train", "save/Assign"]);
  });

  it("leaves nodes where they are pinned, unless they may be moved", () => {
    const nodes = [
      { ...placeholder("a"), device: "/job:worker/task:1" },
      { ...placeholder("b"), device: "/job:worker" },
      { ...placeholder("c"), device: "/device:GPU:0" },
    ];
    const step = stepOf(nodes, { fetches: ["a:0", "b:0", "c:0"] });
    expect(tasksFor(step, "a")).toEqual(["worker/1"]);
    expect(tasksFor(step, "b")).toEqual(["worker/0", "worker/1"]);
    // No task has a GPU: with soft placement, any will do.
    expect(tasksFor(step, "c")).toEqual(["worker/0", "worker/1"]);
    expect(step.start[unitOf(step, "a")]).toBe(1);
    const free = stepOf(nodes, { fetches: ["a:0"], keepPins: false });
    expect(tasksFor(free, "a")).toEqual(["worker/0", "worker/1"]);
  });

  it("leaves a variable where it is pinned, whatever its users are pinned to", () => {
    const engines = { "ps/0": "portable", "worker/0": "portable", "worker/1": "portable" } as const;
    const asks = "v/IsInitialized/VarIsInitializedOp";
    const use = node("y", "Neg", ["v/Read/ReadVariableOp"], { T: type("float32") }, "/job:worker/task:0");
    for (const nodes of [variablesOnPs(["v"]), variablesOnPs(["v"]).toReversed()]) {
      const step = stepOf([...nodes, use], { engines, fetches: ["y:0"] });
      expect(tasksFor(step, "v")).toEqual(["ps/0"]);
      expect(step.start[unitOf(step, "v")]).toBe(0);
      expect(tasksFor(step, "y")).toEqual(["worker/0"]);
      // The pin of what asks for the variable has no effect, so there is nothing to change.
      const { nodes: all } = documentOf([...nodes, use]);
      expect(pinsOf({ nodes: all }, step, step.start)).toEqual(new Map());
      const moved = Int32Array.from(step.start, (task, unit) => (unit === unitOf(step, "v") ? 2 : task));
      expect(pinsOf({ nodes: all }, step, moved).get(asks)).toBe("/job:worker/task:1");
    }
  });

  it("takes pins to a part of a device name together, and leaves a pin to a missing device on its task", () => {
    const engines = { "ps/0": "portable", "ps/1": "portable", "worker/0": "portable" } as const;
    const ofSomePs = variablesOnPs(["v"], { ps: "/job:ps", worker: "/job:worker/task:0" });
    const read = node("r", "ReadVariableOp", ["v"], { dtype: type("float32") }, "/job:ps/task:1");
    const onGpu = { ...placeholder("g"), device: "/job:worker/task:0/device:GPU:0" };
    const step = stepOf([...ofSomePs, read, onGpu], { engines, fetches: ["r:0", "g:0"] });
    expect(tasksFor(step, "v")).toEqual(["ps/1"]);
    expect(step.start[unitOf(step, "v")]).toBe(1);
    expect(tasksFor(step, "g")).toEqual(["worker/0"]);
  });

  it("places no node where it has no kernel, nor what is colocated with it", () => {
    const svd = node("s", "Svd", ["a"], { T: type("float32") });
    const together = {
      ...placeholder("b"),
      attr: new Map([
        ...placeholder("b").attr,
        [
          "_class",
          { value: { $case: "list" as const, value: { ...emptyList, s: [text(colocationGroup("s"))] } } },
        ],
      ]),
    };
    const step = stepOf([constant("a", "[[1]]"), svd, together], { fetches: ["s:0", "b:0"] });
    expect(tasksFor(step, "a")).toEqual(["worker/0", "worker/1"]);
    expect(tasksFor(step, "s")).toEqual(["worker/1"]);
    expect(tasksFor(step, "b")).toEqual(["worker/1"]);
  });

  it("keeps loops of TensorFlow 1 on one task", () => {
    const frame = { frame_name: { value: { $case: "s" as const, value: text("loop") } }, T: type("float32") };
    const t = { T: type("float32") };
    const nodes = [
      constant("start", "0"),
      node("enter", "Enter", ["start"], frame),
      node("merge", "Merge", ["enter", "next"], t),
      constant("limit", "[true]", "bool"),
      node("cond", "LoopCond", ["limit"]),
      node("switch", "Switch", ["merge", "cond"], t),
      node("body", "Neg", ["switch:1"], t),
      node("next", "NextIteration", ["body"], t),
      node("exit", "Exit", ["switch"], t),
      node("after", "Neg", ["exit"], t),
    ];
    const step = stepOf(nodes, { fetches: ["after:0"], engines: { "worker/0": "tensorflow" } });
    const loop = ["enter", "merge", "switch", "body", "next", "exit"].map((name) => unitOf(step, name));
    expect(new Set(loop).size).toBe(1);
    expect(unitOf(step, "start")).not.toBe(loop[0]);
    expect(unitOf(step, "after")).not.toBe(loop[0]);
    expect(step.problem.order).toHaveLength(nodes.length);
  });

  it("counts the bytes of each tensor by its shape, and computes times from operations", () => {
    const nodes = [
      constant("a", "[[1, 2], [3, 4]]"),
      node("b", "MatMul", ["a", "a"], { T: type("float32") }),
      node("c", "Neg", ["b"], { T: type("float32") }),
    ];
    const step = stepOf(nodes, { fetches: ["c:0"], engines: { "worker/0": "tensorflow" } });
    expect([...step.problem.tensorBytes]).toEqual([16, 16]);
    expect(step.problem.edgeTensor.slice(0, 2)).toEqual(Int32Array.of(0, 0));
    expect(step.problem.residentBytes[unitOf(step, "a")]).toBe(16);
    expect(step.sources).toMatchObject({ nodes: 3, measuredNodes: 0, tensors: 2, unknownSizes: 0 });
    const dynamic = stepOf([placeholder("x"), node("y", "Neg", ["x"], { T: type("float32") })], {
      fetches: ["y:0"],
    });
    expect(dynamic.sources.unknownSizes).toBe(1);
  });
});

it("sends what the lanes say, wherever its nodes are pinned or were seen", () => {
  const devices = ["", "/job:worker/task:0", "/job:worker/task:1", "/job:ps/task:0"];
  const drawn = fc.array(
    fc.record({
      device: fc.constantFrom(...devices),
      inputs: fc.array(fc.nat(9), { maxLength: 3 }),
      seenOn: fc.constantFrom("worker/0", "worker/1", "ps/0", undefined),
    }),
    { minLength: 1, maxLength: 10 },
  );
  fc.assert(
    fc.property(drawn, (parts) => {
      const nodes = parts.map(({ device, inputs }, index) => {
        const from = index === 0 ? [] : inputs.map((at) => `n${at % index}`);
        const made =
          from.length === 0
            ? constant(`n${index}`, "[1, 2, 3]")
            : node(`n${index}`, "AddN", from, {
                T: type("float32"),
                N: { value: { $case: "i", value: BigInt(from.length) } },
              });
        return { ...made, device };
      });
      const engines = { "worker/0": "portable", "worker/1": "portable", "ps/0": "portable" } as const;
      const seen = parts.flatMap(({ seenOn: task }, index) =>
        task === undefined ? [] : [[`n${index}`, { task, micros: 1, outputBytes: 12 }] as const],
      );
      const measured = { ...NOTHING_MEASURED, nodes: new Map(seen) };
      const step = stepOf(nodes, { engines, measured, fetches: nodes.map(({ name }) => `${name}:0`) });
      const all = new Map(nodes.map((one) => [one.name, one]));
      const places = new NodePlaces(all, lookup, enginesOf(engines));
      const estimates = new ShapeEstimates(lookup, inferShapes(all, lookup));
      const { bytes } = sentBytes(
        all,
        new Set(all.keys()),
        (one) => taskNow(one, places, measured),
        (one, output) => tensorSize(one, output, estimates, measured).bytes,
      );
      expect(new StepSimulator(step.problem).run(step.start).bytes).toBe(bytes);
    }),
  );
});

describe("a traced step", () => {
  const opOf = (name: string) => (name.startsWith("m") ? `MatMul${name.at(1)}` : "Neg");
  const weightOf = (name: string) => (name === "m0" ? 3 : 1);

  it("divides the time in which several nodes ran among them, as in a region", () => {
    const { nodes } = measurementsOf(
      [ran("m0", 0, 400), ran("n", 0, 400), ran("o", 0, 50, 400)],
      [],
      opOf,
      weightOf,
    );
    expect(nodes.get("m0")).toMatchObject({ task: "worker/0", micros: 300 });
    expect(nodes.get("n")).toMatchObject({ micros: 100 });
    expect(nodes.get("o")).toMatchObject({ micros: 50 });
  });

  it("divides time that overlaps only in part", () => {
    const { nodes } = measurementsOf([ran("n", 0, 100), ran("o", 0, 100, 60)], [], opOf, weightOf);
    expect(nodes.get("n")?.micros).toBeCloseTo(80, 6);
    expect(nodes.get("o")?.micros).toBeCloseTo(80, 6);
  });

  it("tells how fast tasks are, where they ran enough of the same ops", () => {
    const runs = [0, 1, 2].flatMap((kind) => [
      ran(`m${kind}a`, 0, 100 + kind, 1000 * kind),
      ran(`m${kind}b`, 0, 100 + kind, 1000 * kind + 500),
      ran(`m${kind}c`, 1, 300 + 3 * kind, 1000 * kind),
    ]);
    const { slowness } = measurementsOf(runs, [], opOf, weightOf);
    expect(slowness).toEqual(
      new Map([
        ["worker/0", 1],
        ["worker/1", 3],
      ]),
    );
    expect(measurementsOf(runs.slice(0, 4), [], opOf, weightOf).slowness.has("worker/1")).toBe(false);
  });

  it("decides sizes, costs of connections and where unpinned nodes are", () => {
    const transfer = (bytes: number, durationMicros: number): Transfer => ({
      ...{ tensor: "x:0", fromDevice: ran("x", 0, 0).device, toDevice: ran("x", 1, 0).device },
      ...{ startMicros: 0, durationMicros, bytes, timed: true },
    });
    const nodes = [placeholder("x"), node("y", "Neg", ["x"], { T: type("float32") })];
    const measured = measurementsOf(
      [ran("x", 0, 5), ran("y", 1, 70)],
      [transfer(1_000_000, 2100), transfer(100, 100)],
      opOf,
      weightOf,
    );
    const step = stepOf(nodes, { fetches: ["y:0"], measured });
    expect([...step.start]).toEqual([0, 1]);
    expect([...step.problem.tensorBytes]).toEqual([100]);
    expect(step.problem.latencyMicros[1]).toBe(100);
    expect(step.problem.microsPerByte[1]).toBeCloseTo(0.002, 6);
    expect(step.problem.micros[2 + 1]).toBe(70);
    expect(step.sources).toMatchObject({ measuredNodes: 2, unknownSizes: 0, links: 2, measuredLinks: 1 });
  });
});

const emptyList = { s: [], i: [], f: [], b: [], type: [], shape: [], tensor: [], func: [] };
const text = (value: string) => Buffer.from(value);

describe("the time of a step with more than one task", () => {
  const PORTABLE = { "worker/0": "portable", "worker/1": "portable" } as const;
  const ran = (name: string, task: number, startMicros: number, durationMicros: number): NodeRun => ({
    ...{ node: name, device: `/job:worker/replica:0/task:${task}/device:CPU:0` },
    ...{ startMicros, durationMicros, outputBytes: 4 },
  });
  const sent = (tensor: string, startMicros: number, durationMicros: number): Transfer => ({
    ...{ tensor, startMicros, durationMicros, bytes: 4, timed: true },
    fromDevice: "/job:worker/replica:0/task:1/device:CPU:0",
    toDevice: "/job:worker/replica:0/task:0/device:CPU:0",
  });
  const onTask = (name: string, task: number) => ({
    ...constant(name, "1"),
    device: `/job:worker/task:${task}`,
  });
  const twoTasks = [onTask("a", 0), onTask("b", 1)];
  const expectedOf = (nodes: readonly NodeDef[], wish: Wish) => {
    const { problem, start } = stepOf(nodes, { engines: PORTABLE, master: "worker/0", ...wish });
    return new StepSimulator(problem).run(start).micros;
  };

  it.each([
    // Traced steps of two constants on two portable tasks of one machine.
    [8570, [ran("a", 0, 55, 23), ran("b", 1, 1483, 19)], [sent("b:0", 7260, 1306)]],
    [7770, [ran("a", 0, 44, 19), ran("b", 1, 3352, 20)], [sent("b:0", 7109, 665)]],
    [12_950, [ran("a", 0, 52, 25), ran("b", 1, 1113, 21)], [sent("b:0", 11_024, 1928)]],
  ])("is what was measured, of %i µs", (micros, runs, transfers) => {
    const measured = measurementsOf(
      runs,
      transfers,
      () => "Const",
      () => 1,
      { micros, master: "worker/0" },
    );
    const expected = expectedOf(twoTasks, { measured, fetches: ["a:0", "b:0"] });
    expect(Math.abs(expected - micros) / micros).toBeLessThan(0.2);
    // With both on the master's task, nothing has to be started or sent.
    const together = expectedOf([onTask("a", 0), onTask("b", 0)], { measured, fetches: ["a:0", "b:0"] });
    expect(together).toBeLessThan(200);
  });

  it("is that of the welcome graph as it was traced", () => {
    const nodes = [
      ...[onTask("a", 0), onTask("b", 0)],
      node("x", "AddV2", ["a", "b"], { T: type("float32") }, "/job:worker/task:0"),
      node("y", "Mul", ["a", "b"], { T: type("float32") }, "/job:worker/task:0"),
      node("z", "AddV2", ["x", "y"], { T: type("float32") }, "/job:worker/task:1"),
    ];
    const whole = { micros: 13_010, master: "worker/0" };
    const runs = [ran("z", 1, 1618, 29)];
    const measured = measurementsOf(
      runs,
      [sent("z:0", 7922, 5089)],
      () => "AddV2",
      () => 1,
      whole,
    );
    const expected = expectedOf(nodes, { measured, fetches: ["z:0"] });
    expect(Math.abs(expected - whole.micros) / whole.micros).toBeLessThan(0.2);
  });

  it("is assumed where nothing was measured: the way to the task, and the way back", () => {
    const split = expectedOf(twoTasks, { fetches: ["a:0", "b:0"] });
    const together = expectedOf([onTask("a", 0), onTask("b", 0)], { fetches: ["a:0", "b:0"] });
    expect(split - together).toBeGreaterThan(1000);
    // The master's own task needs neither.
    expect(
      expectedOf([onTask("a", 1), onTask("b", 1)], { fetches: ["a:0", "b:0"], master: "worker/1" }),
    ).toBe(together);
  });

  it("says nothing of a task whose first node waited for another task", () => {
    const { starts } = measurementsOf(
      [ran("a", 1, 50, 20), ran("z", 0, 5000, 20)],
      [sent("a:0", 100, 4000)],
      () => "Const",
      () => 1,
    );
    expect([...starts]).toEqual([["worker/1", 50]]);
  });
});
