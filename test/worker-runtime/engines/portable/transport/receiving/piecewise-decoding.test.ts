import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { AttrValue } from "../../../../../../protos/generated/tensorflow/attr_value.js";
import { FunctionDef } from "../../../../../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../../../../../protos/generated/tensorflow/graph.js";
import {
  CreateSessionRequest,
  ExtendSessionRequest,
  RunCallableRequest,
  RunStepRequest,
} from "../../../../../../protos/generated/tensorflow/master.js";
import { NodeDef } from "../../../../../../protos/generated/tensorflow/node_def.js";
import { TensorProto } from "../../../../../../protos/generated/tensorflow/tensor.js";
import { DataType } from "../../../../../../protos/generated/tensorflow/types.js";
import {
  RegisterGraphRequest,
  RunGraphRequest,
} from "../../../../../../protos/generated/tensorflow/worker.js";
import { type PausingWork, withoutPauses } from "../../../../../../worker-runtime/engines/portable/pauses.js";
import { decodeInPieces } from "../../../../../../worker-runtime/engines/portable/transport/receiving/piecewise-decoding.js";
import { StatusCode } from "../../../../../../worker-runtime/protocol/status.js";
import type { MessageType } from "../../../../../../worker-runtime/rpc/message-type.js";

function pausesOf(work: PausingWork<unknown>): number {
  let pauses = 0;
  while (work.next().done !== true) {
    pauses += 1;
  }
  return pauses;
}

const COUNT = 20_000;
const numbers = Array.from({ length: COUNT }, (_, i) => i);

/** Every list of a tensor, each longer than a piece. */
const tensor = TensorProto.fromPartial({
  dtype: DataType.DT_STRING,
  tensorShape: { dim: [{ size: BigInt(COUNT) }] },
  versionNumber: 7,
  halfVal: numbers,
  floatVal: numbers,
  doubleVal: numbers.map((number) => number / 3),
  intVal: numbers.map((number) => number - 300),
  stringVal: numbers.map((number) => Buffer.from(String(number))),
  int64Val: numbers.map((number) => BigInt(number) ** 4n - 70n),
  boolVal: numbers.map((number) => number % 3 === 0),
  scomplexVal: numbers,
  dcomplexVal: numbers,
  uint32Val: numbers,
  uint64Val: numbers.map((number) => BigInt(number) ** 4n),
});
const content = TensorProto.fromPartial({
  dtype: DataType.DT_UINT8,
  tensorContent: new Uint8Array(100_000).fill(3),
});
const list = {
  s: numbers.map((number) => Buffer.from(`s${number}`)),
  i: numbers.map(BigInt),
  f: numbers,
  b: numbers.map((number) => number % 2 === 0),
  type: numbers.map(() => DataType.DT_FLOAT),
  tensor: [tensor, content],
};
const node = NodeDef.fromPartial({
  name: "large",
  op: "Const",
  input: numbers.map((number) => `^n${number}`),
  attr: new Map([
    ["value", AttrValue.fromPartial({ value: { $case: "tensor", value: tensor } })],
    ["list", AttrValue.fromPartial({ value: { $case: "list", value: list } })],
    ["T", AttrValue.fromPartial({ value: { $case: "type", value: DataType.DT_FLOAT } })],
  ]),
  device: "/cpu:0",
});
const nodes = numbers.slice(0, 3000).map((number) => NodeDef.fromPartial({ name: `n${number}`, op: "NoOp" }));
const graphDef = GraphDef.fromPartial({
  node: [...nodes.slice(0, 2000), node, ...nodes.slice(2000)],
  versions: { producer: 1882 },
  library: {
    function: [FunctionDef.fromPartial({ signature: { name: "f" }, nodeDef: [...nodes, node] })],
    gradient: [{ functionName: "f", gradientFunc: "g" }],
  },
});
const named = [
  { name: "a:0", tensor },
  { name: "b:0", tensor: content },
];

/** A message as large and as mixed as possible of each type that brings graphs or tensors. */
function roundTrip<T>(type: MessageType<T>, message: T): () => void {
  return () => {
    const bytes = type.encode(message).finish();
    const whole = type.decode(bytes);
    const pieces = withoutPauses(decodeInPieces(type, bytes));
    // Compared as bytes: matchers take long for so many elements.
    expect(Buffer.compare(type.encode(pieces).finish(), type.encode(whole).finish())).toBe(0);
    expect(pausesOf(decodeInPieces(type, bytes))).toBeGreaterThan(50);
  };
}

