/**
 * The shapes that the window infers, against those that TensorFlow infers for the same nodes: the generated cases of the
 * differential harness, with constants, with placeholders of known, of partly known and of wrong shapes; and whole networks of Keras.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { graphToRun, readDocument } from "../../renderer/document/document-file.js";
import { extractFunction } from "../../renderer/document/edits/extract-function.js";
import { libraryOf } from "../../renderer/document/library.js";
import type { GraphDocument } from "../../renderer/document/model.js";
import { apply } from "../../renderer/document/operations.js";
import { inferShapes, type Shape } from "../../renderer/document/shapes.js";
import type { OpLookup } from "../../renderer/document/signature.js";
import { bundledOpRegistry } from "../../worker-runtime/graph/op-registry.js";
import { shapeRuleOf } from "../../worker-runtime/graph/shape-rules/index.js";
import type { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { peerMissing, repositoryRoot, tensorflowPython } from "../support/peers.js";
import { constant, graphOf, type Node, placeholder, shape } from "./peers/nodes.js";
import type { OpCase } from "./portable/differential/op-case.js";
import { casesOf } from "./portable/differential/op-spec.js";
import { specsByFamily } from "./portable/differential/specs/index.js";

interface Inferred {
  readonly shapes?: readonly (readonly number[] | null)[];
  readonly error?: string;
}

/** How much of its inputs a node is told. */
const KINDS = ["constant", "shaped", "partial", "bent"] as const;
type Kind = (typeof KINDS)[number];

const SEED = 14;

/** Numbers from 0 to 1, always the same. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const next = numbers(SEED);

/** Small integers are mostly axes, sizes and indices, which graphs hold as constants. */
function isParameter(tensor: Tensor): boolean {
  return tensor.size <= 16 && /^u?int(32|64)$/.test(tensor.dtype);
}

function inputNode(name: string, tensor: Tensor, kind: Kind): Node {
  if (kind === "constant" || (isParameter(tensor) && next() < 0.7)) return constant(name, tensor);
  if (kind === "partial" && next() < 0.15) return placeholder(name, tensor.dtype);
  const sizes = tensor.shape.map((size) => (kind === "partial" && next() < 0.4 ? -1 : size));
  if (kind === "bent" && sizes.length > 0 && next() < 0.6) {
    const at = Math.floor(next() * sizes.length);
    sizes[at] = (sizes[at] ?? 0) + 1 + Math.floor(next() * 2);
  }
  if (kind === "bent" && next() < 0.2) sizes.push(2);
  const { attr, ...rest } = placeholder(name, tensor.dtype);
  return { ...rest, attr: { ...attr, shape: shape(...sizes) } };
}

function nodesOf({ op, inputs, attrs }: OpCase, kind: Kind): Node[] {
  const names = inputs.map((_, i) => `input${i}`);
  return [
    ...inputs.map((tensor, i) => inputNode(names[i] ?? "", tensor, kind)),
    { name: "node", op, input: names, attr: attrs },
  ];
}

/** The cases of each op with a rule, whatever the dtypes: shapes seldom depend on them. */
const CASES_PER_OP = 5;

function graphs(): GraphDef[] {
  return Object.values(specsByFamily)
    .flat()
    .filter(({ op }) => shapeRuleOf(op))
    .flatMap((spec) => casesOf(spec, { count: 2, seed: SEED }).slice(0, CASES_PER_OP))
    .flatMap((one) => KINDS.map((kind) => graphOf(...nodesOf(one, kind))));
}

type Known = readonly (Shape | undefined)[] | "refused";

function text(shapes: Known): string {
  return shapes === "refused" ? shapes : shapes.map((one) => (one ? `[${one}]` : "?")).join(" ");
}

/** The window's inference for the last node, and a description of the case. */
function own(graph: GraphDef): { readonly given: Known; readonly described: string } {
  const { outputs, errors } = inferShapes(new Map(graph.node.map((node) => [node.name, node])), (op) =>
    bundledOpRegistry().get(op),
  );
  const problem = errors.get("node");
  const inputs = graph.node.slice(0, -1).map(({ name, op }) => `${op} ${text(outputs.get(name) ?? [])}`);
  return {
    given: problem === undefined ? (outputs.get("node") ?? []) : "refused",
    described: `${graph.node.at(-1)?.op}(${inputs.join("; ")})${problem === undefined ? "" : ` ${problem}`}`,
  };
}

/** The graph with a function in place of its last node, and the shapes behind the call; undefined where that cannot be. */
function extracted(
  graph: GraphDef,
): { readonly calling: GraphDef; readonly given: Known & object } | undefined {
  const metaGraph = MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef: graph })).finish();
  const document = readDocument({ name: "g", kind: "meta_graph", format: "binary", metaGraph });
  const result = extractFunction(document, lookupFor(document), ["node"]);
  if (!result.ok) return undefined;
  const after = apply(document, result.transaction.operations);
  const [call = ""] = result.transaction.select ?? [];
  const given = inferShapes(after.nodes, lookupFor(after)).outputs.get(call) ?? [];
  return { calling: graphToRun(after), given };
}

