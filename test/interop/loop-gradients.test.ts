/** Gradients that are taken inside loops of the ops Enter and Exit, compared with tf.gradients in the same places. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { type EngineName, Server } from "../../worker-runtime/engines/server.js";
import { denseGradient } from "../../worker-runtime/graph/gradients/gradient.js";
import { gradients } from "../../worker-runtime/graph/gradients/gradients.js";
import { Graph, type Output } from "../../worker-runtime/graph/graph.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { MomentumOptimizer } from "../../worker-runtime/graph/training/optimizers.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

interface Flat {
  readonly shape: readonly number[];
  readonly values: readonly number[];
}

interface Program {
  readonly name: string;
  readonly graph: string;
  /** The gradients that are to be put into the graph: of y with respect to xs, for what reads the holes. */
  readonly holes: readonly {
    readonly y: string;
    readonly xs: readonly string[];
    readonly holes: readonly string[];
  }[];
  /** The result as TensorFlow computes it in this form, unless it cannot. */
  readonly primitives: Flat | null;
  /** As with the op While: the result, and its gradients. */
  readonly functions: readonly Flat[];
}

interface FromPython {
  readonly fed: readonly Flat[];
  readonly programs: readonly Program[];
  readonly refused: Readonly<Record<string, "an error" | "none" | "a value">>;
}

const SCRIPT = readFileSync(new URL("loop-programs.py", import.meta.url), "utf8");
const NAMES = [...SCRIPT.matchAll(/^def (\w+)\(x, w, grad\)/gm)].map(([, name = ""]) => name);

function gradientsOf(y: Output, xs: readonly Output[]): readonly Output[] {
  return gradients(y, xs).map((gradient, i) => {
    if (!gradient) throw new Error(`${y.name} does not depend on ${xs[i]?.name}.`);
    return denseGradient(gradient);
  });
}

/** The graph with gradients in its holes, and the gradients of its result. */
function completed(program: Program) {
  const graph = Graph.fromGraphDef(GraphDef.decode(Buffer.from(program.graph, "base64")));
  for (const { y, xs, holes } of program.holes) {
    const readers = holes.map((name) => graph.operation(name));
    const inLoop = readers.flatMap(({ inputs }) => inputs);
    const made = graph.withControlDependencies(inLoop, () =>
      gradientsOf(
        graph.tensor(y),
        xs.map((name) => graph.tensor(name)),
      ),
    );
    for (const [i, reader] of readers.entries()) if (made[i]) graph.updateInput(reader, 0, made[i]);
  }
  const result = graph.tensor("result");
  return { graph, result, outer: gradientsOf(result, [graph.tensor("x"), graph.tensor("w")]) };
}

function numbersOf(value: Tensor | undefined): readonly number[] {
  return Array.from({ length: value?.size ?? 0 }, (_, at) => Number(value?.at(at)));
}

function expectClose(value: Tensor | undefined, expected: Flat): void {
  expect(value?.shape).toEqual(expected.shape);
  const numbers = numbersOf(value);
  const wrong = expected.values.flatMap((wanted, i) =>
    Math.abs((numbers[i] ?? Number.NaN) - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted))
      ? []
      : [[i, numbers[i], wanted]],
  );
  expect(wrong).toEqual([]);
}

/** A finished loop, with tensors of its body. */
function keptLoop(graph: Graph) {
  const [x, w] = ["x", "w"].map((name) => ops.placeholder(graph, "float64", [3, 3], { name }));
  if (!x || !w) throw new Error("no inputs");
  const inside: Record<"s" | "t" | "deadEnd", Output[]> = { s: [], t: [], deadEnd: [] };
  const { y } = repeated(x, 3, (s) => {
    inside.s.push(s);
    inside.deadEnd.push(ops.exp(s));
    const t = graph.op("Sin", [ops.matMul(s, w)]).output;
    inside.t.push(t);
    return t;
  });
  const only = (all: readonly Output[]) => all[0] ?? x;
  return { x, w, y, s: only(inside.s), t: only(inside.t), deadEnd: only(inside.deadEnd) };
}

/** Changes x so many times. */
function repeated(x: Output, times: number, body: (s: Output) => Output) {
  const graph = Graph.of(x);
  const [, y = x] = ops.whileLoop(
    graph,
    (i) => ops.less(i, times),
    (i, s) => [ops.add(i, 1), s ? body(s) : x],
    [Tensor.of(0, "int32"), x],
  );
  return { y };
}

const sin = (x: Output) => Graph.of(x).op("Sin", [x]).output;

/** The same programs as in Python. */
const REFUSED: Readonly<Record<string, (graph: Graph) => unknown>> = {
  "of a tensor in a loop": (graph) => {
    const { t, w } = keptLoop(graph);
    return gradients(t, w);
  },
  "of a tensor in a loop that leads nowhere": (graph) => {
    const { deadEnd, x } = keptLoop(graph);
    return gradients(deadEnd, x);
  },
  "with respect to a tensor in a loop": (graph) => {
    const { y, s } = keptLoop(graph);
    return gradients(y, s);
  },
  "both in a loop": (graph) => {
    const { t, s } = keptLoop(graph);
    return gradients(t, s);
  },
  "through what a variable begins with": (graph) => {
    const { x } = keptLoop(graph);
    return repeated(x, 3, (s) => gradientsOf(sin(s), [x])[0] ?? s);
  },
  "through what an inner variable begins with": (graph) => {
    const { x } = keptLoop(graph);
    return repeated(
      x,
      3,
      (s) => repeated(ops.multiply(s, 1), 2, (t) => gradientsOf(ops.multiply(sin(t), s), [s])[0] ?? t).y,
    );
  },
  "through what both begin with": (graph) => {
    const { x } = keptLoop(graph);
    return repeated(x, 3, (s) => repeated(ops.multiply(s, 1), 2, (t) => gradientsOf(sin(t), [x])[0] ?? t).y);
  },
  "through a loop elsewhere": (graph) => {
    const { x, w, y } = keptLoop(graph);
    return repeated(x, 3, (s) => gradientsOf(ops.multiply(y, s), [w])[0] ?? s);
  },
};

