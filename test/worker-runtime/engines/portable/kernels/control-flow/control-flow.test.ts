import { describe, expect, test } from "vitest";
import type { NodeDef } from "../../../../../../protos/generated/tensorflow/node_def.js";
import { controlFlowKernels } from "../../../../../../worker-runtime/engines/portable/kernels/control-flow/index.js";
import { KernelNode } from "../../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { KernelRegistry } from "../../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { ObjectTensor, RefValue } from "../../../../../../worker-runtime/engines/portable/values.js";
import { bundledOpRegistry } from "../../../../../../worker-runtime/graph/op-registry.js";
import { StatusCode } from "../../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import {
  arg,
  constant,
  environment,
  float32,
  int,
  int32,
  node,
  ret,
  scalars,
  text,
  type,
  typeList,
} from "../../executor/graph-fixture.js";

const env = environment();
const T = type("int32");

const shape = (sizes: readonly number[] | undefined) =>
  ({
    $case: "shape",
    value: {
      dim: (sizes ?? []).map((size) => ({ size: BigInt(size), name: "" })),
      unknownRank: sizes === undefined,
    },
  }) as const;

const strings = (...values: string[]) => {
  const list = typeList();
  return list?.$case === "list"
    ? ({
        ...list,
        value: { ...list.value, s: values.map((value) => new TextEncoder().encode(value)) },
      } as const)
    : undefined;
};

describe("placeholders", () => {
  const refusal = (name: string, dtype: NodeDef["attr"]) =>
    env.run([{ ...node("Placeholder", name), attr: dtype }, ret(name, 0, "float32")]);

  test("that nobody fed say so as TensorFlow does", async () => {
    const cases = [
      [[2, -1], "You must feed a value for placeholder tensor 'x' with dtype float and shape [2,?]"],
      [undefined, "You must feed a value for placeholder tensor 'x' with dtype float"],
      [[], "You must feed a value for placeholder tensor 'x' with dtype float"],
    ] as const;
    for (const [sizes, message] of cases) {
      const attr = new Map([
        ["dtype", { value: type("float32") }],
        ["shape", { value: shape(sizes) }],
      ]);
      await expect(refusal("x", attr)).rejects.toMatchObject({
        code: StatusCode.INVALID_ARGUMENT,
        message: `${message}\n\t [[{{node x}}]]`,
      });
    }
  });

  test("with a default have it", async () => {
    const results = await env.run([
      constant("c", 4, "int32"),
      node("PlaceholderWithDefault", "p", ["c"], { dtype: T, shape: shape([]) }),
      ret("p", 0, "int32"),
    ]);
    expect(scalars(results)).toEqual([4]);
  });
});

describe("handing on", () => {
  test("of numbers is pure, so that it can be folded; of resources it is not", () => {
    const registry = new KernelRegistry().add(...controlFlowKernels);
    const kindOf = (def: NodeDef) =>
      registry.find(new KernelNode(def, bundledOpRegistry().require(def.op)), "CPU")?.kind;
    expect(kindOf(node("Identity", "i", ["x"], { T }))).toBe("pure");
    expect(kindOf(node("Identity", "i", ["x"], { T: type("resource") }))).toBe("stateful");
    expect(kindOf(node("IdentityN", "i", ["x", "y"], { T: typeList("int32", "string") }))).toBe("pure");
    expect(kindOf(node("IdentityN", "i", ["x", "y"], { T: typeList("int32", "variant") }))).toBe("stateful");
  });

  test("keeps what it hands on", async () => {
    const handle = ObjectTensor.resource({
      device: "d",
      container: "c",
      name: "n",
      typeName: "t",
      dtypesAndShapes: [],
    });
    const results = await env.run(
      [
        arg("r", 0, "resource"),
        arg("x", 1, "int32"),
        node("IdentityN", "n", ["r", "x"], { T: typeList("resource", "int32") }),
        ret("n", 0, "resource"),
        ret("n:1", 1, "int32"),
      ],
      handle,
      int32(2),
    );
    expect(results[0]).toBe(handle);
    expect(scalars(results.slice(1))).toEqual([2]);
  });
});

