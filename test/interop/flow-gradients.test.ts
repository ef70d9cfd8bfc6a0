/** Gradients through functions, branches and loops of graphs that stock Python makes, on both engines. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { type EngineName, Server } from "../../worker-runtime/engines/server.js";
import { denseGradient, type Gradient } from "../../worker-runtime/graph/gradients/gradient.js";
import { gradients } from "../../worker-runtime/graph/gradients/gradients.js";
import { Graph, type Output } from "../../worker-runtime/graph/graph.js";
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
  readonly graphs: Readonly<Record<Form, { graph: string; xs: readonly string[]; init: string }>>;
  readonly fed: readonly Flat[];
  readonly first: readonly Flat[];
  readonly second: readonly Flat[];
}

/** Whether branches and loops are the ops If and While, or Switch, Merge, Enter and Exit. */
type Form = "functions" | "primitives";

const SCRIPT = readFileSync(new URL("flow-programs.py", import.meta.url), "utf8");
const NAMES = [...SCRIPT.matchAll(/^def (\w+)\(x, w\)/gm)].map(([, name = ""]) => name);
const FORMS: readonly Form[] = ["functions", "primitives"];
const CASES = NAMES.flatMap((name) => FORMS.map((form) => ({ name, form })));

/** A TensorArray has one derivative only, as in TensorFlow, which has no second ones through such loops at all. */
const ONCE = { name: "recurrence", form: "primitives" };

/** The first derivatives, and those of the sum of their squares. */
function differentiated({ graph: text, xs: names }: Program["graphs"][Form], once: boolean) {
  const graph = Graph.fromGraphDef(GraphDef.decode(Buffer.from(text, "base64")));
  const xs = names.map((name) => graph.tensor(name));
  const dense = (all: readonly (Gradient | undefined)[]) => all.map((one) => one && denseGradient(one));
  const first = dense(gradients(graph.tensor("y"), xs));
  const squares = first.flatMap((one): Output[] => {
    if (!one) return [];
    const square = graph.op("Square", [one]);
    return [graph.op("Sum", [square, graph.op("Range", [0, graph.op("Rank", [square]), 1])]).output];
  });
  const again = () => dense(gradients(graph.op("AddN", [squares]).output, xs));
  if (once) expect(again).toThrow("lists of tensors cannot keep it");
  const second = once ? [] : again();
  return { graph, tensors: [...first, ...second] };
}

describe.skipIf(peerMissing("tensorflow"))("gradients of stock graphs", () => {
  let programs: readonly Program[] = [];

  beforeAll(async () => {
    programs = await tensorflowResult<readonly Program[]>(SCRIPT);
  });

  describe.each<EngineName>(["portable", "tensorflow"])("on the engine %s", (engine) => {
    let server: Server;

    beforeAll(async () => {
      server = await Server.createLocalServer(
        engine === "portable" ? { engine } : { engine, library: libtensorflowDir() },
      );
    });
    afterAll(() => server.stop());

    test.each(CASES)("$name, made of $form", async ({ name, form }) => {
      const program = programs.find((one) => one.name === name);
      if (!program) throw new Error("Python has no such program.");
      const source = program.graphs[form];
      const once = name === ONCE.name && form === ONCE.form;
      const { graph, tensors } = differentiated(source, once);
      const session = new Session(server.target, { graph: graph.toGraphDef() });
      try {
        await session.run([], { targets: [source.init] });
        const feeds = new Map(
          program.fed.map(({ shape, values }, i) => [
            source.xs[i] ?? "",
            Tensor.of(values, "float64", shape),
          ]),
        );
        const known = tensors.flatMap((tensor) => (tensor ? [tensor.name] : []));
        const { values } = await session.run(known, { feeds });
        for (const [i, expected] of [...program.first, ...(once ? [] : program.second)].entries()) {
          const value = values[known.indexOf(tensors[i]?.name ?? "")];
          const numbers = expected.values.map((_, at) => Number(value?.at(at) ?? 0));
          expect(value?.shape ?? expected.shape).toEqual(expected.shape);
          const scale = Math.max(1, ...expected.values.map(Math.abs));
          for (const [at, number] of numbers.entries()) {
            expect(number / scale).toBeCloseTo((expected.values[at] ?? Number.NaN) / scale, 9);
          }
        }
      } finally {
        await session.close();
      }
    });
  });
});
