/**
 * Keras models on a server that runs every region by ONNX Runtime: inference of the frozen graph and one step of training
 * give what TensorFlow gives, and only listed ops are run by kernels. TENSORDECK_MODELS chooses other models of
 * keras_models.py, such as "ResNet50,EfficientNetB0".
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunMetadata } from "../../../../protos/generated/tensorflow/config.js";
import type { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { KernelNode } from "../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { createLoweringRegistry } from "../../../../worker-runtime/engines/portable/lowering/all.js";
import type { Lowering } from "../../../../worker-runtime/engines/portable/lowering/lowering.js";
import type { Graph } from "../../../../worker-runtime/graph/graph.js";
import { bundledOpRegistry } from "../../../../worker-runtime/graph/op-registry.js";
import type { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import { Session } from "../../../../worker-runtime/session/session.js";
import { peerMissing } from "../../../support/peers.js";
import { type StartedWorker, startWorker } from "../../worker-peers.js";
import { type ExportedModel, exportModels, readGraph, readTensor } from "./exported-models.js";
import { runByKernels } from "./run-by-kernels.js";

const models = process.env.TENSORDECK_MODELS?.split(",") ?? [
  "residual",
  "MobileNetV2",
  "transformer",
  "LSTM",
  "GRU",
  "U-Net",
  "volumes",
  "mixture",
  "one dimension",
];

const numbers = (tensor: Tensor): number[] => Array.from(tensor.data as ArrayLike<number>);

const largest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

/** The largest difference between two tensors; infinite if one is NaN, or for other shapes. */
function distance(given: Tensor | undefined, expected: Tensor): number {
  if (given?.dtype !== expected.dtype || given.shape.join() !== expected.shape.join()) {
    return Number.POSITIVE_INFINITY;
  }
  const wanted = numbers(expected);
  const differences = numbers(given).map((value, i) => Math.abs(value - (wanted[i] ?? 0)));
  return differences.some(Number.isNaN) ? Number.POSITIVE_INFINITY : largest(differences);
}

const fed = (feeds: Readonly<Record<string, string>>) =>
  Object.entries(feeds).map(([name, file]) => [name, readTensor(file)] as const);

const lowerings = createLoweringRegistry();

/** Ops of which a session has nothing to compute: a kernel runs them if nothing else in their region needs them. */
const trivial: ReadonlySet<string> = new Set(["Identity", "Shape", "ShapeN"]);

/** All nodes of a graph and of its functions, by name. */
function nodesByName({ node, library }: GraphDef): ReadonlyMap<string, readonly NodeDef[]> {
  const byName = new Map<string, NodeDef[]>();
  for (const one of [...node, ...(library?.function.flatMap(({ nodeDef }) => nodeDef) ?? [])]) {
    byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  }
  return byName;
}

function loweringOf(def: NodeDef): Lowering | undefined {
  const opDef = bundledOpRegistry().get(def.op);
  return opDef && lowerings.find(new KernelNode(def, opDef));
}

/** Whether a node gathers rows of a variable of which a kernel changes single rows: both are run by kernels. */
function takesRows(def: NodeDef, { node }: GraphDef): boolean {
  const read = node.find(({ name }) => name === def.input[0]);
  return (
    loweringOf(def)?.gathers === true &&
    read?.op === "ReadVariableOp" &&
    node.some(({ op, input }) => /^Resource(Scatter|Sparse)/.test(op) && input[0] === read.input[0])
  );
}

