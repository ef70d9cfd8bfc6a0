import { describe, expect, it } from "vitest";
import { attrText, parseAttr, parseShape, protoShapeText } from "../../../renderer/document/attr-text.js";
import { LiteralError, parseLiteral } from "../../../renderer/document/literal.js";
import { convertTensor, tensorOfText, textOfTensor } from "../../../renderer/document/values.js";
import { type DType, dataTypeOf } from "../../../worker-runtime/protocol/dtype.js";
import { tensorFromProto } from "../../../worker-runtime/protocol/tensor.js";
import fc from "../../support/seeded-check.js";

const read = (text: string, dtype: DType) => tensorFromProto(tensorOfText(text, dtype));

describe("literals", () => {
  it("are scalars, nested lists and texts", () => {
    expect(read("3", "float32").toArray()).toBe(3);
    expect(read(" [[1, 2], [3, 4]] ", "int32")).toMatchObject({ shape: [2, 2] });
    expect(read("[[1, 2, 3],]", "int64").toArray()).toEqual([[1n, 2n, 3n]]);
    expect(read("[]", "float32")).toMatchObject({ shape: [0] });
    expect(read("[true, False, 1]", "bool").toArray()).toEqual([true, false, true]);
    expect(read("two words, one text", "string").toArray()).toBe("two words, one text");
    expect(read('["a, b", "c\\n"]', "string").toArray()).toEqual(["a, b", "c\n"]);
    expect(read("[nan, -inf, 1e-3]", "float64").toArray()).toEqual([
      Number.NaN,
      Number.NEGATIVE_INFINITY,
      0.001,
    ]);
    expect(read("0xff", "uint8").item()).toBe(255);
    expect(read("9223372036854775807", "int64").item()).toBe(9223372036854775807n);
  });

  it("hold complex numbers in every way of writing them", () => {
    const proto = tensorOfText("[1+2j, -3j, 4, 1e2-j]", "complex64");
    expect(proto.scomplexVal).toEqual([1, 2, 0, -3, 4, 0, 100, -1]);
  });

  it.each([
    ["[1, 2", "float32", "not closed"],
    ["[[1, 2], [3]]", "float32", "rows differ"],
    ["[1, , 2]", "float32", "missing"],
    ["1 2", "float32", "not a number"],
    ["[1] 2", "float32", "more text"],
    ["1.5", "int32", "not a whole number"],
    ["300", "uint8", "0 to 255"],
    ["yes", "bool", "neither true nor false"],
    ['"1"', "int32", "is text"],
    ["1", "resource", "no value that can be typed"],
  ] as const)("%s as %s is refused: %s", (text, dtype, reason) => {
    expect(() => tensorOfText(text, dtype)).toThrow(reason);
    expect(() => tensorOfText(text, dtype)).toThrow(LiteralError);
  });

  it("come back from the tensor they made", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 3, maxLength: 3 }), {
          minLength: 1,
        }),
        (rows) => {
          const text = JSON.stringify(rows);
          const proto = tensorOfText(text, "int32");
          expect(JSON.parse(textOfTensor(proto) ?? "")).toEqual(rows);
        },
      ),
    );
  });

  it("keep commas, quotes and line ends of strings", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), (strings) => {
        const text = textOfTensor(tensorOfText(JSON.stringify(strings).replaceAll("\\u", "\\\\u"), "string"));
        expect(text).toBeDefined();
        expect(parseLiteral(text ?? "").shape).toEqual([strings.length]);
      }),
    );
  });

  it("change dtype with as little loss as there can be", () => {
    const three = tensorOfText("[3, 4.5]", "float32");
    expect(tensorFromProto(convertTensor(three, dataTypeOf("float64"))).toArray()).toEqual([3, 4.5]);
    const whole = tensorOfText("[3, 4]", "float32");
    expect(tensorFromProto(convertTensor(whole, dataTypeOf("int64"))).toArray()).toEqual([3n, 4n]);
    expect(tensorFromProto(convertTensor(three, dataTypeOf("bool"))).toArray()).toBe(false);
  });
});

describe("attributes as text", () => {
  it.each([
    ["int", "-7"],
    ["float", "0.1"],
    ["bool", "true"],
    ["string", "SAME"],
    ["type", "bfloat16"],
    ["shape", "[?,784]"],
    ["shape", "[]"],
    ["shape", "unknown"],
    ["list(int)", "[1, 2, 2, 1]"],
    ["list(string)", '["loc:@a", "b c"]'],
    ["list(type)", "[float32, int64]"],
    ["list(shape)", "[[2,3], unknown, []]"],
    ["list(shape)", "[]"],
  ])("%s %s reads back as it was written", (type, text) => {
    expect(attrText(parseAttr(type, text))).toBe(text);
  });

  it("accept the usual ways of writing a shape", () => {
    for (const text of ["2,3", "[2, 3]", "(2, 3)", "[2, 3,]"])
      expect(protoShapeText(parseShape(text))).toBe("[2,3]");
    for (const text of ["[?, 3]", "[-1, 3]", "[None, 3]"])
      expect(protoShapeText(parseShape(text))).toBe("[?,3]");
    expect(() => parseShape("[2, x]")).toThrow("x is not a size");
  });

  it.each([
    ["int", "1.5"],
    ["int", "9223372036854775808"],
    ["float", "fast"],
    ["bool", "1"],
    ["type", "float31"],
    ["list(int)", "[1, b]"],
  ])("%s %s is refused", (type, text) => {
    expect(() => parseAttr(type, text)).toThrow(LiteralError);
  });
});
