/** Staging areas and maps. */
import type { Graph } from "../../../../../worker-runtime/graph/graph.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program, Step } from "./program.js";

const int = (value: number | number[]): Tensor => Tensor.of(value, "int32");

export const stagingPrograms: readonly Program[] = [
  {
    name: "staging",
    build: (g) => {
      const attrs = { dtypes: ["float32", "string"], shared_name: "staging" };
      const stage = (number: number, text: string) =>
        g.op("Stage", [[Tensor.of([number], "float32"), Tensor.of(text)]], {
          dtypes: attrs.dtypes,
          shared_name: "staging",
        });
      const take = g.op("Unstage", [], attrs);
      const peek = (index: number) => g.op("StagePeek", [int(index)], attrs);
      const [first, second] = [peek(0), peek(1)];
      const size = g.op("StageSize", [], attrs).output;
      return [
        { run: [size] },
        { run: [stage(1, "a")] },
        { run: [stage(2, "b")] },
        { run: [size] },
        { run: [second.outputAt(0), second.outputAt(1)] },
        { run: [first.outputAt(1)] },
        { run: [take.outputAt(0), take.outputAt(1)] },
        { run: [take.outputAt(1)] },
        { run: [stage(3, "c")] },
        { run: [g.op("StageClear", [], attrs)] },
        { run: [size] },
      ];
    },
  },
  {
    name: "staging_limits",
    build: (g) => {
      const attrs = { dtypes: ["float32"], shared_name: "limited", memory_limit: 8 };
      const stage = (...values: number[]) => g.op("Stage", [[Tensor.of(values, "float32")]], attrs);
      const pair = g.op("Unstage", [], { ...attrs, dtypes: ["float32", "float32"] });
      return [
        { run: [stage(1, 2, 3)] },
        { run: [stage(1, 2)] },
        { run: [g.op("StageSize", [], attrs).output] },
        { run: [pair.outputAt(0)] },
      ];
    },
  },
  ...["Ordered", ""].map(
    (prefix): Program => ({
      name: `staging_map_${prefix}`,
      build: (g) => mapSteps(g, prefix),
    }),
  ),
];

/** Tuples of a float and a text: left and taken whole and in parts, and what is refused. */
function mapSteps(g: Graph, prefix: string): readonly Step[] {
  const dtypes = ["float32", "string"] as const;
  const shared = { dtypes, shared_name: `map_${prefix}` };
  const number = (value: number) => Tensor.of([value], "float32");
  const key = (value: bigint) => Tensor.of(value, "int64");
  const stage = (at: bigint, indices: number[], values: Tensor[]) => ({
    run: [
      g.op(`${prefix}MapStage`, [key(at), int(indices), values], {
        ...shared,
        fake_dtypes: values.map(({ dtype }) => dtype),
      }),
    ],
  });
  const read = (op: string, at: bigint | undefined, indices: number[]): Step => {
    const inputs = at === undefined ? [int(indices)] : [key(at), int(indices)];
    const node = g.op(`${prefix}Map${op}`, inputs, {
      ...shared,
      dtypes: indices.map((index) => dtypes[index] ?? "string"),
    });
    const count = indices.length + (at === undefined ? 1 : 0);
    return { run: Array.from({ length: count }, (_, i) => node.outputAt(i)) };
  };
  const sizes: Step = {
    run: ["Size", "IncompleteSize"].map((what) => g.op(`${prefix}Map${what}`, [], shared).output),
  };
  const limited = g.op(`${prefix}MapStage`, [key(1n), int([0]), [Tensor.of([1, 2, 3], "float32")]], {
    dtypes: ["float32"],
    fake_dtypes: ["float32"],
    shared_name: `limited_${prefix}`,
    memory_limit: 8,
  });
  return [
    sizes,
    stage(3n, [0, 1], [number(1), Tensor.of("a")]),
    stage(3n, [0, 1], [number(9), Tensor.of("b")]),
    stage(1n, [0], [number(2)]),
    sizes,
    stage(1n, [0], [number(2)]),
    stage(1n, [1], [Tensor.of("b")]),
    sizes,
    stage(9n, [2], [Tensor.of("b")]),
    stage(9n, [1, 0], [Tensor.of("b"), number(1)]),
    read("Peek", 3n, [0, 1]),
    read("Peek", 3n, [1]),
    read("Peek", 3n, [5]),
    read("Unstage", 3n, [1]),
    sizes,
    read("Peek", 3n, [1]),
    read("Unstage", 3n, [0]),
    sizes,
    read("UnstageNoKey", undefined, [0, 1]),
    sizes,
    ...(prefix === ""
      ? []
      : [
          stage(7n, [0, 1], [number(7), Tensor.of("seven")]),
          stage(-7n, [0, 1], [number(-7), Tensor.of("less")]),
          read("UnstageNoKey", undefined, [0, 1]),
        ]),
    stage(8n, [1], [Tensor.of("part")]),
    { run: [g.op(`${prefix}MapClear`, [], shared)] },
    sizes,
    { run: [limited] },
  ];
}