/** The nodes that kernels ran in a traced step: ops, and the names of nodes that have a lowering. */
function runOfKernels(metadata: RunMetadata | undefined, graph: GraphDef): string[] {
  const byName = nodesByName(graph);
  const byKernel = new Map<string, boolean>();
  const ops = new Map<string, string>();
  for (const { nodeStats } of metadata?.stepStats?.devStats ?? []) {
    for (const { nodeName, timelineLabel, output } of nodeStats) {
      const isInSession = timelineLabel.includes(" in a region of ");
      byKernel.set(nodeName, output.length > 0 && !isInSession && byKernel.get(nodeName) !== false);
      ops.set(nodeName, / = (\w+)\(/.exec(timelineLabel)?.[1] ?? nodeName);
    }
  }
  const found = [...byKernel].flatMap(([name, isKernel]) => {
    const op = ops.get(name) ?? name;
    if (!isKernel) return [];
    const defs = byName.get(name) ?? byName.get(name.split("/").at(-1) ?? "") ?? [];
    const isDeclined =
      !trivial.has(op) &&
      defs.some((def) => def.op === op && loweringOf(def) !== undefined && !takesRows(def, graph));
    return [isDeclined ? `${op} of ${name}, which has a lowering` : op];
  });
  return [...new Set(found)].sort();
}

describe.skipIf(peerMissing("tensorflow"))("Keras models run in regions", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tensordeck-models-"));
  let server: StartedWorker;
  let exported: Readonly<Record<string, ExportedModel>> = {};
  const seen = new Set<string>();

  beforeAll(async () => {
    [server, exported] = await Promise.all([
      startWorker(["--engine", "portable", "--regions=always"]),
      exportModels(folder, models),
    ]);
  }, 600_000);
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function expectOnlyListed(metadata: RunMetadata | undefined, graph: Graph): void {
    const ops = runOfKernels(metadata, graph.toGraphDef());
    for (const op of ops) seen.add(op);
    expect(ops.filter((op) => runByKernels[op] === undefined)).toEqual([]);
  }

  test.each(models)("%s infers", { timeout: 600_000 }, async (name) => {
    const { graph, feeds, fetches, expected } = (exported[name] as ExportedModel).inference;
    const model = readGraph(graph);
    const session = new Session(server.target, { graph: model });
    try {
      const options = { feeds: fed(feeds) };
      const first = await session.run(fetches, options);
      const { values, metadata } = await session.run(fetches, { ...options, options: { trace: true } });
      for (const [i, file] of expected.entries()) {
        const wanted = readTensor(file);
        for (const given of [first.values[i], values[i]]) {
          expect(distance(given, wanted)).toBeLessThan(1e-4 * largest(numbers(wanted)));
        }
      }
      expectOnlyListed(metadata, model);
    } finally {
      await session.close();
    }
  });

  test.each(models)("%s trains", { timeout: 600_000 }, async (name) => {
    const { graph, initialize, train, feeds, loss, expectedLoss, variables } = (
      exported[name] as ExportedModel
    ).training;
    const model = readGraph(graph);
    const session = new Session(server.target, { graph: model });
    try {
      const options = { feeds: fed(feeds), targets: [train] };
      // The first step of a region that changes variables is run by its kernels, the second by its sessions.
      await session.run([], { targets: [initialize] });
      await session.run([loss], options);
      await session.run([], { targets: [initialize] });
      const { values } = await session.run([loss], options);
      expect(distance(values[0], readTensor(expectedLoss))).toBeLessThan(1e-4);
      const after = await session.run(variables.map((variable) => variable.name));
      const changes = variables.map(({ before, after: changed }) =>
        distance(readTensor(before), readTensor(changed)),
      );
      const most = largest(changes);
      for (const [i, variable] of variables.entries()) {
        const allowed = 2e-3 * (changes[i] ?? 0) + 1e-4 * most;
        expect(distance(after.values[i], readTensor(variable.after)), variable.name).toBeLessThan(allowed);
      }
      const { metadata } = await session.run([loss], { ...options, options: { trace: true } });
      expectOnlyListed(metadata, model);
    } finally {
      await session.close();
    }
  });

  test.skipIf(process.env.TENSORDECK_MODELS)(
    "each op in the list of those run by kernels is one of theirs",
    () => {
      expect(Object.keys(runByKernels).filter((op) => !seen.has(op))).toEqual([]);
    },
  );
});
