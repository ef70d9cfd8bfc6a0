/** Functions: called, chosen, repeated and nested. */
import { FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import type { Output } from "../../../../../worker-runtime/graph/operation.js";
import { type DType, dataTypeOf } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { constant, graphOf, type Node, typed } from "../../../peers/nodes.js";
import type { Program } from "./program.js";

type Argument = readonly [name: string, dtype: DType];

/** A function in short. `results` are by name the tensors of its body ("sum:z:0") or its arguments. */
export function functionOf(
  name: string,
  args: readonly Argument[],
  results: Readonly<Record<string, readonly [tensor: string, dtype: DType]>>,
  nodes: readonly Node[],
) {
  return {
    signature: {
      name,
      inputArg: args.map(([argument, dtype]) => ({ name: argument, type: dataTypeOf(dtype) })),
      outputArg: Object.entries(results).map(([result, [, dtype]]) => ({
        name: result,
        type: dataTypeOf(dtype),
      })),
    },
    nodeDef: graphOf(...nodes).node,
    ret: new Map(Object.entries(results).map(([result, [tensor]]) => [result, tensor])),
  };
}

const x: Argument = ["x", "float32"];
const i: Argument = ["i", "int32"];

const library = FunctionDefLibrary.fromPartial({
  function: [
    functionOf("Double", [x], { y: ["sum:z:0", "float32"] }, [typed("sum", "AddV2", ["x", "x"], "float32")]),
    functionOf("Negate", [x], { y: ["neg:y:0", "float32"] }, [typed("neg", "Neg", ["x"], "float32")]),
    functionOf("Fail", [x], { y: ["checked:output:0", "float32"] }, [
      {
        ...typed("checked", "CheckNumerics", ["inf:y:0"], "float32"),
        attr: {
          ...typed("", "", [], "float32").attr,
          message: { $case: "s", value: new TextEncoder().encode("in a function") },
        },
      },
      typed("zero", "Sub", ["x", "x"], "float32"),
      typed("inf", "Reciprocal", ["zero:z:0"], "float32"),
    ]),
    functionOf("Nested", [x], { y: ["outer:output:0", "float32"] }, [
      call("inner", "Double", "x"),
      call("outer", "Double", "inner:output:0"),
    ]),
    functionOf("Below", [i, x], { go: ["less:z:0", "bool"] }, [
      constant("limit", 5, "int32"),
      typed("less", "Less", ["i", "limit:output:0"], "int32"),
    ]),
    functionOf("Next", [i, x], { j: ["next:z:0", "int32"], y: ["sum:z:0", "float32"] }, [
      constant("one", 1, "int32"),
      typed("next", "AddV2", ["i", "one:output:0"], "int32"),
      typed("sum", "AddV2", ["x", "x"], "float32"),
    ]),
  ],
});

function call(name: string, callee: string, input: string): Node {
  const list = { s: [], i: [], f: [], b: [], type: [dataTypeOf("float32")], shape: [], tensor: [], func: [] };
  return {
    name,
    op: "PartitionedCall",
    input: [input],
    attr: {
      Tin: { $case: "list", value: list },
      Tout: { $case: "list", value: list },
      f: { $case: "func", value: { name: callee, attr: new Map() } },
    },
  };
}

const float = (value: number | number[]): Tensor => Tensor.of(value, "float32");
const one = { Tin: ["float32"], Tout: ["float32"] } as const;
const named = (name: string) => ({ name, attr: new Map() });

/** Conditions that are no booleans: a scalar by its value, another tensor by whether it is empty. */
const conditions: readonly (readonly [DType, readonly Tensor[]])[] = [
  [
    "int32",
    [Tensor.of(0, "int32"), Tensor.of(-2, "int32"), Tensor.of([0], "int32"), Tensor.of([], "int32", [2, 0])],
  ],
  ["int64", [Tensor.of(0n, "int64"), Tensor.of(1n, "int64")]],
  ["float32", [-0, Number.NaN, 0.5].map((value) => Tensor.of(value, "float32"))],
  ["float64", [Tensor.of(0, "float64"), Tensor.of(1e-300, "float64")]],
  ["string", [Tensor.of(""), Tensor.of("false"), Tensor.of([""])]],
];

export const functionPrograms: readonly Program[] = [
  ...(["PartitionedCall", "StatefulPartitionedCall"] as const).map(
    (op): Program => ({
      name: op,
      library,
      build: (g) => {
        const called = (name: string): Output =>
          g.op(op, [[float([1, 2])]], { ...one, f: named(name) }).outputAt(0);
        return [{ run: [called("Double")] }, { run: [called("Nested")] }, { run: [called("Fail")] }];
      },
    }),
  ),
  ...(["If", "StatelessIf"] as const).map(
    (op): Program => ({
      name: op,
      library,
      build: (g) => {
        const condition = g.op("Placeholder", [], { dtype: "bool" }).output;
        const attrs = { ...one, then_branch: named("Double"), else_branch: named("Negate") };
        const chosen = g.op(op, [condition, [float([3])]], attrs).outputAt(0);
        return [true, false].map((value) => ({
          run: [chosen],
          feeds: { [condition.name]: Tensor.of(value, "bool") },
        }));
      },
    }),
  ),
  ...conditions.map(
    ([dtype, values]): Program => ({
      name: `If_of_${dtype}`,
      library,
      build: (g) => {
        const condition = g.op("Placeholder", [], { dtype }).output;
        const attrs = { ...one, then_branch: named("Double"), else_branch: named("Negate") };
        const chosen = g.op("If", [condition, [float([3])]], attrs).outputAt(0);
        const truth = g.op("ToBool", [condition]).output;
        return values.map((value) => ({ run: [chosen, truth], feeds: { [condition.name]: value } }));
      },
    }),
  ),
  ...(["Case", "StatelessCase"] as const).map(
    (op): Program => ({
      name: op,
      library,
      build: (g) => {
        const index = g.op("Placeholder", [], { dtype: "int32" }).output;
        const chosen = g
          .op(op, [index, [float([3])]], {
            ...one,
            branches: [named("Double"), named("Negate"), named("Nested")],
          })
          .outputAt(0);
        // An index that is none takes the last branch.
        return [0, 1, 2, 7, -1].map((value) => ({
          run: [chosen],
          feeds: { [index.name]: Tensor.of(value, "int32") },
        }));
      },
    }),
  ),
  ...(["While", "StatelessWhile"] as const).map(
    (op): Program => ({
      name: op,
      library,
      build: (g) => {
        const start = g.op("Placeholder", [], { dtype: "int32" }).output;
        const loop = g.op(op, [[start, float([1])]], {
          T: ["int32", "float32"],
          cond: named("Below"),
          body: named("Next"),
        });
        return [0, 4, 9].map((value) => ({
          run: [loop.outputAt(0), loop.outputAt(1)],
          feeds: { [start.name]: Tensor.of(value, "int32") },
        }));
      },
    }),
  ),
];
