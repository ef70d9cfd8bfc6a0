/**
 * A graph computes the same before and after some of its nodes are a function, and what the function's body says after it
 * was edited, on TensorFlow and on the portable engine.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { graphToRun, readDocument, writeDocument } from "../../renderer/document/document-file.js";
import { moveOnBorder } from "../../renderer/document/edits/arguments.js";
import { setAttr } from "../../renderer/document/edits/attrs.js";
import { editFunction } from "../../renderer/document/edits/edit-function.js";
import { extractFunction } from "../../renderer/document/edits/extract-function.js";
import { inlineFunction } from "../../renderer/document/edits/inline-function.js";
import { insertOnEdge } from "../../renderer/document/edits/insert-on-edge.js";
import { moveNodes } from "../../renderer/document/edits/place.js";
import { rename } from "../../renderer/document/edits/rename.js";
import type { EditResult } from "../../renderer/document/edits/types.js";
import { bodyDocument } from "../../renderer/document/function-body.js";
import { functionsOf, nameOf } from "../../renderer/document/library.js";
import type { GraphDocument } from "../../renderer/document/model.js";
import { apply } from "../../renderer/document/operations.js";
import type { OpLookup } from "../../renderer/document/signature.js";
import { tensorOfText } from "../../renderer/document/values.js";
import { type EngineName, Server } from "../../worker-runtime/engines/server.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import { initialValues, LAYERS, makeLayer } from "../../worker-runtime/graph/layers/index.js";
import { bundledOpRegistry } from "../../worker-runtime/graph/op-registry.js";
import {
  add,
  assignAdd,
  constant,
  less,
  multiply,
  placeholder,
  readVariable,
  variable,
  whileLoop,
} from "../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";

interface Case {
  readonly graph: GraphDef;
  readonly feeds?: Readonly<Record<string, Tensor>>;
  /** The initializers of its variables, and the values that they get. */
  readonly init?: { readonly targets: readonly string[]; readonly feeds: ReadonlyMap<string, Tensor> };
  /** Read by a node outside of the function, so that its name stays. */
  readonly fetch: string;
  isExtracted(name: string, op: string): boolean;
}

function made(build: (graph: Graph) => void): GraphDef {
  const graph = new Graph();
  build(graph);
  return graph.toGraphDef();
}

/** Some numbers between -1 and 1. */
function waves(shape: readonly number[]): Tensor {
  const size = shape.reduce((product, side) => product * side, 1);
  const values = Array.from({ length: size }, (_, at) => Math.sin(at));
  return Tensor.of(values, "float32", [...shape]);
}

/** A layer on x of [3, 4]; its variables stay outside. */
function layerCase(layer: string, shape: readonly number[]): Case {
  const spec = LAYERS.find(({ name }) => name === layer);
  if (!spec) throw new Error(`There is no layer ${layer}.`);
  const source = { tensor: "x:0", dtype: "float32" as const, shape, device: "" };
  const { nodes, output, variables } = makeLayer(spec, initialValues(spec), source, "layer");
  const outside = made((graph) => placeholder(graph, "float32", shape, { name: "x" }));
  const parts = GraphDef.fromPartial({ node: [...outside.node, ...nodes] });
  const graph = Graph.fromGraphDef(parts);
  const result = graph.toGraphDef();
  const last = output.slice(0, output.lastIndexOf(":"));
  const initializers = variables.map(({ initializer }) => initializer.name);
  const kept = new Set(ancestorsOf(result, initializers));
  return {
    graph: withOut(result, last),
    feeds: { "x:0": waves(shape) },
    init: {
      targets: initializers,
      feeds: new Map(variables.map((one) => [one.initialValue.name, waves(one.shape ?? [])])),
    },
    fetch: "out:0",
    isExtracted: (name, op) => name.startsWith("layer/") && !kept.has(name) && op !== "VarHandleOp",
  };
}

/** With one more node that reads a node's first output. */
function withOut(graph: GraphDef, node: string): GraphDef {
  const attr = new Map([["T", { value: { $case: "type" as const, value: 1 } }]]);
  const out = {
    ...GraphDef.fromPartial({ node: [{ name: "out", op: "Identity", input: [node] }] }).node[0],
    attr,
  };
  return GraphDef.fromPartial({ ...graph, node: [...graph.node, out] });
}