test.each<[string, () => void]>([
  [
    "CreateSessionRequest",
    roundTrip(
      CreateSessionRequest,
      CreateSessionRequest.fromPartial({ graphDef, target: "t", config: { allowSoftPlacement: true } }),
    ),
  ],
  [
    "ExtendSessionRequest",
    roundTrip(
      ExtendSessionRequest,
      ExtendSessionRequest.fromPartial({ graphDef, sessionHandle: "h", currentGraphVersion: 3n }),
    ),
  ],
  [
    "RegisterGraphRequest",
    roundTrip(
      RegisterGraphRequest,
      RegisterGraphRequest.fromPartial({ graphDef, sessionHandle: "h", createWorkerSessionCalled: true }),
    ),
  ],
  ["RunStepRequest", roundTrip(RunStepRequest, RunStepRequest.fromPartial({ feed: named, fetch: ["c:0"] }))],
  [
    "RunCallableRequest",
    roundTrip(RunCallableRequest, RunCallableRequest.fromPartial({ feed: [tensor, content], handle: 5n })),
  ],
  [
    "RunGraphRequest",
    roundTrip(RunGraphRequest, RunGraphRequest.fromPartial({ send: named, stepId: 9n, recvKey: ["k"] })),
  ],
])("a %s is the same in pieces as at once", (_, check) => check());

test("a small message has no pauses", () => {
  const bytes = GraphDef.encode(GraphDef.fromPartial({ node: nodes.slice(0, 10) })).finish();
  expect(pausesOf(decodeInPieces(GraphDef, bytes))).toBe(0);
});

/** A message of one field of so many bytes. */
function wrapped(field: number, bytes: Uint8Array): Uint8Array {
  return new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(bytes).finish();
}

/** Empty messages (or strings) of a list. */
function emptyFields(field: number, count: number): Uint8Array {
  return new Uint8Array(2 * count).map((_, i) => (i % 2 === 0 ? (field << 3) | 2 : 0));
}

/** Small nodes, each with a list of empty tensors: two bytes on the wire become a thousand. */
function nodesOfTensors(count: number): Uint8Array {
  const node = wrapped(1, wrapped(5, wrapped(2, wrapped(1, emptyFields(8, 4000)))));
  return Buffer.concat(Array.from({ length: count }, () => node));
}

test.each<[string, MessageType<unknown>, Uint8Array]>([
  ["nodes", CreateSessionRequest, wrapped(1, emptyFields(1, 2 ** 20 * 1.5))],
  ["functions", CreateSessionRequest, wrapped(1, wrapped(2, emptyFields(1, 2 ** 18)))],
  ["feeds of a callable", RunCallableRequest, emptyFields(3, 2 ** 18)],
  ["feeds of a step", RunStepRequest, emptyFields(2, 2 ** 18)],
  ["tensors within nodes", CreateSessionRequest, wrapped(1, nodesOfTensors(500))],
])("empty %s that would take long to collect are refused, however few bytes they are", (_, type, bytes) => {
  const refused = expect.objectContaining({ code: StatusCode.RESOURCE_EXHAUSTED });
  expect(() => withoutPauses(decodeInPieces(type, bytes))).toThrow(refused);
});

test.each([
  ["empty nodes", wrapped(1, emptyFields(1, 2 ** 22 + 2 ** 17))],
  ["names of devices in a configuration", wrapped(2, emptyFields(4, 2 ** 22 + 2 ** 17))],
  [
    "arguments of a function's signature",
    wrapped(1, wrapped(2, wrapped(1, wrapped(1, emptyFields(2, 2 ** 20))))),
  ],
  ["fields that nobody knows", emptyFields(15, 2 ** 22 + 2 ** 17)],
])("a message of millions of %s is refused", (_, bytes) => {
  const refused = expect.objectContaining({ code: StatusCode.RESOURCE_EXHAUSTED });
  expect(() => withoutPauses(decodeInPieces(CreateSessionRequest, bytes))).toThrow(refused);
});

test.each([
  ["cut off", (bytes: Uint8Array) => bytes.subarray(0, bytes.length - 5)],
  ["longer than it says", (bytes: Uint8Array) => Buffer.concat([bytes, Uint8Array.of(0x0a)])],
  ["of a field 0", (bytes: Uint8Array) => Buffer.concat([bytes, Uint8Array.of(0x02, 0)])],
])("a message that is %s is no message", (_, damage) => {
  const bytes = damage(CreateSessionRequest.encode(CreateSessionRequest.fromPartial({ graphDef })).finish());
  expect(() => withoutPauses(decodeInPieces(CreateSessionRequest, bytes))).toThrow(Error);
});
