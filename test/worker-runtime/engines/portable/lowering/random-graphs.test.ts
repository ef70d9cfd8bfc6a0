/**
 * Graphs of many nodes as one model each, against the kernels one after the other: what ONNX Runtime makes of nodes that
 * follow each other (it joins and drops some) has to be what each of them gives alone.
 */
import { afterAll, expect, test } from "vitest";
import { createKernelRegistry } from "../../../../../worker-runtime/engines/portable/kernels/all.js";
import { KernelNode } from "../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { createLoweringRegistry } from "../../../../../worker-runtime/engines/portable/lowering/all.js";
import {
  ModelBuilder,
  type OnnxValue,
} from "../../../../../worker-runtime/engines/portable/onnx/model-builder.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import type { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { integers, scalar, shapes, tensor } from "../../../../interop/portable/differential/arbitraries.js";
import { tensorDifference } from "../../../../interop/portable/differential/compare.js";
import { type Attrs, attr, exact, nodeDefOf } from "../../../../interop/portable/differential/op-case.js";
import fc from "../../../../support/seeded-check.js";
import { OnnxSessions } from "./onnx-sessions.js";

const kernels = createKernelRegistry();
const lowerings = createLoweringRegistry();
const sessions = new OnnxSessions();
afterAll(() => sessions.release());

/** A value of a graph: of a node, an input or a constant. */
interface GraphValue {
  readonly tensor: Tensor;
  readonly onnx: OnnxValue;
  readonly isConstant: boolean;
}

/** The graph while it is made: each node is computed by its kernel and written into the model at once. */
class RandomGraph {
  readonly model = new ModelBuilder();
  readonly values: GraphValue[] = [];
  readonly inputs: GraphValue[] = [];
  /** The ops of the nodes, for a person who reads of a failure. */
  readonly ops: string[] = [];

  input(tensor: Tensor): GraphValue {
    const value = this.#keep(tensor, this.model.input(tensor.dtype, tensor.shape.length), false);
    this.inputs.push(value);
    return value;
  }

  constant(tensor: Tensor): GraphValue {
    return { tensor, onnx: this.model.constant(tensor), isConstant: true };
  }

  /** @returns the first output; undefined where the lowering declines. @throws of the kernel for inputs that it refuses */
  node(op: string, inputs: readonly GraphValue[], attrs: Attrs): GraphValue | undefined {
    const tensors = inputs.map(({ tensor }) => tensor);
    const def = nodeDefOf({ op, attrs, inputs: tensors, tolerance: exact });
    const node = new KernelNode(def, bundledOpRegistry().require(op));
    const kernel = kernels.find(node, "CPU");
    const lowering = lowerings.find(node);
    if (kernel?.kind !== "pure" || lowering === undefined) {
      throw new Error(`${op} of ${tensors.map(({ dtype }) => dtype).join()} has no kernel and lowering.`);
    }
    const results = kernel.create(node)(tensors);
    const find = ({ name }: OnnxValue): GraphValue => {
      const found = inputs.find(({ onnx }) => onnx.name === name);
      if (found === undefined)
        throw new Error(`The lowering of ${op} asks for a value that it was not given.`);
      return found;
    };
    this.model.setScope(`${op}_${this.ops.length}`);
    const made = lowering.lower(
      node,
      inputs.map(({ onnx }) => onnx),
      {
        model: this.model,
        isOnGpu: false,
        blockedChannels: undefined,
        rank: (input) => find(input).tensor.shape.length,
        shape: (input) => (find(input).isConstant ? find(input).tensor.shape : undefined),
        likelyShape: (input) => find(input).tensor.shape,
        value: (input) => (find(input).isConstant ? find(input).tensor : undefined),
      },
    );
    const [result, onnx] = [results[0], made?.[0]];
    if (result === undefined || onnx === undefined) return undefined;
    this.ops.push(op);
    return this.#keep(result, onnx, false);
  }

  #keep(tensor: Tensor, onnx: OnnxValue, isConstant: boolean): GraphValue {
    const value = { tensor, onnx, isConstant };
    this.values.push(value);
    return value;
  }
}

/** Adds a node to a graph. @param pick one of so many, by the draw. */
type Step = (graph: RandomGraph, pick: (count: number) => number) => void;

/** A value that a node may take; undefined where there is none. */
function someValue(
  graph: RandomGraph,
  pick: (count: number) => number,
  fits: (tensor: Tensor) => boolean,
): GraphValue | undefined {
  const some = graph.values.filter(({ tensor }) => fits(tensor));
  return some[pick(Math.max(1, some.length))];
}

const isNumber = ({ dtype }: Tensor): boolean => dtype === "int32" || dtype === "float32";
const T = (dtype: DType): Attrs => ({ T: attr.type(dtype) });

/** Whole numbers and a few quarters are computed exactly, so that equal graphs give equal numbers. */
function unary(op: string): Step {
  return (graph, pick) => {
    const x = someValue(graph, pick, isNumber);
    if (x !== undefined) graph.node(op, [x], T(x.tensor.dtype));
  };
}

/** An op of tensors of one shape, or of one that is broadcast: a scalar constant. */
function binary(op: string, fits: (tensor: Tensor) => boolean = isNumber): Step {
  return (graph, pick) => {
    const x = someValue(graph, pick, fits);
    if (x === undefined) return;
    const { dtype, shape } = x.tensor;
    const same = someValue(
      graph,
      pick,
      (other) => other.dtype === dtype && other.shape.join() === shape.join(),
    );
    const [constant, swaps] = [pick(3) === 0, pick(2) === 0];
    const y = constant || same === undefined ? graph.constant(scalar(dtype, pick(5) + 1)) : same;
    graph.node(op, swaps ? [y, x] : [x, y], T(dtype));
  };
}

