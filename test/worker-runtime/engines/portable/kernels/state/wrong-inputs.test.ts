import { expect, test } from "vitest";
import type { AttrValue } from "../../../../../../protos/generated/tensorflow/attr_value.js";
import { NodeDef } from "../../../../../../protos/generated/tensorflow/node_def.js";
import type { OpDef } from "../../../../../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../../../../../protos/generated/tensorflow/types.js";
import type { OpContext } from "../../../../../../worker-runtime/engines/portable/kernels/kernel.js";
import { KernelNode } from "../../../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import { KernelRegistry } from "../../../../../../worker-runtime/engines/portable/kernels/registry.js";
import { stateKernels } from "../../../../../../worker-runtime/engines/portable/kernels/state/index.js";
import { TensorList } from "../../../../../../worker-runtime/engines/portable/kernels/state/tensor-lists/tensor-list.js";
import { ReferenceVariable } from "../../../../../../worker-runtime/engines/portable/resources/reference-variable.js";
import { ResourceManager } from "../../../../../../worker-runtime/engines/portable/resources/resource-manager.js";
import {
  RESOURCE_VARIABLE,
  ResourceVariable,
} from "../../../../../../worker-runtime/engines/portable/resources/resource-variable.js";
import type {
  Variable,
  VariableOptions,
} from "../../../../../../worker-runtime/engines/portable/resources/variable.js";
import {
  ObjectTensor,
  RefValue,
  type Value,
} from "../../../../../../worker-runtime/engines/portable/values.js";
import { toAttrValue } from "../../../../../../worker-runtime/graph/attr-values.js";
import { bundledOpRegistry } from "../../../../../../worker-runtime/graph/op-registry.js";
import { dtypeOf } from "../../../../../../worker-runtime/protocol/dtype.js";
import { elementsOfShape } from "../../../../../../worker-runtime/protocol/shape.js";
import { cancelled, TensorFlowError } from "../../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { zeros } from "../../../../../../worker-runtime/protocol/tensor-data.js";
import fc from "../../../../../support/seeded-check.js";
import { testStep } from "../kernel-runner.js";

const DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0";
const kernels = new KernelRegistry().add(...stateKernels);
const dtypes = ["float32", "int32", "int64", "string", "bool", "float16", "complex64"] as const;

const shapes = fc.oneof(
  { weight: 9, arbitrary: fc.array(fc.nat(3), { maxLength: 3 }) },
  fc.constant([2 ** 31, 0]),
);

const tensors: fc.Arbitrary<Value> = fc
  .tuple(fc.constantFrom(...dtypes), shapes, fc.integer({ min: -2, max: 5 }))
  .map(([dtype, shape, value]) => {
    const element =
      dtype === "string"
        ? "a"
        : dtype === "bool"
          ? true
          : dtype === "complex64"
            ? { re: value, im: 1 }
            : value;
    const count = elementsOfShape(shape);
    return count === 0 ? Tensor.of([], dtype).reshape(shape) : Tensor.of(element, dtype, shape);
  });

function handle(typeName: string, name: string): Value {
  return ObjectTensor.resource({
    device: DEVICE,
    container: "localhost",
    name,
    typeName,
    dtypesAndShapes: [],
  });
}

function variable<T extends Variable>(kind: new (options: VariableOptions) => T, value: Value): T {
  const tensor = value instanceof Tensor ? value : Tensor.of(1, "float32");
  const made = new kind({ dtype: tensor.dtype, name: "v" });
  made.assign(tensor);
  return made;
}

const objects: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom(
    handle(RESOURCE_VARIABLE, "v"),
    handle(RESOURCE_VARIABLE, "missing"),
    handle("tensorflow::QueueInterface", "v"),
    new ObjectTensor("resource", [0], []),
    ObjectTensor.variant(
      new TensorList({ elementType: "float32", elementShape: undefined }, [undefined, Tensor.of([1, 2])]),
    ),
  ),
  tensors.map((value) => new RefValue(variable(ReferenceVariable, value))),
  fc.constant(new RefValue(new ReferenceVariable({ dtype: "float32", name: "empty" }))),
);

