import { describe, expect, test } from "vitest";
import type { KernelOffload } from "../../../../../worker-runtime/engines/portable/compute/kernel-offload.js";
import { runGraph } from "../../../../../worker-runtime/engines/portable/executor/executor.js";
import type {
  KernelDefinition,
  OpContext,
} from "../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import { mathKernels } from "../../../../../worker-runtime/engines/portable/kernels/math/index.js";
import { RefValue, type Value } from "../../../../../worker-runtime/engines/portable/values.js";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import {
  aborted,
  cancelled,
  invalidArgument,
  StatusCode,
} from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import {
  arg,
  binary,
  constant,
  countingLoop,
  environment,
  float32,
  int32,
  node,
  ret,
  scalars,
  stateful,
  text,
  type,
} from "./graph-fixture.js";

const T = type("int32");

/** Ends with the signal's reason. */
function untilAborted({ step }: OpContext): Promise<never> {
  return new Promise((_, reject) => {
    step.signal.addEventListener("abort", () => reject(step.signal.reason), { once: true });
  });
}

describe("values", () => {
  test("arguments go in, results come out by their index", async () => {
    const env = environment();
    const results = await env.run(
      [
        arg("a", 0, "float32"),
        arg("b", 1, "float32"),
        binary("AddV2", "x", "a", "b", "float32"),
        binary("Mul", "y", "a", "b", "float32"),
        binary("AddV2", "z", "x", "y", "float32"),
        ret("z", 1, "float32"),
        ret("x", 0, "float32"),
      ],
      float32(3),
      float32(2),
    );
    expect(scalars(results)).toEqual([5, 11]);
  });

  test("a graph without nodes is done at once; one with a missing or wrong argument is refused", async () => {
    const env = environment();
    expect(await env.run([])).toEqual([]);
    const nodes = [arg("a", 0, "float32"), ret("a", 0, "float32")];
    await expect(env.run(nodes)).rejects.toMatchObject({ code: StatusCode.INVALID_ARGUMENT });
    await expect(env.run(nodes, int32(1))).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      message: "Type mismatch: actual int32 vs. expect float\n\t [[{{node a}}]]",
    });
  });

  test("a result that is dead is an error", async () => {
    const env = environment();
    const nodes = [
      arg("p", 0, "bool"),
      node("Switch", "s", ["p", "p"], { T: type("bool") }),
      ret("s:1", 0, "bool"),
    ];
    expect(scalars(await env.run(nodes, Tensor.of(true)))).toEqual([true]);
    await expect(env.run(nodes, Tensor.of(false))).rejects.toThrow("Retval[0] does not have value");
  });

  test("references are read when a node runs that wants their values", async () => {
    const mutable: { value: Tensor | undefined } = { value: undefined };
    const read = () => mutable.value;
    const cell = Object.assign(mutable, { dtype: "float32", name: "v", read, readOnce: read } as const);
    const env = environment({
      kernels: [stateful("VariableV2", () => [new RefValue(cell)])],
    });
    const nodes = [
      node("VariableV2", "v", [], {
        dtype: type("float32"),
        shape: { $case: "shape", value: { dim: [], unknownRank: false } },
      }),
      node("Identity", "read", ["v"], { T: type("float32") }),
      node("RefIdentity", "same", ["v"], { T: type("float32") }),
      ret("read", 0, "float32"),
      ret("same", 1, "float32"),
    ];
    await expect(env.run(nodes)).rejects.toMatchObject({
      code: StatusCode.FAILED_PRECONDITION,
      message: expect.stringMatching(
        /^Attempting to use uninitialized value v\n\t \[\[\{\{node \w+\}\}\]\]$/,
      ),
    });
    mutable.value = float32(4);
    expect(scalars(await env.run(nodes))).toEqual([4, 4]);
  });

  test("a kernel whose outputs are not what its node says is INTERNAL", async () => {
    const outputs: Record<string, readonly (Value | undefined)[]> = {
      "gave 0 outputs": [],
      "Missing 0-th output": [undefined],
      "Output 0 of type float does not match declared output type int32": [float32(1)],
    };
    for (const [message, given] of Object.entries(outputs)) {
      const env = environment({ kernels: [stateful("Rank", () => given)] });
      const nodes = [constant("c", 1, "int32"), node("Rank", "r", ["c"], { T })];
      await expect(env.run(nodes)).rejects.toMatchObject({
        code: StatusCode.INTERNAL,
        message: expect.stringContaining(message),
      });
    }
  });
});