function ancestorsOf({ node }: GraphDef, names: readonly string[]): string[] {
  const byName = new Map(node.map((one) => [one.name, one]));
  const seen = new Set<string>();
  const open = [...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const input of byName.get(name)?.input ?? [])
      open.push(input.replace(/^\^/, "").split(":")[0] ?? "");
  }
  return [...seen];
}

const CASES: Readonly<Record<string, Case>> = {
  "arithmetic with several results": {
    graph: made((graph) => {
      const a = constant(graph, [1, 2, 3], { name: "a" });
      const sum = add(a, constant(graph, 4, { name: "in/four" }), { name: "in/sum" });
      const product = multiply(a, sum, { name: "in/product" });
      add(sum, product, { name: "out" });
    }),
    fetch: "out:0",
    isExtracted: (name) => name.startsWith("in/"),
  },
  "a whole loop": {
    graph: made((graph) => {
      const limit = constant(graph, 100, { name: "limit" });
      const [result] = whileLoop(
        graph,
        (x) => less(x, limit),
        (x) => [multiply(x, constant(graph, 3))],
        [constant(graph, 2)],
        { name: "in" },
      );
      if (result) add(result, limit, { name: "out" });
    }),
    fetch: "out:0",
    isExtracted: (name) => name !== "out" && name !== "limit",
  },
  "a variable that is increased, and read after that": {
    graph: made((graph) => {
      const counter = variable(graph, constant(graph, 5, { name: "counter_start" }), {
        name: "counter",
        kind: "resource",
      });
      const one = constant(graph, 1, { name: "in/one" });
      const increase = assignAdd(counter, one, { name: "in/increase" });
      const read = graph.withControlDependencies([increase], () =>
        readVariable(counter, { name: "in/read" }),
      );
      add(read, read, { name: "out" });
    }),
    init: { targets: ["counter/Assign"], feeds: new Map() },
    fetch: "out:0",
    isExtracted: (name) => name !== "out" && !name.startsWith("counter"),
  },
  "a dense layer": layerCase("Dense", [3, 4]),
  "a recurrent layer": layerCase("LSTM", [2, 3, 4]),
};

function documentOf(graph: GraphDef): GraphDocument {
  const metaGraph = MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef: graph })).finish();
  return readDocument({ name: "g", kind: "meta_graph", format: "binary", metaGraph });
}

function lookupIn({ metaGraph }: GraphDocument): OpLookup {
  const functions = metaGraph.graphDef?.library?.function ?? [];
  return (op) =>
    functions.find(({ signature }) => signature?.name === op)?.signature ?? bundledOpRegistry().get(op);
}

function edited(document: GraphDocument, result: EditResult): GraphDocument {
  if (!result.ok) throw new Error(result.reason);
  return apply(document, result.transaction.operations);
}

const numbersOf = (tensor: Tensor | undefined) =>
  Array.from({ length: tensor?.size ?? 0 }, (_, at) => Number(tensor?.elementText(at)));

const sorted = (document: GraphDocument) =>
  graphToRun(document).node.toSorted((one, other) => (one.name < other.name ? -1 : 1));

const ENGINES: readonly { readonly engine: EngineName; readonly isMissing: boolean }[] = [
  { engine: "portable", isMissing: false },
  { engine: "tensorflow", isMissing: peerMissing("tensorflow") },
];

