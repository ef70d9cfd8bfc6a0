import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { EngineName } from "../../worker-runtime/engines/server.js";
import { Server } from "../../worker-runtime/engines/server.js";
import { denseGradient } from "../../worker-runtime/graph/gradients/gradient.js";
import { gradients } from "../../worker-runtime/graph/gradients/gradients.js";
import { differentiableOps } from "../../worker-runtime/graph/gradients/rules.js";
import { Graph, type Output } from "../../worker-runtime/graph/graph.js";
import { placeholder } from "../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";
import { CASES, type GradientCase, TWICE } from "./gradient-cases/index.js";

/**
 * Imports each graph, lets TensorFlow make its own gradients of it, and computes both. `slope` is how the results
 * change in a random direction, by numbers.
 */
const PYTHON = `
import base64, json, sys
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1
v1.disable_control_flow_v2()

def computed(index, case):
    random = np.random.default_rng(index)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(v1.GraphDef.FromString(base64.b64decode(case["graph"])), name="")
        named = lambda names: [None if n is None else graph.get_tensor_by_name(n) for n in names]
        ys, xs, weights = named(case["ys"]), named(case["xs"]), named(case["weights"])
        theirs = tf.gradients(ys, xs, grad_ys=weights)
        if case["twice"]: theirs = tf.gradients(theirs, xs)
        theirs = [None if t is None else tf.convert_to_tensor(t) for t in theirs]
        ours = named(case["ours"])
        loss = tf.add_n([tf.reduce_sum(y * w) for y, w in zip(ys, weights)])
        low, high = case["range"]
        fed = [np.asarray(random.uniform(low, high, shape), case["dtype"]) for shape in case["shapes"]]
        feeds = dict(zip(xs, fed))
        with v1.Session() as session:
            compute = lambda tensors: [None if t is None else session.run(t, feeds) for t in tensors]
            result = {"fed": fed, "theirs": compute(theirs), "ours": compute(ours)}
            direction = [np.asarray(random.normal(size=f.shape), case["dtype"]) for f in fed]
            step = 1e-5 if case["dtype"] == "float64" else 1e-2
            moved = [session.run(loss, {x: f + sign * step * d for x, f, d in zip(xs, fed, direction)}) for sign in (1, -1)]
            result["slope"] = float(moved[0] - moved[1]) / (2 * step)
            result["product"] = float(sum((o * d).sum() for o, d in zip(result["ours"], direction) if o is not None))
    for key in ("fed", "theirs", "ours"):
        result[key] = [None if v is None else {"shape": list(v.shape), "values": np.asarray(v, np.float64).flatten().tolist()} for v in result[key]]
    return result

def attempt(index, case):
    try:
        return json.loads(json.dumps(computed(index, case)), parse_constant=lambda constant: None)
    except Exception as error:
        return {"error": repr(error)[:800]}
print("RESULT " + json.dumps([attempt(i, case) for i, case in enumerate(json.load(sys.stdin))]))
`;

