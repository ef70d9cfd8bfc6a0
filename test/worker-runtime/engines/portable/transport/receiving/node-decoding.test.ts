import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { AttrValue } from "../../../../../../protos/generated/tensorflow/attr_value.js";
import { NodeDef } from "../../../../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../../../../protos/generated/tensorflow/types.js";
import { NodeDecoder } from "../../../../../../worker-runtime/engines/portable/transport/receiving/node-decoding.js";

const FLOAT = AttrValue.fromPartial({ value: { $case: "type", value: DataType.DT_FLOAT } });
const add = (name: string) =>
  NodeDef.fromPartial({
    name,
    op: "AddV2",
    device: "/cpu:0",
    input: ["x", "y:1"],
    attr: new Map([["T", FLOAT]]),
  });

/** Decodes messages that follow each other. */
function decode(...messages: readonly Uint8Array[]): NodeDef[] {
  const decoder = new NodeDecoder(new Uint8Array(Buffer.concat(messages)));
  let end = 0;
  return messages.map(({ byteLength }) => {
    const start = end;
    end += byteLength;
    return decoder.decode(start, end);
  });
}

test("nodes are what NodeDef.decode makes of them; equal attributes are one map", () => {
  const messages = [
    add("a"),
    add("b"),
    NodeDef.fromPartial({ name: "é", op: "NoOp", input: ["^größe"] }),
  ].map((node) => NodeDef.encode(node).finish());
  const nodes = decode(...messages);
  expect(nodes).toEqual(messages.map((message) => NodeDef.decode(message)));
  expect(nodes[1]?.attr).toBe(nodes[0]?.attr);
  expect(nodes[2]?.attr).not.toBe(nodes[0]?.attr);
});

test("long attributes, those in several places, and fields that few nodes have", () => {
  const value = AttrValue.fromPartial({ value: { $case: "s", value: new Uint8Array(1000).fill(7) } });
  const long = NodeDef.fromPartial({ name: "long", op: "Const", attr: new Map([["value", value]]) });
  const debug = NodeDef.fromPartial({
    name: "debug",
    op: "NoOp",
    experimentalDebugInfo: { originalNodeNames: ["before"] },
  });
  const attr = (name: string) =>
    NodeDef.encode(NodeDef.fromPartial({ attr: new Map([[name, FLOAT]]) })).finish();
  const scattered = new Uint8Array(
    Buffer.concat([
      attr("T"),
      NodeDef.encode(NodeDef.fromPartial({ name: "scattered", op: "Cast" })).finish(),
      attr("U"),
    ]),
  );
  const unknown = new BinaryWriter().tag(99, 2).string("?").finish();
  const messages = [
    NodeDef.encode(long).finish(),
    NodeDef.encode(debug).finish(),
    scattered,
    new Uint8Array(Buffer.concat([NodeDef.encode(add("later")).finish(), unknown])),
  ];
  expect(decode(...messages)).toEqual(messages.map((message) => NodeDef.decode(message)));
  expect([...(decode(scattered)[0]?.attr.keys() ?? [])]).toEqual(["T", "U"]);
});

test("a text that is longer than its node is refused", () => {
  const broken = Buffer.from([10, 5, 97, 98]);
  const bytes = new Uint8Array(Buffer.concat([broken, NodeDef.encode(add("next")).finish()]));
  expect(() => new NodeDecoder(bytes).decode(0, broken.byteLength)).toThrow(RangeError);
});
