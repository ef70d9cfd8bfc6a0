import { describe, expect, test } from "vitest";
import { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import { ClusterDef } from "../../../protos/generated/tensorflow/cluster.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import type { CollectionDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { TensorProto } from "../../../protos/generated/tensorflow/tensor.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { VariableDef } from "../../../protos/generated/tensorflow/variable.js";
import { formatText, parseText, TextFormatError } from "../../../worker-runtime/graph/text-format.js";
import fc from "../../support/seeded-check.js";
import { message } from "./arbitrary-message.js";

function parseTensor(text: string): TensorProto {
  return parseText<TensorProto>("tensorflow.TensorProto", text);
}

function parseNode(text: string): NodeDef {
  return parseText<NodeDef>("tensorflow.NodeDef", text);
}

function problem(fullName: string, text: string): string {
  try {
    parseText(fullName, text);
  } catch (error) {
    if (error instanceof TextFormatError) return error.message;
    throw error;
  }
  throw new Error("no error");
}

describe("reading", () => {
  test("fields, messages, maps and lists in every notation", () => {
    const node = parseNode(`
      # a comment
      name: 'x' op: "Add",  # another
      input: ["a", 'b']; input: "^c"
      device: "/job:" "worker" '/task:0'
      attr { key: "T" value { type: DT_FLOAT } }
      attr: < key: "N" value: < i: -2 > >,
      attr [{ key: "list", value { list { i: [1, 0x10, 010, -0x1f] f: [] f: 2 } } }, { value { b: t } }]
    `);
    expect(node.name).toBe("x");
    expect(node.input).toEqual(["a", "b", "^c"]);
    expect(node.device).toBe("/job:worker/task:0");
    expect([...node.attr.keys()]).toEqual(["T", "N", "list", ""]);
    expect(node.attr.get("N")?.value).toEqual({ $case: "i", value: -2n });
    expect(node.attr.get("")?.value).toEqual({ $case: "b", value: true });
    const list = node.attr.get("list")?.value;
    expect(list?.$case === "list" && list.value.i).toEqual([1n, 16n, 8n, -31n]);
    expect(list?.$case === "list" && list.value.f).toEqual([2]);
  });

  test("numbers", () => {
    const tensor = parseTensor(
      "float_val: [1, -1.5, .5, 1., 1e3, 2E-2f, 3F, inf, -Infinity, nan, - 4] double_val: 0.1 " +
        "int64_val: -9223372036854775808 uint64_val: 0xffffffffffffffff int_val: -0 bool_val: [true, 1, t, False, 0]",
    );
    expect(tensor.floatVal).toEqual([
      1,
      -1.5,
      0.5,
      1,
      1000,
      Math.fround(0.02),
      3,
      Infinity,
      -Infinity,
      Number.NaN,
      -4,
    ]);
    expect(tensor.doubleVal).toEqual([0.1]);
    expect(tensor.int64Val).toEqual([-(2n ** 63n)]);
    expect(tensor.uint64Val).toEqual([2n ** 64n - 1n]);
    expect(tensor.boolVal).toEqual([true, true, true, false, false]);
  });

  test("escapes make bytes; two literals may share a character", () => {
    const tensor = parseTensor(
      String.raw`string_val: "\a\b\f\n\r\t\v\?\\\'\"\0\101\377\x41\xfF\x9g" string_val: "\u00e9\U0001F600é"`,
    );
    expect([...(tensor.stringVal[0] ?? [])]).toEqual([
      7, 8, 12, 10, 13, 9, 11, 63, 92, 39, 34, 0, 65, 255, 65, 255, 9, 103,
    ]);
    expect(new TextDecoder().decode(tensor.stringVal[1])).toBe("é😀é");
    expect(parseNode(String.raw`name: "\303" "\251"`).name).toBe("é");
  });

  test("enums by name or number, known or not", () => {
    expect(parseTensor("dtype: DT_INT32").dtype).toBe(DataType.DT_INT32);
    expect(parseTensor("dtype: 3").dtype).toBe(DataType.DT_INT32);
    expect(parseTensor("dtype: 4711").dtype).toBe(4711);
  });

  test("an Any in its own notation", () => {
    const text = 'any_list { value { [type.googleapis.com/tensorflow.VariableDef] { variable_name: "v" } } }';
    const collection = parseText<CollectionDef>("tensorflow.CollectionDef", text);
    const any = collection.kind?.$case === "anyList" ? collection.kind.value.value[0] : undefined;
    expect(any?.typeUrl).toBe("type.googleapis.com/tensorflow.VariableDef");
    expect(VariableDef.decode(any?.value ?? new Uint8Array(0)).variableName).toBe("v");
  });

  test("fields by number: known ones as themselves, others kept", () => {
    const node = parseNode(
      '1: "x" 2: "Add" 99: 5 98: 0x00000007 97: 0x0000000000000007 96: "ab" 95 { 1: 2 }',
    );
    expect(node.name).toBe("x");
    expect(node.op).toBe("Add");
    const decoded = NodeDef.decode(NodeDef.encode(node).finish());
    expect(decoded).toEqual(node);
    expect(Object.keys(decoded._unknownFields ?? {}).map(Number)).toEqual([
      (95 << 3) | 3,
      (96 << 3) | 2,
      (97 << 3) | 1,
      (98 << 3) | 5,
      99 << 3,
    ]);
    expect(parseNode(formatText("tensorflow.NodeDef", node))).toEqual(node);
  });

  test("a byte order mark and Windows line ends", () => {
    expect(parseNode('\uFEFFname: "x"\r\nop: "Add"\r\n').op).toBe("Add");
  });

  test("a quoted, unset or huge integer is not taken for one that fits", () => {
    expect(problem("tensorflow.TensorProto", "int_val: 2147483648")).toMatch(
      /^Line 1, column 10: 2147483648 does not fit int32/,
    );
    expect(problem("tensorflow.TensorProto", "uint32_val: -1")).toContain("-1 does not fit uint32");
    expect(problem("tensorflow.TensorProto", "int_val: 1.5")).toContain('expected an integer, found "1.5"');
    expect(problem("tensorflow.TensorProto", 'int_val: "1"')).toContain(
      "expected an integer, found the string",
    );
    expect(problem("tensorflow.TensorProto", "int_val: 09")).toContain('found "09"');
  });

  test.each([
    [
      "tensorflow.NodeDef",
      '\n  nmae: "x"',
      'Line 2, column 3: tensorflow.NodeDef has no field "nmae". Did you mean name?',
    ],
    ["tensorflow.NodeDef", 'name "x"', 'Line 1, column 6: expected ":" after "name", found the string "x"'],
    ["tensorflow.NodeDef", "name: x", 'Line 1, column 7: expected a string in quotes, found "x"'],
    ["tensorflow.NodeDef", 'name: "x', "Line 1, column 7: this string has no closing double quote"],
    ["tensorflow.NodeDef", 'name: "a" name: "b"', 'Line 1, column 11: tensorflow.NodeDef has "name" twice'],
    [
      "tensorflow.NodeDef",
      'attr { key: "a"',
      'Line 1, column 16: expected "key", "value" or "}" in "attr", found the end of the text',
    ],
    ["tensorflow.NodeDef", 'attr: "a"', 'Line 1, column 7: expected "{" after "attr", found the string "a"'],
    [
      "tensorflow.NodeDef",
      'input: ["a" "b" c]',
      'Line 1, column 17: expected "," or "]" in the list of "input", found "c"',
    ],
    ["tensorflow.NodeDef", "}", 'Line 1, column 1: expected a field of tensorflow.NodeDef, found "}"'],
    [
      "tensorflow.NodeDef",
      "[foo.bar]: 1",
      "Line 1, column 1: tensorflow.NodeDef has no extensions such as [foo.bar]",
    ],
    [
      "tensorflow.NodeDef",
      String.raw`name: "ab\q"`,
      String.raw`Line 1, column 10: "\q" is not an escape of the text format`,
    ],
    ["tensorflow.NodeDef", String.raw`name: "\377"`, "Line 1, column 7: this string is not valid UTF-8"],
    [
      "tensorflow.AttrValue",
      "i: 1 f: 2",
      'Line 1, column 6: "f" cannot stand beside "i" in tensorflow.AttrValue',
    ],
    [
      "tensorflow.AttrValue",
      "type: DT_FLOTA",
      'tensorflow.DataType has no value "DT_FLOTA". Did you mean DT_FLOAT',
    ],
    ["tensorflow.AttrValue", "b: yes", 'Line 1, column 4: expected true or false, found "yes"'],
    ["google.protobuf.Any", "[type.googleapis.com/not.Known] {}", 'the type "not.Known" is not known here'],
  ])("%s: %s", (fullName, text, expected) => {
    expect(problem(fullName, text)).toContain(expected);
  });

  test("nesting without end is refused, not followed", () => {
    const deep = 'func { attr { key: "a" value { '.repeat(100_000);
    expect(problem("tensorflow.AttrValue", deep)).toContain("nested more than 100 deep");
  });

  test("an unknown message name is an error of the program", () => {
    expect(() => parseText("tensorflow.Nothing", "")).toThrow('"tensorflow.Nothing" is not a message');
  });
});

describe("writing", () => {
  test("as Python does: maps sorted, escapes in octal, floats short", () => {
    const node = NodeDef.fromPartial({
      name: "é\u007f\u0001'",
      attr: new Map([
        ["z", AttrValue.fromPartial({ value: { $case: "f", value: Math.fround(0.1) } })],
        ["a", AttrValue.fromPartial({ value: { $case: "s", value: new Uint8Array([0, 34, 92, 200]) } })],
        ["", AttrValue.fromPartial({})],
      ]),
    });
    expect(formatText("tensorflow.NodeDef", node)).toBe(String.raw`name: "é\177\001\'"
attr {
  value {
  }
}
attr {
  key: "a"
  value {
    s: "\000\"\\\310"
  }
}
attr {
  key: "z"
  value {
    f: 0.1
  }
}
`);
  });

  test("integer keys are sorted as numbers", () => {
    const cluster = ClusterDef.fromPartial({
      job: [{ name: "w", tasks: new Map([10, 9, 0].map((i) => [i, `h${i}`] as const)) }],
    });
    const keys = [...formatText("tensorflow.ClusterDef", cluster).matchAll(/value: "h(\d+)"/g)].map(
      (m) => m[1],
    );
    expect(keys).toEqual(["0", "9", "10"]);
  });

  test.each([
    [0, "0.0"],
    [-0, "-0.0"],
    [1e16, "1e+16"],
    [1e15, "1000000000000000.0"],
    [123456789, "123456790.0"],
    [1e-5, "1e-05"],
    [1e-4, "0.0001"],
    [3.4028234663852886e38, "3.4028235e+38"],
    [1e-45, "1.4013e-45"],
    [Infinity, "inf"],
    [Number.NaN, "nan"],
  ])("float32 %d", (value, expected) => {
    const attr = AttrValue.fromPartial({ value: { $case: "f", value: Math.fround(value) } });
    expect(formatText("tensorflow.AttrValue", attr)).toBe(`f: ${expected}\n`);
  });
});

test("what is written is read back the same", () => {
  fc.assert(
    fc.property(
      fc
        .constantFrom("tensorflow.MetaGraphDef", "tensorflow.ConfigProto", "tensorflow.RunMetadata")
        .chain((name) => message(name).map((m) => [name, m] as const)),
      ([name, m]) => {
        expect(parseText(name, formatText(name, m))).toEqual(m);
      },
    ),
    { numRuns: 150 },
  );
});

test("10 MB are read and written within seconds", () => {
  const node = Array.from({ length: 52_000 }, (_, i) =>
    NodeDef.fromPartial({
      name: `layer/${i}`,
      op: "Const",
      attr: new Map([
        [
          "value",
          AttrValue.fromPartial({ value: { $case: "tensor", value: { dtype: 1, floatVal: [i / 3, i] } } }),
        ],
      ]),
    }),
  );
  const graph = GraphDef.fromPartial({ node });
  const text = formatText("tensorflow.GraphDef", graph);
  expect(text.length).toBeGreaterThan(10_000_000);
  const back = parseText<GraphDef>("tensorflow.GraphDef", text);
  expect(back.node.length).toBe(node.length);
});

test("10 MB of escaped bytes are read", () => {
  const content = Uint8Array.from({ length: 4_000_000 }, (_, i) => (i * 7) & 255);
  const text = formatText("tensorflow.TensorProto", TensorProto.fromPartial({ tensorContent: content }));
  const back = parseTensor(text);
  expect(Buffer.compare(back.tensorContent, content)).toBe(0);
});