describe("chains of pure nodes", () => {
  /** Counts how often it ran; fails at the given time. */
  const counting = (failsAt = Number.POSITIVE_INFINITY) => {
    const count = { runs: 0 };
    const kernel: KernelDefinition = {
      kind: "pure",
      op: "Neg",
      types: {},
      create: () => (inputs) => {
        count.runs += 1;
        if (count.runs === failsAt) throw invalidArgument("no more");
        return [Tensor.of(-Number(inputs[0]?.item()), "int32")];
      },
    };
    return { count, kernel };
  };
  const chain = (length: number) => [
    arg("n0", 0, "int32"),
    ...Array.from({ length }, (_, at) => node("Neg", `n${at + 1}`, [`n${at}`], { T })),
  ];

  test("run every node once, however long they are", async () => {
    const { count, kernel } = counting();
    const env = environment({ kernels: [kernel] });
    const results = await env.run(
      [...chain(1001), ret("n1001", 0, "int32"), ret("n500", 1, "int32")],
      int32(3),
    );
    expect(scalars(results)).toEqual([-3, 3]);
    expect(count.runs).toBe(1001);
  });

  test("small tensors and others may follow each other in any order", async () => {
    // The quick way of two small float32 tensors is left for an int32, for larger ones, and by a node of one input.
    const ops = new Set(["Maximum", "SquaredDifference", "Neg"]);
    const env = environment({ kernels: mathKernels.filter(({ op }) => ops.has(op)) });
    const F = type("float32");
    const chainOf = (dtype: DType, start: string, from: string, prefix: string) =>
      Array.from({ length: 60 }, (_, at) => {
        const before = at === 0 ? start : `${prefix}${at - 1}`;
        return at % 7 === 3
          ? node("Neg", `${prefix}${at}`, [before], { T: type(dtype) })
          : binary(at % 2 === 0 ? "SquaredDifference" : "Maximum", `${prefix}${at}`, before, from, dtype);
      });
    const results = await env.run(
      [
        arg("scalar", 0, "float32"),
        arg("many", 1, "float32"),
        arg("int", 2, "int32"),
        constant("float_start", 0.9, "float32"),
        constant("int_start", 3, "int32"),
        ...chainOf("float32", "float_start", "scalar", "s"),
        ...chainOf("float32", "float_start", "many", "m"),
        ...chainOf("int32", "int_start", "int", "i"),
        // Broadcasts, so that the kernel for tensors of one shape cannot run it.
        node("Maximum", "both", ["s59", "m59"], { T: F }),
        ret("s59", 0, "float32"),
        ret("both", 1, "float32"),
        ret("i59", 2, "int32"),
      ],
      float32(0.25),
      Tensor.of(new Float32Array(100).fill(0.25), "float32", [100]),
      int32(2),
    );
    const expected = (start: number, from: number, round: (value: number) => number) => {
      let value = round(start);
      for (let at = 0; at < 60; at += 1) {
        if (at % 7 === 3) value = round(-value);
        else value = at % 2 === 0 ? round(round(value - from) ** 2) : Math.max(value, from);
      }
      return value;
    };
    const float = expected(0.9, 0.25, Math.fround);
    expect(results.map((result) => (result as Tensor).toArray())).toEqual([
      float,
      Array(100).fill(float),
      expected(3, 2, (value) => value | 0),
    ]);
  });

  test("an error names the node that failed, and no other runs after it", async () => {
    const { count, kernel } = counting(7);
    const env = environment({ kernels: [kernel] });
    await expect(env.run([...chain(20), ret("n20", 0, "int32")], int32(1))).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      message: "no more\n\t [[{{node n7}}]]",
    });
    expect(count.runs).toBe(7);
  });

  test("a node without data inputs that waits for one of them runs once, after it", async () => {
    const order: string[] = [];
    const named = (op: string): KernelDefinition => ({
      kind: "pure",
      op,
      types: {},
      create:
        ({ name }) =>
        () => {
          order.push(name);
          return [int32(order.length)];
        },
    });
    const env = environment({ kernels: [named("Neg")] });
    const results = await env.run([
      constant("a", 1, "int32"),
      node("Neg", "b", ["a"], { T }),
      constant("c", 2, "int32", ["^b"]),
      node("Neg", "d", ["c"], { T }),
      ret("d", 0, "int32"),
    ]);
    expect(order).toEqual(["b", "d"]);
    expect(scalars(results)).toEqual([2]);
  });
});

