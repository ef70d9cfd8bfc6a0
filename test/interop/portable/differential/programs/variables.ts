/** Variables of both kinds and what changes them. */
import type { Graph } from "../../../../../worker-runtime/graph/graph.js";
import type { Operation, Output } from "../../../../../worker-runtime/graph/operation.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import type { Program, Step } from "./program.js";

const matrix = Tensor.of([1, 2, 3, 4, 5, 6], "float32", [3, 2]);

export function resource(
  g: Graph,
  name: string,
  value: Tensor,
): { handle: Output; init: Operation; read: Output } {
  // A handle without a shared name is that of the variable named "", whatever its node is called.
  const attrs = { dtype: value.dtype, shape: value.shape, shared_name: g.uniqueName(`${name}_shared`) };
  const handle = g.op("VarHandleOp", [], attrs, name).output;
  return {
    handle,
    init: g.op("AssignVariableOp", [handle, value]),
    read: g.op("ReadVariableOp", [handle], { dtype: value.dtype }).output,
  };
}

export function reference(g: Graph, name: string, value: Tensor): { ref: Output; init: Operation } {
  const ref = g.op("VariableV2", [], { dtype: value.dtype, shape: value.shape }, name).output;
  return { ref, init: g.op("Assign", [ref, value]) };
}

const scatterKinds = ["Update", "Add", "Sub", "Mul", "Div", "Min", "Max"];
const scatterNdKinds = ["Update", "Add", "Sub", "Max", "Min"];
const rows = Tensor.of([2, 0], "int32");
const updates = Tensor.of([2, 4, 0.5, 8], "float32", [2, 2]);
const twice = Tensor.of([1, 1], "int32");
const ndRows = Tensor.of([[2], [0]], "int32");

