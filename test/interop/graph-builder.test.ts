import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { OpList } from "../../protos/generated/tensorflow/op_def.js";
import { VariableDef } from "../../protos/generated/tensorflow/variable.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import { OP_LIST_TENSORFLOW_VERSION } from "../../worker-runtime/graph/op-list.js";
import { bundledOpRegistry } from "../../worker-runtime/graph/op-registry.js";
import { partialShapeFromProto } from "../../worker-runtime/graph/shape.js";
import { formatText } from "../../worker-runtime/graph/text-format.js";
import { peerMissing, repositoryRoot, tensorflowPython } from "../support/peers.js";
import { programs } from "./graph-programs.js";

interface FromPython {
  readonly version: string;
  readonly programs: Readonly<Record<string, string>>;
  readonly ops: string;
}

/**
 * Attributes that Python adds to nodes: a mark for its own rewriting of functions, and the shapes (and full types) it inferred.
 */
const ADDED_BY_EXPORT = new Set(["_has_manual_control_dependencies", "_output_shapes"]);

function decoded(base64: string | undefined): Uint8Array {
  return new Uint8Array(Buffer.from(base64 ?? "", "base64"));
}

function nodeTexts(nodes: readonly NodeDef[]): string[] {
  return nodes.map((node) => {
    const attr = new Map([...node.attr].filter(([name]) => !ADDED_BY_EXPORT.has(name)));
    return formatText("tensorflow.NodeDef", { ...node, attr, experimentalType: undefined });
  });
}

function variablesOf(metaGraph: MetaGraphDef, collection: string): unknown[] {
  const kind = metaGraph.collectionDef.get(collection)?.kind;
  return kind?.$case === "bytesList" ? kind.value.value.map((bytes) => VariableDef.decode(bytes)) : [];
}

describe.skipIf(peerMissing("tensorflow"))("graphs against those that Python builds", () => {
  let python: FromPython;
  const unknown = new Set<string>();

  beforeAll(() => {
    const script = join(repositoryRoot, "test", "interop", "graph-programs.py");
    const options = {
      encoding: "utf8",
      maxBuffer: 1 << 26,
      stdio: ["ignore", "pipe", "ignore"] as ("ignore" | "pipe")[],
    } as const;
    python = JSON.parse(execFileSync(tensorflowPython(), [script], options)) as FromPython;
  });

  test.each(Object.entries(programs))("%s is the same, node by node", (name, build) => {
    const theirs = MetaGraphDef.decode(decoded(python.programs[name]));
    const graph = new Graph();
    build(graph);
    const ours = graph.toMetaGraphDef();
    expect(nodeTexts(ours.graphDef?.node ?? [])).toEqual(nodeTexts(theirs.graphDef?.node ?? []));
    expect(ours.graphDef?.versions).toEqual(theirs.graphDef?.versions);
    for (const collection of ["variables", "trainable_variables"]) {
      expect(variablesOf(ours, collection)).toEqual(variablesOf(theirs, collection));
    }
    const opNames = (m: MetaGraphDef) => m.metaInfoDef?.strippedOpList?.op.map((op) => op.name);
    expect(opNames(ours)).toEqual(opNames(theirs));
  });

  test.each(Object.entries(programs))(
    "%s has the shapes that TensorFlow infers, as far as they are known",
    (name, build) => {
      const theirs = MetaGraphDef.decode(decoded(python.programs[name])).graphDef?.node ?? [];
      const graph = new Graph();
      build(graph);
      for (const node of theirs) {
        const attr = node.attr.get("_output_shapes")?.value;
        const shapes = attr?.$case === "list" ? attr.value.shape.map(partialShapeFromProto) : [];
        graph.operation(node.name).outputs.forEach((output, i) => {
          // An op without a rule says nothing; one with a rule says what TensorFlow says.
          if (output.shape) expect([output.name, output.shape]).toEqual([output.name, shapes[i]]);
          else if (shapes[i]) unknown.add(output.op.type);
        });
      }
    },
  );

  test("only these ops of the programs have no rule for a shape that TensorFlow knows", () => {
    // Python itself adds that a sum over all dimensions of a tensor of unknown rank is a scalar.
    expect([...unknown].sort()).toEqual(["QueueDequeueManyV2", "QueueDequeueV2", "Sum"]);
  });

  test("a graph that Python built reads and writes the same", () => {
    for (const encoded of Object.values(python.programs)) {
      const { graphDef } = MetaGraphDef.decode(decoded(encoded));
      if (!graphDef) throw new Error("no graph");
      const back = Graph.fromGraphDef(graphDef).toGraphDef();
      expect(formatText("tensorflow.GraphDef", back)).toBe(formatText("tensorflow.GraphDef", graphDef));
    }
  });

  test("the bundled op list is that of the installed TensorFlow", () => {
    expect(OP_LIST_TENSORFLOW_VERSION).toBe(python.version);
    const theirs = OpList.decode(decoded(python.ops)).op;
    const registry = bundledOpRegistry();
    expect(registry.names()).toEqual(theirs.map((op) => op.name).sort());
    for (const op of theirs) {
      for (const described of [op, ...op.inputArg, ...op.outputArg, ...op.attr]) described.description = "";
      op.summary = "";
      expect(registry.get(op.name)).toEqual(op);
    }
  });
});