describe("switches", () => {
  test("want a predicate that is a scalar", async () => {
    const nodes = [arg("p", 0, "bool"), node("Switch", "s", ["p", "p"], { T: type("bool") })];
    await expect(env.run(nodes, Tensor.of([true, false]))).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      message: "The second input must be a scalar, but it has shape [2]\n\t [[{{node s}}]]",
    });
  });

  test("of many outputs take the last one for an index that is none", async () => {
    const nodes = [
      arg("x", 0, "float32"),
      arg("i", 1, "int32"),
      node("_SwitchN", "s", ["x", "i"], { T: type("float32"), num_outs: int(3) }),
      node("Merge", "m", ["s", "s:1", "s:2"], { T: type("float32"), N: int(3) }),
      ret("m:1", 0, "int32"),
    ];
    const taken = [];
    for (const index of [0, 1, 2, 3, -1]) {
      taken.push(...scalars(await env.run(nodes, float32(1), int32(index))));
    }
    expect(taken).toEqual([0, 1, 2, 2, 2]);
  });
});

test("references go through switches and loops as references", async () => {
  const value = int32(1);
  const cell = { dtype: "int32", value, name: "v", read: () => value, readOnce: () => value } as const;
  const own = environment({
    kernels: [
      { kind: "stateful", op: "VariableV2", types: {}, create: () => () => [new RefValue(cell)] },
      {
        kind: "stateful",
        types: {},
        op: "Assign",
        create:
          () =>
          ({ inputs: [held] }) => {
            expect(held instanceof RefValue && held.cell).toBe(cell);
            return [held];
          },
      },
    ],
  });
  const frame = { T, frame_name: text("f"), parallel_iterations: int(1) };
  const results = await own.run([
    node("VariableV2", "v", [], { dtype: T, shape: shape([]) }),
    constant("p", true, "bool"),
    constant("no", false, "bool"),
    constant("one", 1, "int32"),
    node("RefSwitch", "switch", ["v", "p"], { T }),
    node("RefMerge", "merge", ["switch", "switch:1"], { T, N: int(2) }),
    node("RefIdentity", "same", ["merge"], { T }),
    node("RefEnter", "enter", ["same"], frame),
    node("RefMerge", "top", ["enter", "next"], { T, N: int(2) }),
    node("Enter", "condition", ["no"], {
      ...frame,
      T: type("bool"),
      is_constant: { $case: "b", value: true },
    }),
    node("LoopCond", "cond", ["condition"]),
    node("RefSwitch", "leave", ["top", "cond"], { T }),
    node("RefNextIteration", "next", ["leave:1"], { T }),
    node("RefExit", "exit", ["leave"], { T }),
    node("RefSelect", "select", ["one", "v", "exit"], { T, N: int(2) }),
    node("Assign", "assign", ["select", "one"], { T }),
    ret("assign", 0, "int32"),
    ret("merge:1", 1, "int32"),
  ]);
  expect(scalars(results)).toEqual([1, 1]);
});

test("DeviceIndex finds the device's type among the names, or gives their number", async () => {
  const results = await env.run([
    node("DeviceIndex", "there", [], { device_names: strings("GPU", "CPU") }),
    node("DeviceIndex", "not_there", [], { device_names: strings("GPU", "TPU", "XLA") }),
    ret("there", 0, "int32"),
    ret("not_there", 1, "int32"),
  ]);
  expect(scalars(results)).toEqual([1, 3]);
});

test("Abort ends the step, not the process", async () => {
  await expect(env.run([node("Abort", "a", [], { error_msg: text("boo") })])).rejects.toMatchObject({
    code: StatusCode.ABORTED,
    message: expect.stringContaining("boo"),
  });
});

describe("transfers", () => {
  const transfer = {
    tensor_name: text("x"),
    send_device: text("/job:a/replica:0/task:0/device:CPU:0"),
    send_device_incarnation: int(255),
    recv_device: text("/job:b/replica:0/task:0/device:CPU:0"),
  };

  test("bring a value from one node to another", async () => {
    const own = environment();
    const results = await own.run([
      constant("c", 7, "int32"),
      node("_Send", "s", ["c"], { T, ...transfer }),
      node("_Recv", "r", [], { tensor_type: T, ...transfer }),
      ret("r", 0, "int32"),
    ]);
    expect(scalars(results)).toEqual([7]);
    expect([...own.rendezvous.sent.keys()]).toEqual([
      "/job:a/replica:0/task:0/device:CPU:0;00000000000000ff;/job:b/replica:0/task:0/device:CPU:0;x;0:0",
    ]);
  });

  test("refuse a value of another dtype than the receiver declares", async () => {
    const own = environment();
    await expect(
      own.run([
        constant("c", 7, "int32"),
        node("_Send", "s", ["c"], { T, ...transfer }),
        node("_Recv", "r", [], { tensor_type: type("float32"), ...transfer }),
      ]),
    ).rejects.toMatchObject({ code: StatusCode.INVALID_ARGUMENT });
  });
});
