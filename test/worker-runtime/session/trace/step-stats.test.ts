import { describe, expect, test } from "vitest";
import { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import { StepStats } from "../../../../protos/generated/tensorflow/step_stats.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { chromeTrace } from "../../../../worker-runtime/session/trace/chrome-trace.js";
import { userNodeName } from "../../../../worker-runtime/session/trace/node-names.js";
import { placementLine, placementOf } from "../../../../worker-runtime/session/trace/placement.js";
import { readStepStats, summariseNodes } from "../../../../worker-runtime/session/trace/step-stats.js";
import {
  parseNodeLabel,
  parseTransferLabel,
} from "../../../../worker-runtime/session/trace/timeline-label.js";
import { foldedByMasterStep, foldedByWorkerStep, recordedGraph, unoptimizedStep } from "./recorded-steps.js";

const TASK_0 = "/job:worker/replica:0/task:0";
const TASK_1 = "/job:worker/replica:0/task:1";
const CPU_0 = `${TASK_0}/device:CPU:0`;
const CPU_1 = `${TASK_1}/device:CPU:0`;

test("copies between a GPU and its host are transfers between its task's devices", () => {
  const copy = (nodeName: string, start: bigint) => ({
    nodeName,
    timelineLabel: `${nodeName} 400 bytes`,
    allStartNanos: start,
    allEndRelNanos: 3_000n,
  });
  const gpu = `${TASK_1}/device:GPU:0`;
  const { transfers, nodes, devices } = readStepStats(
    StepStats.fromPartial({
      devStats: [
        { device: gpu, nodeStats: [{ nodeName: "x", allStartNanos: 1_000_000n, allEndRelNanos: 9_000n }] },
        {
          device: `${gpu}/memcpy`,
          nodeStats: [copy("MEMCPYHtoD", 1_001_000n), copy("MEMCPYDtoH", 1_006_000n)],
        },
      ],
    }),
  );
  const common = { durationMicros: 3, bytes: 400, timed: true };
  expect(transfers).toEqual([
    { tensor: "MEMCPYHtoD", fromDevice: CPU_1, toDevice: gpu, startMicros: 1, ...common },
    { tensor: "MEMCPYDtoH", fromDevice: gpu, toDevice: CPU_1, startMicros: 6, ...common },
  ]);
  expect(nodes.map(({ node }) => node)).toEqual(["x"]);
  expect(devices).toEqual([gpu]);
});

describe("a recorded step", () => {
  test("every node of the graph, its device, op and bytes; nothing of TensorFlow's own", () => {
    const trace = readStepStats(unoptimizedStep(), recordedGraph());
    const nodes = trace.nodes.map(
      ({ node, op, device, outputBytes }) => `${node} ${op} ${device} ${outputBytes}`,
    );
    expect(nodes.sort()).toEqual([
      `a Const ${CPU_0} 4`,
      `b Const ${CPU_0} 4`,
      `x AddV2 ${CPU_0} 4`,
      `y Mul ${CPU_0} 4`,
      `z AddV2 ${CPU_1} 4`,
    ]);
    expect(trace.devices).toEqual([CPU_0, CPU_1]);
    for (const { startMicros, durationMicros } of trace.nodes) {
      expect(startMicros).toBeGreaterThanOrEqual(0);
      expect(durationMicros).toBeGreaterThan(0);
      expect(startMicros + durationMicros).toBeLessThanOrEqual(trace.durationMicros);
    }
  });

  test("transfers name tensor, both devices and bytes", () => {
    const { transfers } = readStepStats(unoptimizedStep(), recordedGraph());
    expect(
      transfers.map(({ tensor, fromDevice, toDevice, bytes }) => [tensor, fromDevice, toDevice, bytes]),
    ).toEqual(
      expect.arrayContaining([
        ["x:0", CPU_0, CPU_1, 4],
        ["y:0", CPU_0, CPU_1, 4],
        ["z:0", CPU_1, CPU_0, 4],
      ]),
    );
    expect(transfers.filter(({ forClient }) => forClient).map(({ tensor }) => tensor)).toEqual(["z:0"]);
  });

  // TensorFlow 2.21's record of a step whose first transfers were over before its master's Logging call came.
  test.each(["none", "y"])("transfers are all there where the receiver recorded %s", (recorded) => {
    const stats = unoptimizedStep();
    for (const lane of stats.devStats) {
      if (lane.device !== CPU_1) continue;
      lane.nodeStats = lane.nodeStats.filter(
        ({ nodeName, timelineLabel }) =>
          nodeName !== "RecvTensor" || timelineLabel.includes(`_${recorded} from`),
      );
    }
    const { transfers, nodes } = readStepStats(stats, recordedGraph());
    expect(
      transfers
        .map(({ tensor, fromDevice, toDevice, bytes, timed }) => [
          ...[tensor, fromDevice, toDevice, bytes, timed],
        ])
        .sort(),
    ).toEqual([
      ["x:0", CPU_0, CPU_1, 4, false],
      ["y:0", CPU_0, CPU_1, 4, recorded === "y"],
      ["z:0", CPU_1, CPU_0, 4, true],
    ]);
    // The times of what was not recorded are bounds: made by x, read by z.
    const time = (name: string) => nodes.find(({ node }) => node === name);
    const x = transfers.find(({ tensor }) => tensor === "x:0");
    expect(x?.startMicros).toBe((time("x")?.startMicros ?? 0) + (time("x")?.durationMicros ?? 0));
    expect((x?.startMicros ?? 0) + (x?.durationMicros ?? 0)).toBe(time("z")?.startMicros);
  });

  test("no transfer begins before what it carries was made, however early it was asked for", () => {
    const stats = unoptimizedStep();
    for (const { nodeStats } of stats.devStats) {
      const [first] = nodeStats.map(({ allStartMicros }) => allStartMicros).sort();
      for (const record of nodeStats) {
        if (record.nodeName !== "RecvTensor") continue;
        const early = record.allStartMicros - (first ?? 0n) + 1000n;
        record.allStartMicros -= early;
        record.allEndRelMicros += early;
      }
    }
    const { transfers, nodes } = readStepStats(stats, recordedGraph());
    expect(transfers).toHaveLength(3);
    for (const { tensor, startMicros, durationMicros } of transfers) {
      const maker = nodes.find(({ node }) => `${node}:0` === tensor);
      expect(startMicros).toBeGreaterThanOrEqual((maker?.startMicros ?? 0) + (maker?.durationMicros ?? 0));
      expect(durationMicros).toBeGreaterThanOrEqual(0);
    }
    const { traceEvents } = chromeTrace(stats, recordedGraph());
    const x = traceEvents.find(({ args }) => args?.name === "x");
    const received = traceEvents.find(({ args }) => args?.tensor === "x");
    expect(received?.ts).toBeGreaterThanOrEqual((x?.ts ?? 0) + (x?.dur ?? 0));
  });

  test("one clock needs no correction", () => {
    expect(readStepStats(unoptimizedStep(), recordedGraph()).clockOffsets.size).toBe(0);
  });

  test("constants that a worker folded count as the nodes they stand for", () => {
    const trace = readStepStats(foldedByWorkerStep(), recordedGraph());
    expect(trace.nodes.map(({ node, recordedName }) => [node, recordedName])).toEqual(
      expect.arrayContaining([
        ["x", "x/_0__cf__0"],
        ["y", "y/_1__cf__1"],
        ["z", "z"],
      ]),
    );
  });

  test("what the master folded is not there", () => {
    expect(readStepStats(foldedByMasterStep(), recordedGraph()).nodes.map((node) => node.node)).toEqual([
      "z",
    ]);
  });

  test("without the graph, names are kept but for folding", () => {
    expect(
      readStepStats(foldedByWorkerStep())
        .nodes.map((node) => node.node)
        .sort(),
    ).toEqual(["x", "y", "z"]);
  });

  test("no records give an empty trace", () => {
    expect(readStepStats(StepStats.create())).toMatchObject({
      durationMicros: 0,
      nodes: [],
      transfers: [],
      devices: [],
    });
  });
});

/** The recorded step with the clock of one task moved. */
function shifted(task: string, micros: bigint): StepStats {
  const stats = unoptimizedStep();
  for (const device of stats.devStats) {
    if (!device.device.startsWith(task)) continue;
    for (const node of device.nodeStats) {
      node.allStartMicros += micros;
      if (node.allStartNanos > 0n) node.allStartNanos += micros * 1000n;
    }
  }
  return stats;
}

test.each([-5_000_000n, 5_000_000n])("clocks that differ by %i µs are brought in line", (micros) => {
  const trace = readStepStats(shifted(TASK_1, micros), recordedGraph());
  const end = (name: string) => {
    const node = trace.nodes.find((entry) => entry.node === name);
    return (node?.startMicros ?? 0) + (node?.durationMicros ?? 0);
  };
  for (const { tensor, startMicros, durationMicros } of trace.transfers) {
    expect(startMicros + durationMicros).toBeGreaterThanOrEqual(end(tensor.replace(/:0$/, "")) - 1);
  }
  expect(trace.durationMicros).toBeLessThan(20_000);
  expect(trace.clockOffsets.get(TASK_1)).toBeCloseTo(-Number(micros), -4);
});

test("nodes that ran several times are summed", () => {
  const node = (name: string, start: bigint) => ({
    nodeName: name,
    timelineLabel: `${name} = Mul(x, x)`,
    allStartMicros: start,
    allEndRelMicros: 10n,
  });
  const stats = StepStats.fromPartial({
    devStats: [
      { device: CPU_0, nodeStats: [node("loop/mul", 200n), node("loop/mul", 100n), node("y", 150n)] },
    ],
  });
  const summary = summariseNodes(readStepStats(stats));
  expect(
    summary.map(({ node: name, startMicros, durationMicros, runs }) => [
      name,
      startMicros,
      durationMicros,
      runs,
    ]),
  ).toEqual([
    ["loop/mul", 0, 20, 2],
    ["y", 50, 10, 1],
  ]);
});

describe("names", () => {
  const known = new Set(["x", "scope/x", "call", "x_1", "parts"]);
  test.each([
    ["x", "x"],
    ["scope/x", "scope/x"],
    ["x/_0__cf__0", "x"],
    ["x_S1", "x"],
    ["scope/x/_12", "scope/x"],
    ["x_G12", "x"],
    ["x_1", "x_1"],
    ["x_1_S3", "x_1"],
    ["ConstantFolding/scope/x-folded-0", "scope/x"],
    ["call/inner/Add", "call"],
    ["y", undefined],
    ["swap_in_z", undefined],
  ])("%s is %s", (recorded, node) => {
    expect(userNodeName(recorded, known)).toBe(node);
  });

  test("labels", () => {
    expect(parseNodeLabel("x = AddV2(a, b:1)")).toEqual({ name: "x", op: "AddV2", inputs: ["a", "b:1"] });
    expect(parseNodeLabel("_SOURCE = NoOp()")?.inputs).toEqual([]);
    expect(parseNodeLabel("x = AddV2(a, b:1) in a region of 3 nodes")).toEqual({
      ...{ name: "x", op: "AddV2", inputs: ["a", "b:1"] },
      together: 3,
    });
    expect(parseNodeLabel("nonsense")).toBeUndefined();
    expect(parseTransferLabel(`[1.5MB] [2Mb/s] edge_12_a/b from ${CPU_0} to ${CPU_1}`)).toEqual({
      node: "a/b",
      fromDevice: CPU_0,
      toDevice: CPU_1,
      bytes: 1.5 * 2 ** 20,
    });
    expect(parseTransferLabel("")).toBeUndefined();
  });

  test("the output of a transfer is the one that is used", () => {
    const graph = GraphDef.fromPartial({
      node: [
        { name: "parts", op: "SplitV" },
        { name: "sum", op: "Sum", input: ["parts:1", "^x"] },
      ],
    });
    const stats = StepStats.fromPartial({
      devStats: [
        {
          device: CPU_1,
          nodeStats: [
            { nodeName: "RecvTensor", timelineLabel: `[4B] edge_1_parts from ${CPU_0} to ${CPU_1}` },
          ],
        },
      ],
    });
    expect(readStepStats(stats, graph).transfers[0]?.tensor).toBe("parts:1");
  });
});

describe("transfers that nobody recorded", () => {
  const output = (slot: number, sizes: number[], dtype = DataType.DT_FLOAT) => ({
    slot,
    tensorDescription: { dtype, shape: { dim: sizes.map((size) => ({ size: BigInt(size) })) } },
  });
  const ran = (nodeName: string, start: bigint, outputs: ReturnType<typeof output>[] = []) => ({
    nodeName,
    timelineLabel: `${nodeName} = Op()`,
    allStartMicros: start,
    allEndRelMicros: 10n,
    output: outputs,
  });
  const received = (label: string, start: bigint, bytes: number) => ({
    nodeName: "RecvTensor",
    timelineLabel: `[${bytes}B] ${label} from ${CPU_0} to ${CPU_1}`,
    allStartMicros: start,
    allEndRelMicros: 5n,
    output: [{ tensorDescription: { allocationDescription: { requestedBytes: BigInt(bytes) } } }],
  });
  const transfersOf = (
    graph: { name: string; input?: string[] }[],
    lanes: Record<string, (ReturnType<typeof ran> | ReturnType<typeof received>)[]>,
  ) =>
    readStepStats(
      StepStats.fromPartial({
        devStats: Object.entries(lanes).map(([device, nodeStats]) => ({ device, nodeStats })),
      }),
      GraphDef.fromPartial({ node: graph }),
    ).transfers.map(({ tensor, bytes, timed }) => [tensor, bytes, timed]);

  test("are counted by output, with what is known of their size", () => {
    const graph = [{ name: "p" }, { name: "c", input: ["p:1", "p", "^p"] }, { name: "d", input: ["p:1"] }];
    const made = ran("p", 100n, [output(0, [2, 3], DataType.DT_STRING), output(1, [2, 3])]);
    const lanes = { [CPU_0]: [made], [CPU_1]: [ran("c", 200n), ran("d", 210n)] };
    expect(transfersOf(graph, lanes)).toEqual([
      ["p:1", 24, false],
      ["p:0", undefined, false],
    ]);
    // A label names the node alone; its size tells which output it was.
    const one = { [CPU_0]: [made], [CPU_1]: [received("edge_1_p", 150n, 24), ...lanes[CPU_1]] };
    expect(transfersOf(graph, one).sort()).toEqual([
      ["p:0", undefined, false],
      ["p:1", 24, true],
    ]);
  });

  test("are of control edges, and for the client, where no node reads them", () => {
    const graph = [{ name: "p" }, { name: "q" }, { name: "r" }, { name: "c", input: ["^p", "r"] }];
    const lanes = {
      [CPU_0]: ["p", "q", "r"].map((name) => ran(name, 100n, [output(0, [])])),
      [CPU_1]: ["p", "q", "r"].map((name) => received(`edge_1_${name}`, 150n, 4)),
    };
    expect(transfersOf(graph, lanes).sort()).toEqual([
      ["^p", 4, true],
      ["q:0", 4, true],
      ["r:0", 4, true],
    ]);
  });

  test("are none to where only what the runtime derived from the reader ran, such as the end of a control edge", () => {
    const graph = [{ name: "p" }, { name: "c", input: ["p"] }];
    const made = ran("p", 100n, [output(0, [])]);
    const derived = ran("c/_3", 220n);
    expect(transfersOf(graph, { [CPU_0]: [made, ran("c", 200n)], [CPU_1]: [derived] })).toEqual([]);
    expect(transfersOf(graph, { [CPU_0]: [made], [CPU_1]: [derived] })).toEqual([["p:0", 4, false]]);
  });

  test("are none where nothing went: a dead output, a reader or a maker that did not run, a copy, control edges", () => {
    const graph = [
      { name: "p" },
      { name: "dead", input: ["p:1"] },
      { name: "idle", input: ["p"] },
      { name: "fed" },
      { name: "after", input: ["^p", "fed", "copied"] },
      { name: "copied" },
    ];
    const copied = ran("copied", 110n, [output(0, [])]);
    const lanes = {
      [CPU_0]: [ran("p", 100n, [output(0, [])]), copied],
      [CPU_1]: [ran("dead", 200n), ran("after", 220n), copied],
    };
    expect(transfersOf(graph, lanes)).toEqual([]);
  });

  test("are the first ones of a loop, whose later ones were recorded", () => {
    const graph = [{ name: "p" }, { name: "c", input: ["p"] }];
    const lanes = {
      [CPU_0]: [100n, 200n, 300n].map((start) => ran("p", start, [output(0, [])])),
      [CPU_1]: [...[150n, 250n, 350n].map((start) => ran("c", start)), received("edge_1_p", 312n, 4)],
    };
    const { transfers } = readStepStats(
      StepStats.fromPartial({
        devStats: Object.entries(lanes).map(([device, nodeStats]) => ({ device, nodeStats })),
      }),
      GraphDef.fromPartial({ node: graph }),
    );
    expect(
      transfers.map(({ startMicros, durationMicros, timed }) => [startMicros, durationMicros, timed]),
    ).toEqual([
      [10, 40, false],
      [110, 40, false],
      [212, 5, true],
    ]);
  });
});

describe("the Chrome trace", () => {
  test("a process per device, an event per record, arrows from makers to takers", () => {
    const { traceEvents } = chromeTrace(unoptimizedStep(), recordedGraph());
    const named = traceEvents
      .filter((event) => event.name === "process_name")
      .map((event) => event.args?.name);
    expect(named).toEqual([`${CPU_0} Compute`, `${CPU_1} Compute`]);
    const regions = traceEvents.filter((event) => event.ph === "X");
    expect(regions.length).toBe(10);
    expect(regions.find((event) => event.args?.name === "y")).toMatchObject({
      name: "Mul",
      cat: "Op",
      pid: 0,
      args: { name: "y", op: "Mul", input0: "a", input1: "b", bytes: 4 },
    });
    expect(
      regions.filter((event) => event.name === "RecvTensor").map((event) => event.args?.tensor),
    ).toContain("z");
    expect(Math.min(...regions.map((event) => event.ts ?? -1))).toBe(0);
    const starts = traceEvents.filter((event) => event.ph === "s");
    // a and b to x and y, x and y to z across tasks, z to its fetch.
    expect(starts.length).toBeGreaterThanOrEqual(7);
    for (const start of starts) {
      const end = traceEvents.find((event) => event.ph === "t" && event.id === start.id);
      expect(end?.ts).toBeGreaterThanOrEqual(start.ts ?? Number.NaN);
    }
    expect(() => JSON.stringify(traceEvents)).not.toThrow();
  });

  test("records that overlap get lanes of their own", () => {
    const node = (name: string, start: bigint, end: bigint) => ({
      nodeName: name,
      timelineLabel: `${name} = NoOp()`,
      allStartMicros: start,
      allEndRelMicros: end,
    });
    const stats = StepStats.fromPartial({
      devStats: [{ device: CPU_0, nodeStats: [node("a", 0n, 10n), node("b", 5n, 10n), node("c", 10n, 5n)] }],
    });
    const lanes = chromeTrace(stats).traceEvents.filter((event) => event.ph === "X");
    expect(lanes.map((event) => [event.args?.name, event.tid])).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 0],
    ]);
  });
});

test("placement from partition graphs, in the graph's order, as TensorFlow's log has it", () => {
  const partitions = [
    GraphDef.fromPartial({
      node: [
        { name: "y", op: "Mul", device: CPU_0 },
        { name: "x", op: "AddV2", device: CPU_0 },
        { name: "x_S1", op: "_Send", device: CPU_0 },
      ],
    }),
    GraphDef.fromPartial({
      node: [
        { name: "x_S2", op: "_Recv", device: CPU_1 },
        { name: "z", op: "AddV2", device: CPU_1 },
      ],
    }),
  ];
  expect(placementOf(partitions, recordedGraph()).map(placementLine)).toEqual([
    `x: (AddV2): ${CPU_0}`,
    `y: (Mul): ${CPU_0}`,
    `z: (AddV2): ${CPU_1}`,
  ]);
});
