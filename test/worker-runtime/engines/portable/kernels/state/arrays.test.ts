import { describe, expect, test } from "vitest";
import type { AttrInput } from "../../../../../../worker-runtime/graph/attr-values.js";
import { UNKNOWN_RANK } from "../../../../../../worker-runtime/graph/attr-values.js";
import type { Operation } from "../../../../../../worker-runtime/graph/graph.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { differences, Program } from "../session-programs.js";

const floats = (values: number[]) => Tensor.of(values, "float32");

/** An array and a chain of ops on it, each after the one before. */
class ArrayChain {
  readonly program: Program;
  readonly #array: Operation;
  #flow: Operation;
  #flowOutput: number;

  constructor(program: Program, size: number, attrs: Record<string, AttrInput> = {}) {
    this.program = program;
    this.#array = program.graph.op("TensorArrayV3", [Tensor.of(size, "int32")], {
      dtype: "float32",
      element_shape: UNKNOWN_RANK,
      ...attrs,
    });
    this.#flow = this.#array;
    this.#flowOutput = 1;
  }

  /** An op that gives the next flow. */
  and(op: string, inputs: readonly (Tensor | Operation)[], attrs: Record<string, AttrInput> = {}): this {
    const next = this.op(op, inputs, attrs);
    this.#flow = next;
    this.#flowOutput = 0;
    return this;
  }

  op(op: string, inputs: readonly (Tensor | Operation)[], attrs: Record<string, AttrInput> = {}): Operation {
    const flow = this.#flow.outputAt(this.#flowOutput);
    return this.program.graph.op(op, [this.#array, ...inputs, flow], attrs);
  }

  gradient(): Operation {
    return this.op("TensorArrayGradV3", [], { source: "gradients" });
  }
}

const index = (value: number) => Tensor.of(value, "int32");
const indices = (values: number[]) => Tensor.of(values, "int32");
const dtype = { dtype: "float32" };

function arrayPrograms(): readonly Program[] {
  const programs: Program[] = [];
  const make = (title: string, build: (program: Program) => void) => {
    const program = new Program(title);
    build(program);
    programs.push(program);
  };
  make("TensorArray: writes and reads", (p) => {
    const chain = new ArrayChain(p, 3)
      .and("TensorArrayWriteV3", [index(0), floats([1, 2])])
      .and("TensorArrayWriteV3", [index(2), floats([3, 4])]);
    p.run([chain.op("TensorArrayReadV3", [index(2)], dtype)]);
    p.run([chain.op("TensorArraySizeV3", [])]);
    p.run([chain.op("TensorArrayGatherV3", [indices([2, 0])], dtype)]);
    p.run([chain.op("TensorArrayConcatV3", [], dtype)]);
    p.run([chain.op("TensorArrayReadV3", [index(1)], dtype)]);
    p.run([chain.op("TensorArrayReadV3", [index(3)], dtype)]);
    p.run([chain.op("TensorArrayReadV3", [index(0)], { dtype: "int32" })]);
    p.run([chain.op("TensorArrayWriteV3", [index(0), floats([1])])]);
    p.run([chain.op("TensorArrayWriteV3", [index(3), floats([1])])]);
    p.run([chain.op("TensorArrayGatherV3", [indices([0, 0])], dtype)]);
    p.run([chain.op("TensorArrayGatherV3", [indices([])], dtype)]);
    p.run([chain.op("TensorArrayGatherV3", [indices([])], { ...dtype, element_shape: [2] })]);
  });
  make("TensorArray: dynamic size and shapes", (p) => {
    const chain = new ArrayChain(p, 0, { dynamic_size: true, element_shape: [-1], clear_after_read: false })
      .and("TensorArrayWriteV3", [index(2), floats([1, 2])])
      .and("TensorArrayWriteV3", [index(0), floats([3])])
      .and("TensorArrayWriteV3", [index(1), floats([4, 5, 6])]);
    p.run([chain.op("TensorArraySizeV3", [])]);
    const concat = chain.op("TensorArrayConcatV3", [], dtype);
    p.run([concat]);
    p.run([p.graph.op("Identity", [concat.outputAt(1)])]);
    p.run([chain.op("TensorArrayGatherV3", [indices([0, 1])], dtype)]);
    p.run([chain.op("TensorArrayGatherV3", [indices([0, 0])], dtype)]);
    p.run([chain.op("TensorArrayWriteV3", [index(3), Tensor.of([[1]], "float32")])]);
  });
  make("TensorArray: scatter and split", (p) => {
    const rows = floats([1, 2, 3, 4, 5, 6]).reshape([3, 2]);
    const scattered = new ArrayChain(p, 3).and("TensorArrayScatterV3", [indices([2, 0, 1]), rows]);
    p.run([scattered.op("TensorArrayGatherV3", [indices([0, 1, 2])], dtype)]);
    p.run([new ArrayChain(p, 3).op("TensorArrayScatterV3", [indices([2, 0, 5]), rows])]);
    const few = p.placeholder("int32");
    p.run([new ArrayChain(p, 3).op("TensorArrayScatterV3", [few, rows])], [[few, indices([2, 0])]]);
    const lengths = Tensor.of([1n, 0n, 2n]);
    const split = new ArrayChain(p, 3).and("TensorArraySplitV3", [rows, lengths]);
    p.run([split.op("TensorArrayReadV3", [index(2)], dtype)]);
    p.run([split.op("TensorArrayReadV3", [index(1)], dtype)]);
    p.run([split.op("TensorArrayConcatV3", [], dtype)]);
    p.run([new ArrayChain(p, 2).op("TensorArraySplitV3", [rows, lengths])]);
    p.run([new ArrayChain(p, 3).op("TensorArraySplitV3", [rows, Tensor.of([1n, 1n, 2n])])]);
  });
  make("TensorArray: gradients add up", (p) => {
    const chain = new ArrayChain(p, 2)
      .and("TensorArrayWriteV3", [index(0), floats([1, 2])])
      .and("TensorArrayWriteV3", [index(1), floats([3, 4])]);
    const gradient = chain.gradient();
    const write = (at: number, value: Tensor, flow: Operation, output: number) =>
      p.graph.op("TensorArrayWriteV3", [gradient, index(at), value, flow.outputAt(output)]);
    const once = write(0, floats([10, 20]), gradient, 1);
    const twice = write(0, floats([1, 1]), once, 0);
    const read = (at: number, flow: Operation) =>
      p.graph.op("TensorArrayReadV3", [gradient, index(at), flow.outputAt(0)], dtype);
    p.run([read(0, once)])
      .run([read(0, twice)])
      .run([read(1, twice)]);
    p.run([write(0, floats([1]), once, 0)]);
  });
  make("TensorArray: sizes that may not be", (p) => {
    p.run([new ArrayChain(p, -1).op("TensorArraySizeV3", [])]);
  });
  make("Stack", (p) => {
    const stack = p.graph.op("StackV2", [index(2)], { elem_type: "float32" });
    const push = p.graph.op("StackPushV2", [stack, floats([1, 2])]);
    const second = p.graph.op("StackPushV2", [stack, floats([3])]);
    const pop = p.graph.op("StackPopV2", [stack], { elem_type: "float32" });
    const next = p.graph.op("StackPopV2", [stack], { elem_type: "float32" });
    for (const [earlier, later] of [
      [push, second],
      [second, pop],
      [pop, next],
    ] as const) {
      p.graph.addControlInput(later, earlier);
    }
    p.run([push]).run([pop]).run([next]).run([pop, next]);
  });
  return programs;
}

describe.skipIf(peerMissing("tensorflow"))("TensorArrays and stacks against TensorFlow", () => {
  test("hold, add up and refuse as TensorFlow's do", async () => {
    expect(await differences(arrayPrograms())).toEqual([]);
  }, 120_000);
});