describe("errors", () => {
  test("the first one ends the waits of all other kernels, which have ended when it is told", async () => {
    const ended: string[] = [];
    const graph = [constant("k", 1, "int32"), node("Rank", "slow", ["k"], { T })];
    const waiting = environment({
      kernels: [
        {
          kind: "stateful",
          types: {},
          op: "Rank",
          create: (own) => async (context) => {
            if (own.name === "bad") {
              throw aborted("first");
            }
            await untilAborted(context).finally(() => ended.push(own.name));
            return [];
          },
        },
      ],
    });
    await expect(waiting.run([...graph, node("Rank", "bad", ["k"], { T })])).rejects.toMatchObject({
      code: StatusCode.ABORTED,
      message: "first\n\t [[{{node bad}}]]",
    });
    expect(ended).toEqual(["slow"]);
  });

  test("a step that is cancelled ends with the reason, before it starts or while a kernel waits", async () => {
    const controller = new AbortController();
    const env = environment({
      signal: controller.signal,
      kernels: [
        stateful("Rank", (context) => {
          queueMicrotask(() => controller.abort(cancelled("enough")));
          return untilAborted(context);
        }),
      ],
    });
    const nodes = [constant("c", 1, "int32"), node("Rank", "r", ["c"], { T })];
    const enough = { code: StatusCode.CANCELLED, message: expect.stringMatching(/^enough(\n|$)/) };
    await expect(env.run(nodes)).rejects.toMatchObject(enough);
    await expect(env.run(nodes)).rejects.toMatchObject(enough);
  });

  test("what is no error of TensorFlow becomes INTERNAL", async () => {
    const env = environment({
      kernels: [
        stateful("Rank", () => {
          throw new TypeError("x is not a function");
        }),
      ],
    });
    await expect(env.run([constant("c", 1, "int32"), node("Rank", "r", ["c"], { T })])).rejects.toMatchObject(
      {
        code: StatusCode.INTERNAL,
        message: "x is not a function\n\t [[{{node r}}]]",
      },
    );
  });
});

describe("the event loop", () => {
  test("an endless loop lets timers run and ends with its step", async () => {
    const controller = new AbortController();
    const env = environment({ signal: controller.signal });
    const endless = env.run(
      [arg("s", 0, "int32"), arg("l", 1, "int32"), ...countingLoop("s", "l"), ret("while/Exit", 0, "int32")],
      int32(0),
      int32(2 ** 31 - 1),
    );
    setTimeout(() => controller.abort(cancelled("enough")), 5);
    await expect(endless).rejects.toThrow("enough");
  });

  test("a kernel that waits does not hold up the others", async () => {
    let release: (value: readonly Value[]) => void = () => {};
    const env = environment({
      kernels: [
        stateful("Rank", () => new Promise((resolve) => (release = resolve))),
        stateful("Size", () => {
          release([int32(0)]);
          return [int32(1)];
        }),
      ],
    });
    const results = await env.run([
      constant("c", 1, "int32"),
      node("Rank", "waits", ["c"], { T }),
      node("Size", "releases", ["c"], { T, out_type: T }),
      ret("waits", 0, "int32"),
      ret("releases", 1, "int32"),
    ]);
    expect(scalars(results)).toEqual([0, 1]);
  });

  test("many steps of one graph run at once", async () => {
    const env = environment();
    const graph = env.compile([
      arg("s", 0, "int32"),
      arg("l", 1, "int32"),
      ...countingLoop("s", "l"),
      ret("while/Exit", 0, "int32"),
    ]);
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        runGraph(graph, { step: env.step, args: [int32(0), int32(i * 10)] }),
      ),
    );
    expect(results.map((values) => scalars(values)[0])).toEqual(Array.from({ length: 50 }, (_, i) => i * 10));
  });
});

