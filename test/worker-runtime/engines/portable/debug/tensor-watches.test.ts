import { describe, expect, test } from "vitest";
import { DebugTensorWatch } from "../../../../../protos/generated/tensorflow/debug.js";
import {
  folderOf,
  parseDebugOp,
  TensorWatches,
} from "../../../../../worker-runtime/engines/portable/debug/tensor-watches.js";

const refusal = (codeName: string, text: string) =>
  expect.objectContaining({ codeName, message: expect.stringContaining(text) as string });

describe("a debug op", () => {
  test("is a name, with attributes where a watch gives some", () => {
    expect(parseDebugOp("DebugIdentity")).toEqual({ op: "DebugIdentity", attrs: new Map() });
    expect(parseDebugOp("DebugNumericSummary( mute_if_healthy=true; lower_bound=-1e3;)")).toEqual({
      op: "DebugNumericSummary",
      attrs: new Map([
        ["mute_if_healthy", "true"],
        ["lower_bound", "-1e3"],
      ]),
    });
  });

  test.each(["DebugIdentity(", "(a=1)", "DebugIdentity(a=1)b", "A(b)", "A(=1)", "A(b=)", "A(b=1;b=2)"])(
    "is refused: %s",
    (text) => {
      expect(() => parseDebugOp(text)).toThrow(refusal("INVALID_ARGUMENT", `"${text}"`));
    },
  );
});

describe("a debug URL", () => {
  test("names a folder", () => {
    expect(folderOf("file:///tmp/dump")).toBe("/tmp/dump");
    expect(folderOf("FILE://C:\\dumps")).toBe("C:\\dumps");
  });

  test("of a server is refused with another way, and any other as TensorFlow refuses it", () => {
    expect(() => folderOf("grpc://localhost:6064")).toThrow(
      refusal("UNIMPLEMENTED", "Watch with file://FOLDER"),
    );
    expect(() => folderOf("/tmp/dump")).toThrow(
      refusal("UNAVAILABLE", "Invalid debug target URL: /tmp/dump"),
    );
  });
});

describe("watches", () => {
  const watch = (nodeName: string, outputSlot: number, debugUrls = ["file:///a"]): DebugTensorWatch =>
    DebugTensorWatch.fromPartial({ nodeName, outputSlot, debugOps: ["DebugIdentity"], debugUrls });

  test("are those of a tensor, or of all", () => {
    const some = new TensorWatches([watch("x", 1)]);
    expect(some.of("x", 1)?.debugUrls).toEqual(["file:///a"]);
    expect(some.of("x", 0)).toBeUndefined();
    const all = new TensorWatches([watch("x", 0), watch("*", -1, ["file:///b", "file:///a"])]);
    expect(all.of("x", 0)?.debugUrls).toEqual(["file:///a"]);
    expect(all.of("other", 3)?.debugUrls).toEqual(["file:///b", "file:///a"]);
    expect(all.folders).toEqual(["/a", "/b"]);
  });

  test("without an op or a URL watch nothing", () => {
    expect(
      new TensorWatches([watch("x", 0, []), DebugTensorWatch.fromPartial({ nodeName: "x" })]).isEmpty,
    ).toBe(true);
  });

  test("of no output are for all nodes alone", () => {
    expect(() => new TensorWatches([watch("*", 0)])).toThrow(
      refusal("FAILED_PRECONDITION", "expected to be -1"),
    );
    expect(() => new TensorWatches([watch("x", -1)])).toThrow(
      refusal("FAILED_PRECONDITION", "got node name x"),
    );
  });
});