describe.skipIf(peerMissing("tensorflow"))("gradients inside loops", () => {
  let python: FromPython;

  beforeAll(async () => {
    python = await tensorflowResult<FromPython>(SCRIPT);
  });

  test.each(Object.keys(REFUSED))("%s: refused where TensorFlow has no answer", (name) => {
    expect(python.refused[name]).toMatch(/^(an error|none)$/);
    expect(() => REFUSED[name]?.(new Graph())).toThrow(/inside|Inside|in another loop/);
  });

  describe.each<EngineName>(["portable", "tensorflow"])("on the engine %s", (engine) => {
    let server: Server;

    beforeAll(async () => {
      server = await Server.createLocalServer(
        engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
      );
    });
    afterAll(() => server.stop());

    test("what is stopped inside a loop counts as a constant", async () => {
      const graph = new Graph();
      const x = ops.placeholder(graph, "float64", []);
      const stopped: Output[] = [];
      const { y } = repeated(x, 3, (s) => {
        stopped.push(sin(s));
        return ops.add(ops.multiply(s, 2), stopped[0] ?? s);
      });
      const [gradient] = gradients(y, x, { stopGradients: stopped });
      if (!gradient) throw new Error("no gradient");
      const session = new Session(server.target, { graph });
      try {
        const feeds = new Map([[x, Tensor.of(0.5, "float64")]]);
        const { values } = await session.run([denseGradient(gradient)], { feeds });
        expect(values[0]?.item()).toBe(8);
      } finally {
        await session.close();
      }
    });

    test("an optimizer in the body of a loop trains in one step as in several", async () => {
      const graph = new Graph();
      const build = (name: string) => {
        const w = ops.getVariable(graph, name, { shape: [2], initializer: ops.onesInitializer() });
        const x = ops.constant(graph, [1, -0.5]);
        const train = () => {
          const loss = ops.reduceSum(ops.square(ops.tanh(ops.multiply(x, ops.readVariable(w)))));
          return new MomentumOptimizer(0.1, 0.9).minimize(loss, { varList: [w] });
        };
        return { w, train };
      };
      const [once, often] = [build("once"), build("often")];
      const [count] = ops.whileLoop(
        graph,
        (i) => ops.less(i, 5),
        (i) => {
          const trained = once.train();
          return [graph.withControlDependencies([trained], () => ops.add(i, 1))];
        },
        [Tensor.of(0, "int32")],
      );
      const step = often.train();
      if (!count) throw new Error("no loop");
      const session = new Session(server.target, { graph });
      try {
        await session.run([], { targets: [ops.globalVariablesInitializer(graph)] });
        await session.run([count]);
        for (let i = 0; i < 5; i++) await session.run([], { targets: [step] });
        const { values } = await session.run([once.w.value, often.w.value]);
        expect(numbersOf(values[0])).toEqual(numbersOf(values[1]));
        expect(numbersOf(values[0])[0]).toBeLessThan(0.9);
      } finally {
        await session.close();
      }
    });

    test("a body within a body reads tensors from outside of both", async () => {
      const graph = new Graph();
      const [x, w] = [ops.placeholder(graph, "float64", []), ops.placeholder(graph, "float64", [])];
      const { y } = repeated(x, 2, (s) => {
        const { y: inner } = repeated(s, 2, (t) =>
          ops.add(t, gradientsOf(ops.multiply(t, w), [t, w])[0] ?? t),
        );
        return ops.multiply(inner, w);
      });
      const { y: z } = graph.withControlDependencies([w], () =>
        repeated(x, 2, () => repeated(w, 2, () => w).y),
      );
      const session = new Session(server.target, { graph });
      try {
        const feeds = new Map([
          [x, Tensor.of(1, "float64")],
          [w, Tensor.of(3, "float64")],
        ]);
        const { values } = await session.run([y, ...gradientsOf(y, [x, w]), z], { feeds });
        // ((x + 2w) · w + 2w) · w, and its derivatives
        expect(values.map((value) => value.item())).toEqual([81, 9, 72, 3]);
      } finally {
        await session.close();
      }
    });

    test.each(NAMES)("%s", async (name) => {
      const program = python.programs.find((one) => one.name === name);
      if (!program) throw new Error("Python has no such program.");
      const { graph, result, outer } = completed(program);
      const session = new Session(server.target, { graph: graph.toGraphDef() });
      try {
        const feeds = new Map(
          python.fed.map(({ shape, values }, i) => [
            i === 0 ? "x" : "w",
            Tensor.of(values, "float64", shape),
          ]),
        );
        const fetches = [result, ...outer].map((tensor) => tensor.name);
        const { values } = await session.run(fetches, { feeds });
        if (program.primitives) expectClose(values[0], program.primitives);
        expect(values).toHaveLength(program.functions.length);
        for (const [i, expected] of program.functions.entries()) expectClose(values[i], expected);
      } finally {
        await session.close();
      }
    });
  });
});
