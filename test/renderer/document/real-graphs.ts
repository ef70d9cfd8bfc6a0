/** Graphs built as Keras and TensorFlow 1 name and connect theirs. */
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { constant, node, placeholder, type } from "./graphs.js";

const weight = (name: string): NodeDef[] => [
  constant(`${name}/ReadVariableOp/resource`, "[1, 2, 3, 4]"),
  node(`${name}/ReadVariableOp`, "Identity", [`${name}/ReadVariableOp/resource`]),
];

/** A convolution, its normalization and its activation, named as Keras names layers: flat, counted by their prefix. */
function block(prefix: string, input: string): { nodes: NodeDef[]; output: string } {
  const conv = `net/${prefix}_conv/Conv2D`;
  const bias = `net/${prefix}_bn/BiasAdd`;
  const relu = `net/${prefix}_relu/Relu`;
  return {
    nodes: [
      ...weight(conv),
      node(conv, "Conv2D", [input, `${conv}/ReadVariableOp`]),
      ...weight(bias),
      node(bias, "BiasAdd", [conv, `${bias}/ReadVariableOp`]),
      node(relu, "Relu", [bias]),
    ],
    output: relu,
  };
}

/** A chain of blocks, frozen: of each block 3 nodes and 4 that are weights. */
export function frozenNetwork(blocks: number): NodeDef[] {
  const nodes = [placeholder("x")];
  let last = "x";
  for (let index = 0; index < blocks; index++) {
    // Every third one has an activation more, and is therefore built otherwise.
    const { nodes: inner, output } = block(`block_${index}`, last);
    nodes.push(...inner);
    last = output;
    if (index % 3 !== 0) continue;
    nodes.push(node(`net/block_${index}_out/Tanh`, "Tanh", [last]));
    last = `net/block_${index}_out/Tanh`;
  }
  return [...nodes, node("y", "Identity", [last, `^net/block_0_conv/Conv2D`])];
}

/** A variable of TensorFlow 1 with its initializer, a read, a use, a gradient step and a saver. */
export function trainedVariable(): NodeDef[] {
  return [
    placeholder("x"),
    constant("w/Initializer/random_uniform/shape", "[2, 2]", "int32"),
    node("w/Initializer/random_uniform", "RandomUniform", ["w/Initializer/random_uniform/shape"]),
    node("w", "VariableV2"),
    node("w/Assign", "Assign", ["w", "w/Initializer/random_uniform"]),
    node("w/read", "Identity", ["w"]),
    node("y", "MatMul", ["x", "w/read"]),
    constant("rate", "0.1"),
    node("gradient", "MatMul", ["x", "y"]),
    node("train", "ApplyGradientDescent", ["w", "rate", "gradient"]),
    node("init", "NoOp", ["^w/Assign"]),
    node("save/restore", "RestoreV2"),
    node("save/Assign", "Assign", ["w", "save/restore"]),
  ];
}

/**
 * Variables of TensorFlow 2's kind, pinned as tf.compat.v1.train.replica_device_setter does: the variable with its first
 * value and its reads to the ps, but the question whether it has a value to the worker.
 */
export function variablesOnPs(
  names: readonly string[],
  { ps, worker } = { ps: "/job:ps/task:0", worker: "/job:worker/task:0" },
): NodeDef[] {
  const dtype = type("float32");
  return names.flatMap((name) => [
    node(name, "VarHandleOp", [], { dtype }, ps),
    node(`${name}/IsInitialized/VarIsInitializedOp`, "VarIsInitializedOp", [name], {}, worker),
    { ...constant(`${name}/Initializer/zeros`, "0"), device: ps },
    node(`${name}/Assign`, "AssignVariableOp", [name, `${name}/Initializer/zeros`], { dtype }, ps),
    node(`${name}/Read/ReadVariableOp`, "ReadVariableOp", [name], { dtype }, ps),
  ]);
}
