import { describe, expect, test } from "vitest";
import type { AttrInput } from "../../../../../../worker-runtime/graph/attr-values.js";
import type { Operation } from "../../../../../../worker-runtime/graph/graph.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { differences, Program } from "../session-programs.js";

const floats = (values: number[]) => Tensor.of(values, "float32");

interface QueueOps {
  readonly program: Program;
  readonly queue: Operation;
  op(
    name: string,
    inputs?: readonly (Operation | Tensor | number | readonly (Operation | Tensor)[])[],
    attrs?: Record<string, AttrInput>,
  ): Operation;
}

function queueProgram(
  title: string,
  kind: string,
  version: string,
  attrs: Record<string, AttrInput>,
  build: (ops: QueueOps) => void,
): Program {
  const program = new Program(`${title} ${kind}${version}`);
  const queue = program.graph.op(`${kind}${version}`, [], attrs, "q");
  build({
    program,
    queue,
    op: (name, inputs = [], more = {}) => program.graph.op(`${name}${version}`, [queue, ...inputs], more),
  });
  return program;
}

function queuePrograms(): readonly Program[] {
  const programs: Program[] = [];
  for (const version of ["", "V2"]) {
    const types = ["float32", "string"];
    const dequeued = { component_types: types };
    programs.push(
      queueProgram(
        "elements",
        "FIFOQueue",
        version,
        { component_types: types, shapes: [[2], []], capacity: 5 },
        (q) => {
          const { program, op } = q;
          const value = program.placeholder("float32");
          const count = program.placeholder("int32");
          const enqueue = op("QueueEnqueue", [[value, Tensor.of("a")]]);
          const many = op("QueueEnqueueMany", [
            [floats([1, 2, 3, 4]).reshape([2, 2]), Tensor.of(["x", "y"])],
          ]);
          const misfit = op("QueueEnqueueMany", [[value, Tensor.of(["x", "y"])]]);
          const size = op("QueueSize");
          const dequeue = op("QueueDequeue", [], dequeued);
          const two = op("QueueDequeueMany", [2], dequeued);
          const none = op("QueueDequeueMany", [0], dequeued);
          const upTo = op("QueueDequeueUpTo", [3], dequeued);
          const negative = op("QueueDequeueMany", [count], dequeued);
          const close = op("QueueClose");
          const closed = op("QueueIsClosed");
          program
            .run([size])
            .run([enqueue], [[value, floats([1, 2])]])
            .run([enqueue], [[value, floats([1, 2, 3])]]);
          program.run([misfit], [[value, floats([1, 2, 3, 4, 5, 6]).reshape([2, 3])]]);
          program
            .run([many])
            .run([size])
            .run([dequeue])
            .run([two])
            .run([size])
            .run([none])
            .run([negative], [[count, Tensor.of(-1, "int32")]]);
          program
            .run([many])
            .run([closed])
            .run([close])
            .run([closed])
            .run([enqueue], [[value, floats([1, 2])]]);
          program.run([upTo]).run([many]).run([close]).run([dequeue]).run([two]).run([upTo]);
        },
      ),
      queueProgram(
        "open shapes",
        "FIFOQueue",
        version,
        { component_types: ["float32"], capacity: -1 },
        (q) => {
          const { program, op } = q;
          const value = program.placeholder("float32");
          const other = program.placeholder("float32");
          const enqueue = op("QueueEnqueue", [[value]]);
          const dequeue = op("QueueDequeue", [], { component_types: ["float32"] });
          program.run([enqueue], [[value, floats([1])]]).run([enqueue], [[value, Tensor.of(1, "float32")]]);
          program.run([op("QueueDequeueMany", [2], { component_types: ["float32"] })]);
          program.run([dequeue]).run([dequeue]);
          program
            .run([op("QueueEnqueueMany", [[other]])], [[other, floats([1, 2, 3])]])
            .run([dequeue])
            .run([op("QueueSize")]);
        },
      ),
      queueProgram(
        "padding",
        "PaddingFIFOQueue",
        version,
        { component_types: ["int32"], shapes: [[-1, 2]], capacity: 5 },
        (q) => {
          const { program, op } = q;
          const value = program.placeholder("int32");
          const enqueue = op("QueueEnqueue", [[value]]);
          const many = op("QueueDequeueMany", [3], { component_types: ["int32"] });
          program.run([enqueue], [[value, Tensor.of([[1, 2]], "int32")]]);
          program.run(
            [enqueue],
            [
              [
                value,
                Tensor.of(
                  [
                    [3, 4],
                    [5, 6],
                  ],
                  "int32",
                ),
              ],
            ],
          );
          program.run([enqueue], [[value, Tensor.of([], "int32").reshape([0, 2])]]);
          program.run([enqueue], [[value, Tensor.of([[3, 4, 5]], "int32")]]);
          program.run([many]);
          program.run([op("QueueDequeueMany", [0], { component_types: ["int32"] })]);
        },
      ),
      queueProgram(
        "shuffling",
        "RandomShuffleQueue",
        version,
        { component_types: ["int32"], shapes: [[]], capacity: 100, min_after_dequeue: 2, seed: 3, seed2: 7 },
        (q) => {
          const { program, op } = q;
          program.run([op("QueueEnqueueMany", [[Tensor.of([...Array(30).keys()], "int32")]])]);
          program.run([op("QueueDequeue", [], { component_types: ["int32"] })]);
          program.run([op("QueueDequeueMany", [12], { component_types: ["int32"] })]);
          program.run([op("QueueClose")]);
          program.run([op("QueueDequeueUpTo", [40], { component_types: ["int32"] })]);
          program.run([op("QueueDequeue", [], { component_types: ["int32"] })]);
        },
      ),
      queueProgram(
        "priorities",
        "PriorityQueue",
        version,
        { component_types: ["string"], shapes: [[]], capacity: 10 },
        (q) => {
          const { program, op } = q;
          const types = { component_types: ["int64", "string"] };
          const priorities = Tensor.of([5n, -1n, 3n, 9n]);
          program.run([op("QueueEnqueueMany", [[priorities, Tensor.of(["a", "b", "c", "d"])]])]);
          program.run([op("QueueEnqueue", [[Tensor.of(4n), Tensor.of("e")]])]);
          program.run([op("QueueDequeue", [], types)]).run([op("QueueDequeueMany", [2], types)]);
          program.run([op("QueueClose", [], { cancel_pending_enqueues: true })]);
          // With more than there are TensorFlow counts wrong and fails.
          program.run([op("QueueDequeueUpTo", [2], types)]).run([op("QueueDequeueUpTo", [5], types)]);
        },
      ),
    );
  }
  const clash = new Program("two nodes of one shared name");
  const first = clash.graph.op("FIFOQueueV2", [], { component_types: ["float32"], shared_name: "s" });
  clash.run([clash.graph.op("QueueSizeV2", [first])]);
  for (const attrs of [{ capacity: 3 }, { component_types: ["int32"] }, { shapes: [[2]] }]) {
    const other = clash.graph.op("FIFOQueueV2", [], {
      component_types: ["float32"],
      shared_name: "s",
      ...attrs,
    });
    clash.run([clash.graph.op("QueueSizeV2", [other])]);
  }
  programs.push(clash);
  const bad = new Program("a shuffle queue that keeps all", { texts: true });
  const queue = bad.graph.op("RandomShuffleQueueV2", [], {
    component_types: ["float32"],
    capacity: 3,
    min_after_dequeue: 3,
  });
  bad.run([bad.graph.op("QueueSizeV2", [queue])]);
  programs.push(bad);
  return programs;
}

describe.skipIf(peerMissing("tensorflow"))("queues against TensorFlow", () => {
  test("hold, give and refuse as TensorFlow's do", async () => {
    expect(await differences(queuePrograms())).toEqual([]);
  }, 120_000);
});