/** An input: right in kind for its op more often than not, so that the kernel gets further than its first check. */
const inputs = fc.record({
  any: fc.oneof(tensors, objects),
  tensor: tensors,
  isRight: fc.nat(9).map((n) => n < 8),
});

function inputFor(
  node: KernelNode,
  index: number,
  { any, tensor, isRight }: { readonly any: Value; readonly tensor: Value; readonly isRight: boolean },
): Value {
  const arg = node.inputs[index];
  if (!isRight || arg?.dtype === undefined || !(tensor instanceof Tensor)) {
    return any;
  }
  if (arg.dtype === DataType.DT_RESOURCE) {
    return handle(RESOURCE_VARIABLE, "v");
  }
  if (arg.dtype === DataType.DT_VARIANT) {
    return ObjectTensor.variant(
      new TensorList({ elementType: tensor.dtype, elementShape: undefined }, [tensor]),
    );
  }
  const dtype = dtypeOf(arg.dtype);
  const value = dtype === tensor.dtype ? tensor : new Tensor(dtype, tensor.shape, zeros(dtype, tensor.size));
  return arg.isRef ? new RefValue(variable(ReferenceVariable, value)) : value;
}

/** Attributes that the op must have, with values that make some sense. */
function nodeOf(opDef: OpDef, dtype: (typeof dtypes)[number], indexType: "int32" | "int64"): NodeDef {
  const attr = new Map<string, AttrValue>();
  for (const one of opDef.attr) {
    const samples: Record<string, Parameters<typeof toAttrValue>[1]> = {
      type: /ind|shape/i.test(one.name) ? indexType : dtype,
      int: 1,
      string: "x",
      shape: [2],
      bool: true,
      float: 1,
      "list(type)": [dtype],
      "list(shape)": [[2]],
      "list(string)": ["x"],
    };
    const sample = samples[one.type];
    if (one.defaultValue === undefined && sample !== undefined) {
      attr.set(one.name, toAttrValue(one, sample));
    }
  }
  return NodeDef.fromPartial({ name: "node", op: opDef.name, device: DEVICE, attr });
}

test("whatever a graph feeds them, kernels answer with an error of TensorFlow's kind or with a result", async () => {
  const registry = bundledOpRegistry();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...stateKernels),
      fc.constantFrom(...dtypes),
      fc.array(inputs, { minLength: 12, maxLength: 13 }),
      async (definition, dtype, given) => {
        const opDef = registry.require(definition.op);
        const resources = new ResourceManager();
        const controller = new AbortController();
        try {
          const node = new KernelNode(
            nodeOf(opDef, dtype, given.length % 2 === 0 ? "int32" : "int64"),
            opDef,
          );
          if (definition.kind !== "stateful" || kernels.find(node, "CPU") !== definition) {
            return;
          }
          const typed = given.flatMap(({ tensor }) => (tensor.dtype === dtype ? tensor : []));
          resources.create("", "v", variable(ResourceVariable, typed[0] ?? Tensor.of(1)));
          const context: OpContext = {
            inputs: given.slice(0, node.inputs.length).map((one, i) => inputFor(node, i, one)),
            step: testStep({ resources: () => resources, signal: controller.signal }),
            frameId: 0n,
            iteration: 0,
          };
          const outputs = definition.create(node)(context);
          // A kernel that waits does so for another step.
          setImmediate(() => controller.abort(cancelled("The test ends.")));
          await outputs;
        } catch (error) {
          if (!(error instanceof TensorFlowError)) {
            throw new Error(`${definition.op}: ${String(error)}`, { cause: error });
          }
          expect(error.message).not.toBe("");
        }
      },
    ),
    { numRuns: 3000 },
  );
}, 120_000);