interface Flat {
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

interface Computed {
  readonly fed: readonly Flat[];
  readonly theirs: readonly (Flat | null)[];
  readonly ours: readonly (Flat | null)[];
  readonly slope: number;
  readonly product: number;
  /** Why Python has no result. */
  readonly error?: string;
}

/** A case as a graph, with the names of its tensors. */
interface Made {
  readonly graphDef: GraphDef;
  readonly ys: readonly string[];
  readonly xs: readonly string[];
  readonly weights: readonly string[];
  readonly ours: readonly (string | null)[];
}

/** Numbers that differ, in the shape of a tensor, as its given gradient. */
function weightsOf(graph: Graph, y: Output): Output {
  const numbers = graph.op("Cast", [graph.op("Range", [0, graph.op("Size", [y]), 1])], { DstT: y.dtype });
  return graph.op("Reshape", [graph.op("Cos", [numbers]), graph.op("Shape", [y])], {}, "weights").output;
}

function made(one: GradientCase, twice: boolean): Made {
  const graph = new Graph();
  const xs = one.shapes.map((shape) => placeholder(graph, one.dtype ?? "float64", shape, { name: "x" }));
  const built = one.build(graph, xs);
  const ys = Array.isArray(built) ? (built as readonly Output[]) : [built as Output];
  const weights = ys.map((y) => weightsOf(graph, y));
  const first = gradients(ys, xs, { gradYs: weights });
  const ours = twice
    ? gradients(
        first.flatMap((g) => (g ? [denseGradient(g)] : [])),
        xs,
      )
    : first;
  return {
    ours: ours.map((gradient) => (gradient ? denseGradient(gradient).name : null)),
    graphDef: graph.toGraphDef(),
    ys: ys.map((y) => y.name),
    xs: xs.map((x) => x.name),
    weights: weights.map((w) => w.name),
  };
}

function expectClose(values: readonly number[], expected: readonly number[], tolerance: number): void {
  const wrong = expected.flatMap((value, i) =>
    Math.abs((values[i] ?? Number.NaN) - value) <= tolerance * Math.max(1, Math.abs(value))
      ? []
      : [[i, values[i], value]],
  );
  expect([values.length, wrong]).toEqual([expected.length, []]);
}

const ALL = [
  ...CASES.map((one) => ({ name: one.name, one, twice: false })),
  ...TWICE.map((one) => ({ name: one.name, one, twice: true })),
].map((entry, index) => ({ ...entry, index, tolerance: entry.one.dtype === "float32" ? 1e-4 : 1e-9 }));

describe.skipIf(peerMissing("tensorflow"))("gradients of each op", () => {
  let graphs: readonly Made[] = [];
  let computed: readonly Computed[] = [];

  beforeAll(async () => {
    graphs = ALL.map(({ one, twice }) => made(one, twice));
    computed = await tensorflowResult(PYTHON, {
      input: ALL.map(({ one, twice }, i) => ({
        ...{ twice, shapes: one.shapes, range: one.range ?? [-2, 2], dtype: one.dtype ?? "float64" },
        ...{ ...graphs[i], graphDef: undefined },
        graph: Buffer.from(GraphDef.encode(graphs[i]?.graphDef ?? GraphDef.create()).finish()).toString(
          "base64",
        ),
      })),
    });
  });

  test.each(ALL)("$name: as TensorFlow's", ({ index, one, twice, tolerance }) => {
    const found = computed[index];
    expect(found?.error).toBeUndefined();
    expect(found?.ours.map((flat) => flat?.shape)).toEqual(found?.theirs.map((flat) => flat?.shape));
    for (const [i, theirs] of (found?.theirs ?? []).entries()) {
      if (theirs) expectClose(found?.ours[i]?.values ?? [], theirs.values, tolerance);
    }
    if (twice || one.notSmooth) return;
    const roughly = one.dtype === "float32" ? 0.05 : 1e-5;
    expectClose([found?.product ?? Number.NaN], [found?.slope ?? 0], roughly);
  });

  test("every op with a gradient is compared", () => {
    const used = new Set(graphs.flatMap(({ graphDef }) => graphDef.node.map((node) => node.op)));
    expect(differentiableOps().filter((type) => !used.has(type))).toEqual(COVERED_ELSEWHERE);
  });

  describe.each<EngineName>(["portable", "tensorflow"])("on the engine %s", (engine) => {
    let server: Server;

    beforeAll(async () => {
      server = await Server.createLocalServer(
        engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
      );
    });
    afterAll(() => server.stop());

    test.each(ALL)("$name", async ({ index, one, tolerance }) => {
      const graph = graphs[index];
      const expected = computed[index];
      if (!graph || !expected) throw new Error("There is no such case.");
      const session = new Session(server.target, { graph: graph.graphDef });
      try {
        const fetches = graph.ours.filter((name) => name !== null);
        const feeds = new Map(
          graph.xs.map((x, i): [string, Tensor] => {
            const { shape, values } = expected.fed[i] ?? { shape: [], values: [] };
            return [x, Tensor.of(values, one.dtype ?? "float64", shape)];
          }),
        );
        const { values } = await session.run(fetches, { feeds });
        const flats = expected.theirs.filter((flat) => flat !== null);
        for (const [i, flat] of flats.entries()) {
          const numbers = Array.from({ length: values[i]?.size ?? 0 }, (_, at) => Number(values[i]?.at(at)));
          expect(values[i]?.shape).toEqual(flat.shape);
          expectClose(numbers, flat.values, Math.max(tolerance, 1e-7));
        }
      } finally {
        await session.close();
      }
    });
  });
});

/**
 * Ops of variables, which training compares with TensorFlow's; calls, which flow-gradients.test.ts does; and samples that
 * differ from run to run, whose gradient is that of StatelessRandomGammaV2.
 */
const COVERED_ELSEWHERE: readonly string[] = [
  ...["Case", "Enter", "If", "PartitionedCall", "RandomGamma", "ReadVariableOp", "ResourceGather"],
  ...["StatefulPartitionedCall", "StatelessCase", "StatelessIf", "StatelessWhile", "While"],
];