export const variablePrograms: readonly Program[] = [
  {
    name: "reference_variables",
    build: (g) => {
      const { ref, init } = reference(g, "v", matrix);
      const old = g.op("Variable", [], { dtype: "int32", shape: [2] }).output;
      const assignOld = g.op("Assign", [old, Tensor.of([1, 2], "int32")]);
      // It has a shape that only the run shows: the graph library refuses what cannot fit.
      const fed = g.op("Placeholder", [], { dtype: "float32" }).output;
      const wrongShape = g.op("Assign", [ref, fed]);
      const otherShape = g.op("Assign", [ref, Tensor.of([1], "float32")], { validate_shape: false });
      const isInitialized = g.op("IsVariableInitialized", [ref]).output;
      return [
        { run: [isInitialized] },
        { run: [ref] },
        { run: [init.output] },
        { run: [isInitialized, ref] },
        { run: [g.op("AssignAdd", [ref, matrix]).output] },
        { run: [g.op("AssignSub", [ref, Tensor.of(0.5, "float32", [3, 2])], { use_locking: true }).output] },
        { run: [wrongShape], feeds: { [fed.name]: Tensor.of([1], "float32") } },
        { run: [ref] },
        { run: [otherShape.output] },
        { run: [ref] },
        { run: [assignOld.output] },
      ];
    },
  },
  {
    name: "resource_variables",
    build: (g) => {
      const { handle, init, read } = resource(g, "v", matrix);
      const isInitialized = g.op("VarIsInitializedOp", [handle]).output;
      const fedOf = (dtype: "int32" | "float32") => g.op("Placeholder", [], { dtype }).output;
      const [ints, floats] = [fedOf("int32"), fedOf("float32")];
      return [
        { run: [isInitialized] },
        { run: [read] },
        { run: [init] },
        { run: [isInitialized, read, g.op("VariableShape", [handle]).output] },
        { run: [g.op("AssignAddVariableOp", [handle, matrix])] },
        { run: [g.op("AssignSubVariableOp", [handle, Tensor.of(0.5, "float32", [3, 2])])] },
        { run: [read] },
        {
          run: [g.op("AssignVariableOp", [handle, ints], { dtype: "int32" })],
          feeds: { [ints.name]: Tensor.of([1], "int32") },
        },
        {
          run: [g.op("AssignAddVariableOp", [handle, floats])],
          feeds: { [floats.name]: Tensor.of([1], "float32") },
        },
        { run: [g.op("ResourceGather", [handle, rows], { dtype: "float32" }).output] },
        { run: [g.op("ResourceGather", [handle, Tensor.of([3], "int32")], { dtype: "float32" }).output] },
        { run: [g.op("ResourceGatherNd", [handle, ndRows], { dtype: "float32" }).output] },
        { run: [g.op("DestroyResourceOp", [handle])] },
        { run: [isInitialized] },
        { run: [g.op("DestroyResourceOp", [handle])] },
        { run: [g.op("DestroyResourceOp", [handle], { ignore_lookup_error: true })] },
      ];
    },
  },
  {
    name: "resource_slices",
    build: (g) => {
      const { handle, init, read } = resource(g, "v", matrix);
      const assign = g.op("ResourceStridedSliceAssign", [
        handle,
        Tensor.of([0, 0], "int32"),
        Tensor.of([2, 1], "int32"),
        Tensor.of([1, 1], "int32"),
        Tensor.of([[9], [8]], "float32"),
      ]);
      return [{ run: [init] }, { run: [assign] }, { run: [read] }];
    },
  },
  {
    name: "reference_slices",
    build: (g) => {
      const { ref, init } = reference(g, "v", matrix);
      const assign = g.op("StridedSliceAssign", [
        ref,
        Tensor.of([0, 0], "int32"),
        Tensor.of([2, 1], "int32"),
        Tensor.of([1, 1], "int32"),
        Tensor.of([[9], [8]], "float32"),
      ]);
      return [{ run: [init] }, { run: [assign.output] }, { run: [ref] }];
    },
  },
  {
    name: "mutex",
    build: (g) => {
      const mutex = g.op("MutexV2").output;
      const lock = g.op("MutexLock", [mutex]).output;
      const consume = g.op("ConsumeMutexLock", [lock]);
      return [{ run: [consume] }, { run: [consume] }];
    },
  },
  {
    name: "scatter_references",
    build: (g) => {
      const { ref, init } = reference(g, "v", matrix);
      const wrong = g.op("ScatterAdd", [ref, Tensor.of([3], "int32"), Tensor.of([[1, 1]], "float32")]);
      const nd = scatterNdKinds.map((kind) => g.op(`ScatterNd${kind}`, [ref, ndRows, updates]).output);
      return [
        { run: [init] },
        ...[rows, twice].flatMap((indices) =>
          scatterKinds.map((kind) => ({ run: [g.op(`Scatter${kind}`, [ref, indices, updates]).output] })),
        ),
        ...nd.map((output) => ({ run: [output] })),
        ...[
          wrong,
          g.op("ScatterSub", [ref, Tensor.of([1, -1], "int32"), updates]),
          g.op("ScatterNdSub", [ref, Tensor.of([[1], [-1]], "int32"), updates]),
        ].flatMap((op): Step[] => [{ run: [op] }, { run: [ref] }]),
      ];
    },
  },
  {
    name: "scatter_resources",
    build: (g) => {
      const { handle, init, read } = resource(g, "v", matrix);
      const scatters = [
        ...[rows, twice].flatMap((indices) =>
          scatterKinds.map((kind) => g.op(`ResourceScatter${kind}`, [handle, indices, updates])),
        ),
        ...scatterNdKinds.map((kind) => g.op(`ResourceScatterNd${kind}`, [handle, ndRows, updates])),
        g.op("ResourceScatterAdd", [handle, Tensor.of([3], "int32"), Tensor.of([[1, 1]], "float32")]),
        g.op("ResourceScatterSub", [handle, Tensor.of([1, -1], "int32"), updates]),
        g.op("ResourceScatterUpdate", [handle, Tensor.of([1, 3], "int32"), updates]),
        g.op("ResourceScatterNdSub", [handle, Tensor.of([[1], [-1]], "int32"), updates]),
        g.op("ResourceScatterNdUpdate", [handle, Tensor.of([[1], [3]], "int32"), updates]),
      ];
      return [{ run: [init] }, ...scatters.flatMap((op): Step[] => [{ run: [op] }, { run: [read] }])];
    },
  },
  {
    name: "counting_and_temporary",
    build: (g) => {
      const { ref, init } = reference(g, "v", Tensor.of(0, "int32"));
      const counter = resource(g, "c", Tensor.of(0n, "int64"));
      const count = g.op("CountUpTo", [ref], { limit: 2 }).output;
      const resourceCount = g.op("ResourceCountUpTo", [counter.handle], { limit: 1, T: "int64" }).output;
      const temporary = g.op("TemporaryVariable", [], { dtype: "float32", shape: [2], var_name: "t" }).output;
      const filled = g.op("Assign", [temporary, Tensor.of([1, 2], "float32")]).output;
      const destroyed = g.op("DestroyTemporaryVariable", [filled], { var_name: "t" }).output;
      return [
        { run: [init, counter.init] },
        { run: [count] },
        { run: [count] },
        { run: [count] },
        { run: [resourceCount] },
        { run: [resourceCount] },
        { run: [destroyed] },
      ];
    },
  },
];