test("work that can be divided goes to several compute threads", async () => {
  const parts: unknown[] = [];
  const compute: KernelOffload = {
    parallelism: 2,
    run: (_own, _deviceType, inputs) => {
      parts.push(inputs[0]?.toArray());
      return Promise.resolve(inputs);
    },
  };
  const env = environment({
    compute,
    kernels: [
      {
        kind: "pure",
        types: {},
        op: "Neg",
        create: () => (inputs) => inputs,
        cost: () => 30e6,
        split: (_own, [input], most) => ({
          parts: Array.from({ length: most }, (_, part) => [
            Tensor.of(Number(input?.item()) + part, "int32"),
          ]),
          *join(outputs) {
            yield;
            const sum = outputs.map(([part]) => Number(part?.item())).reduce((a, b) => a + b);
            return [Tensor.of(sum, "int32")];
          },
        }),
      },
    ],
  });
  const nodes = [constant("c", 10, "int32"), node("Neg", "big", ["c"], { T }), ret("big", 0, "int32")];
  expect(scalars(await env.run(nodes))).toEqual([21]);
  expect(parts).toEqual([10, 11]);
});

test("pure kernels that take long go to a compute thread, others do not", async () => {
  const offloaded: string[] = [];
  const compute: KernelOffload = {
    parallelism: 1,
    run: (own, deviceType, inputs) => {
      offloaded.push(`${own.name} on ${deviceType}`);
      return Promise.resolve(inputs);
    },
  };
  const env = environment({
    compute,
    kernels: [
      {
        kind: "pure",
        types: {},
        op: "Neg",
        create: () => (inputs) => inputs,
        cost: (own) => (own.name === "big" ? 30e6 : 10e6),
      },
    ],
  });
  const nodes = [
    constant("c", 1, "int32"),
    node("Neg", "big", ["c"], { T }),
    node("Neg", "small", ["big"], { T }),
    ret("small", 0, "int32"),
  ];
  expect(scalars(await env.run(nodes))).toEqual([1]);
  expect(offloaded).toEqual(["big on CPU"]);
});

test("transfers meet under keys with frame and iteration as TensorFlow has them", async () => {
  const env = environment();
  const transfer = {
    tensor_name: text("edge_1_x"),
    send_device: text("/job:a/replica:0/task:0/device:CPU:0"),
    send_device_incarnation: { $case: "i", value: -2n } as const,
    recv_device: text("/job:b/replica:0/task:0/device:CPU:0"),
  };
  await env.run([
    constant("zero", 0, "int32"),
    constant("limit", 2, "int32"),
    ...countingLoop("zero", "limit"),
    node("_Send", "inside", ["while/Identity"], { T, ...transfer }),
    node("_Send", "outside", ["zero"], { T, ...transfer }),
  ]);
  const prefix =
    "/job:a/replica:0/task:0/device:CPU:0;fffffffffffffffe;/job:b/replica:0/task:0/device:CPU:0;edge_1_x";
  expect([...env.rendezvous.sent].map(([key, { isDead }]) => `${key} ${isDead}`).sort()).toEqual([
    `${prefix};0:0 false`,
    `${prefix};6315961604705615773:0 false`,
    `${prefix};6315961604705615773:1 false`,
    `${prefix};6315961604705615773:2 true`,
  ]);
});