/** The ops, and the functions of a document. */
function lookupFor({ metaGraph }: GraphDocument): OpLookup {
  const library = libraryOf(metaGraph);
  return Object.assign((op: string) => library.get(op)?.signature ?? bundledOpRegistry().get(op), {
    functionNamed: (name: string) => library.get(name),
  });
}

/** Whether a tensor could have both shapes, each as far as it is known. */
function agree(one: Shape | undefined, other: Shape | undefined): boolean {
  if (!one || !other) return true;
  return (
    one.length === other.length &&
    one.every((size, i) => size === other[i] || size < 0 || (other[i] ?? -1) < 0)
  );
}

function runPython(script: string, input = ""): string {
  return execFileSync(tensorflowPython(), [join(repositoryRoot, "test", "interop", "scripts", script)], {
    input,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["pipe", "pipe", "ignore"],
  });
}

function infer(
  made: readonly GraphDef[],
): readonly { readonly known: Known; readonly error: string | undefined }[] {
  const input = made.map((one) => Buffer.from(GraphDef.encode(one).finish()).toString("base64"));
  const output = runPython("infer_shapes.py", JSON.stringify(input));
  return (JSON.parse(output) as Inferred[]).map(({ shapes, error }) => ({
    known: shapes?.map((one) => one ?? undefined) ?? "refused",
    error,
  }));
}

describe.skipIf(peerMissing("tensorflow"))("shapes against those that TensorFlow infers", () => {
  const counts = { cases: 0, equal: 0, refused: 0, refusedByUs: 0 };
  const wrong: string[] = [];
  const missed: string[] = [];

  beforeAll(() => {
    const made = graphs();
    const theirs = infer(made);
    for (const [i, graph] of made.entries()) {
      const { known = "refused", error } = theirs[i] ?? {};
      const { given, described } = own(graph);
      const line = `${described}: ${text(given)}, TensorFlow: ${error ?? text(known)}`;
      counts.cases++;
      if (text(given) === text(known)) counts.equal++;
      if (known === "refused") {
        counts.refused++;
        if (given === "refused") counts.refusedByUs++;
        else missed.push(line);
      } else if (given === "refused" || !given.every((one, at) => agree(one, known[at]))) wrong.push(line);
    }
  }, 300_000);

  test("never contradict them, and no node is refused that TensorFlow takes", () => {
    expect(wrong).toEqual([]);
  });

  test("are the same for almost all generated nodes", () => {
    expect(counts.equal / counts.cases).toBeGreaterThan(0.98);
  });

  test("are refused where TensorFlow refuses them, but for seldom mistaken inputs", () => {
    expect(counts.refusedByUs / counts.refused, missed.join("\n")).toBeGreaterThan(0.95);
  });

  test("are the same behind a call of a function with the node, as TensorFlow too goes through calls", {
    timeout: 300_000,
  }, () => {
    const called = graphs().flatMap((graph) => {
      const made = extracted(graph);
      return made ? [{ graph, ...made }] : [];
    });
    const theirs = infer(called.map(({ calling }) => calling));
    let known = 0;
    for (const [i, { graph, calling, given }] of called.entries()) {
      const { known: wanted = "refused", error } = theirs[i] ?? {};
      const described = `${graph.node.at(-1)?.op} in ${calling.node.at(-1)?.op}: ${text(given)}, TensorFlow: ${error ?? text(wanted)}`;
      // Mistaken inputs are told of nodes, not of calls.
      if (wanted === "refused" || own(graph).given === "refused") continue;
      expect(
        given.every((one, at) => agree(one, wanted[at])),
        described,
      ).toBe(true);
      // As if the node were in the graph itself.
      expect(text(given), described).toBe(text(own(graph).given));
      known++;
    }
    expect(called.length).toBeGreaterThan(500);
    expect(known).toBeGreaterThan(500);
  });

  test("are the same, all of them, in networks of Keras", { timeout: 300_000 }, () => {
    const networks = JSON.parse(runPython("keras_shapes.py")) as readonly {
      readonly name: string;
      readonly graph: string;
      readonly shapes: Readonly<Record<string, Inferred["shapes"]>>;
    }[];
    for (const { name, graph, shapes } of networks) {
      const { node } = GraphDef.decode(new Uint8Array(Buffer.from(graph, "base64")));
      const ours = inferShapes(new Map(node.map((one) => [one.name, one])), (op) =>
        bundledOpRegistry().get(op),
      );
      expect([name, ...ours.errors]).toEqual([name]);
      const given = node.map((one) => `${one.name} ${text(ours.outputs.get(one.name) ?? [])}`);
      const wanted = node.map(
        (one) => `${one.name} ${text((shapes[one.name] ?? []).map((shape) => shape ?? undefined))}`,
      );
      expect(given).toEqual(wanted);
    }
  });
});