function reduction(op: string): Step {
  return (graph, pick) => {
    const x = someValue(graph, pick, ({ dtype, shape }) => dtype === "int32" && shape.length > 0);
    if (x === undefined) return;
    const axis = graph.constant(scalar("int32", pick(x.tensor.shape.length)));
    const keeps = op === "Cumsum" ? {} : { keep_dims: attr.bool(pick(2) === 0) };
    graph.node(op, [x, axis], { ...T("int32"), Tidx: attr.type("int32"), ...keeps });
  };
}

const steps: readonly Step[] = [
  ...["Abs", "Neg", "Square", "Sign", "ZerosLike", "OnesLike", "Identity"].map(unary),
  ...["AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference"].map((op) => binary(op)),
  ...["FloorDiv", "TruncateDiv", "FloorMod", "TruncateMod"].map(
    (op): Step =>
      (graph, pick) => {
        const x = someValue(graph, pick, ({ dtype }) => dtype === "int32");
        if (x !== undefined) graph.node(op, [x, graph.constant(scalar("int32", pick(7) - 10))], T("int32"));
      },
  ),
  ...["Sum", "Max", "Min", "Cumsum"].map(reduction),
  (graph, pick) => {
    const x = someValue(graph, pick, isNumber);
    if (x === undefined) return;
    const order = graph.constant(integers("int32", x.tensor.shape.map((_, i) => i).reverse()));
    graph.node("Transpose", [x, order], { ...T(x.tensor.dtype), Tperm: attr.type("int32") });
  },
  (graph, pick) => {
    const x = someValue(graph, pick, isNumber);
    if (x === undefined) return;
    const shape = graph.constant(integers("int32", pick(2) === 0 ? [x.tensor.size] : [1, x.tensor.size, 1]));
    graph.node("Reshape", [x, shape], { ...T(x.tensor.dtype), Tshape: attr.type("int32") });
  },
  (graph, pick) => {
    const x = someValue(graph, pick, ({ dtype, shape }) => dtype !== "bool" && shape.length > 0);
    if (x === undefined) return;
    const axis = graph.constant(scalar("int32", pick(x.tensor.shape.length)));
    const { dtype } = x.tensor;
    graph.node("ConcatV2", [x, x, axis], { ...T(dtype), Tidx: attr.type("int32"), N: attr.int(2) });
  },
  (graph, pick) => {
    const x = someValue(graph, pick, ({ shape }) => shape.length > 0 && (shape[0] ?? 0) > 0);
    if (x === undefined) return;
    const row = (...list: number[]) => graph.constant(integers("int32", list));
    graph.node("StridedSlice", [x, row(pick(2)), row(pick(4)), row(pick(2) + 1)], {
      ...T(x.tensor.dtype),
      Index: attr.type("int32"),
      end_mask: attr.int(pick(2)),
    });
  },
  (graph, pick) => {
    const x = someValue(graph, pick, ({ dtype }) => dtype === "int32");
    if (x !== undefined) graph.node("Cast", [x], { SrcT: attr.type("int32"), DstT: attr.type("float32") });
  },
  ...["Less", "GreaterEqual", "Equal"].map((op) => binary(op)),
  binary("LogicalAnd", () => false),
  (graph, pick) => {
    const condition = someValue(graph, pick, ({ dtype }) => dtype === "bool");
    const shape = condition?.tensor.shape.join();
    const x = someValue(graph, pick, (tensor) => isNumber(tensor) && tensor.shape.join() === shape);
    const y = someValue(
      graph,
      pick,
      (tensor) => tensor.dtype === x?.tensor.dtype && tensor.shape.join() === shape,
    );
    if (condition && x && y) graph.node("SelectV2", [condition, x, y], T(x.tensor.dtype));
  },
];

/** Elements that stay small whole numbers in sums, and whose products are exact. */
const inputs = shapes({ minRank: 0, maxRank: 3, maxSize: 3 }).chain((shape) =>
  fc.tuple(
    tensor("int32", shape, "any"),
    tensor("int32", shape, "moderate"),
    tensor("int32", [], "moderate"),
  ),
);

test("nodes that follow each other give in one model what their kernels give", async () => {
  await fc.assert(
    fc.asyncProperty(
      inputs,
      fc.array(fc.nat(), { minLength: 120, maxLength: 120 }),
      async (tensors, draw) => {
        const graph = new RandomGraph();
        for (const one of tensors) graph.input(one);
        let next = 0;
        const pick = (count: number): number => {
          next += 1;
          return (draw[next % draw.length] ?? 0) % count;
        };
        while (next < draw.length) steps[pick(steps.length)]?.(graph, pick);
        const wanted = graph.values.slice(tensors.length);
        const outputs = wanted.map(({ onnx }) => graph.model.output(onnx));
        const given = await sessions.run(
          { bytes: graph.model.build("graph"), inputs: graph.inputs.map(({ onnx }) => onnx.name), outputs },
          tensors,
        );
        const failures = wanted.flatMap(({ tensor: expected }, i) => {
          const got = given[i];
          const what = got && tensorDifference(expected, got, { ulps: 0, eitherZero: true });
          return what === undefined ? [] : [`${graph.ops[i]} (node ${i} of ${graph.ops.join()}): ${what}`];
        });
        expect(failures).toEqual([]);
      },
    ),
  );
});