describe.each(ENGINES)("on the engine $engine", ({ engine, isMissing }) => {
  describe.skipIf(isMissing)("nodes that are extracted to a function", () => {
    let server: Server;

    beforeAll(async () => {
      server = await Server.createLocalServer(
        engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
      );
    });
    afterAll(() => server.stop());

    async function run(document: GraphDocument, { feeds = {}, init, fetch }: Case) {
      const session = new Session(server.target, { graph: graphToRun(document) });
      try {
        if (init && init.targets.length > 0) {
          await session.run([], { targets: [...init.targets], feeds: new Map(init.feeds) });
        }
        const { values } = await session.run([fetch], { feeds: new Map(Object.entries(feeds)) });
        return values[0];
      } finally {
        await session.close();
      }
    }

    test.each(Object.entries(CASES))("%s gives the same", async (_, one) => {
      const before = documentOf(one.graph);
      const inside = [...before.nodes.values()].filter(({ name, op }) => one.isExtracted(name, op));
      const result = extractFunction(
        before,
        lookupIn(before),
        inside.map(({ name }) => name),
      );
      const called = edited(before, result);
      const [call = ""] = result.ok ? (result.transaction.select ?? []) : [];
      const inlined = edited(called, inlineFunction(called, lookupIn(called), call));
      expect(sorted(inlined)).toEqual(sorted(before));
      const expected = await run(before, one);
      const computed = await run(called, one);
      expect(computed?.shape).toEqual(expected?.shape);
      const values = numbersOf(computed);
      expect(values.length).toBeGreaterThan(0);
      const differences = numbersOf(expected).map((value, at) =>
        Math.abs(value - (values[at] ?? Number.NaN)),
      );
      // A fused computation may round in another order.
      expect(Math.max(...differences)).toBeLessThan(1e-6);
    });

    test("a function whose body was edited gives what the edited body computes", async () => {
      const one = CASES["arithmetic with several results"];
      if (!one) throw new Error("There is no such case.");
      const before = documentOf(one.graph);
      const inside = [...before.nodes.keys()].filter((name) => one.isExtracted(name, ""));
      const called = edited(before, extractFunction(before, lookupIn(before), inside));
      const [definition] = functionsOf(called.metaGraph);
      const name = definition ? nameOf(definition) : "";
      const inBody = (document: GraphDocument, make: (body: GraphDocument, ops: OpLookup) => EditResult) => {
        const ops = lookupIn(document);
        const body = bodyDocument(document, name, ops);
        if (!body) throw new Error(`There is no function ${name}.`);
        const result = make(body, ops);
        if (!result.ok) throw new Error(result.reason);
        return edited(document, editFunction(document, name, body, result.transaction, ops));
      };
      const ten = { value: { $case: "tensor" as const, value: tensorOfText("10", "float32") } };
      const edits: readonly ((body: GraphDocument, ops: OpLookup) => EditResult)[] = [
        (body, ops) => setAttr(body, ops, "in/four", "value", { value: ten.value }),
        (body, ops) => insertOnEdge(body, ops, "Neg", { node: "in/product", input: 1 }, { x: 0, y: 0 }),
        (body) => rename(body, "a", "given"),
        (body) => moveNodes(body, new Map([["given", { x: 40, y: 80 }]])),
      ];
      const changed = edits.reduce(inBody, called);
      // a = [1, 2, 3], sum = a + 10, out = sum - a * sum
      expect(numbersOf(await run(changed, one))).toEqual([0, -12, -26]);
      // The file keeps what the window keeps of a function; an engine takes it all the same.
      const opened = readDocument({
        ...{ name: "g", kind: "meta_graph", format: "binary" },
        metaGraph: writeDocument(changed),
      });
      expect(numbersOf(await run(opened, one))).toEqual([0, -12, -26]);
      const [saved] = functionsOf(opened.metaGraph);
      expect([...(saved?.attr.keys() ?? [])].some((key) => key.startsWith("_tensordeck_"))).toBe(true);
    });

    test("a function whose arguments and results were moved gives the same to every call", async () => {
      let moved = 0;
      for (const one of Object.values(CASES)) {
        const before = documentOf(one.graph);
        const inside = [...before.nodes.values()].filter(({ name, op }) => one.isExtracted(name, op));
        const names = inside.map(({ name }) => name);
        const called = edited(before, extractFunction(before, lookupIn(before), names));
        let document = called;
        for (const { signature } of functionsOf(called.metaGraph)) {
          const ops = lookupIn(document);
          const body = bodyDocument(document, signature?.name ?? "", ops);
          for (const { name, op } of body?.nodes.values() ?? []) {
            if (op !== "_Arg" && op !== "_Retval") continue;
            const now = bodyDocument(document, signature?.name ?? "", lookupIn(document));
            const result = now && moveOnBorder(now, name, 1);
            if (!now || !result?.ok) continue;
            const done = editFunction(
              document,
              signature?.name ?? "",
              now,
              result.transaction,
              lookupIn(document),
            );
            if (!done.ok) throw new Error(done.reason);
            document = edited(document, done);
            moved++;
          }
        }
        const expected = numbersOf(await run(before, one));
        const values = numbersOf(await run(document, one));
        expect(values).toHaveLength(expected.length);
        for (const [at, value] of values.entries()) expect(value).toBeCloseTo(expected[at] ?? Number.NaN, 5);
      }
      expect(moved).toBeGreaterThan(3);
    });
  });
});
