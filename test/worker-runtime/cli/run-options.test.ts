import { describe, expect, test } from "vitest";
import { parseFeed, readRunOptions } from "../../../worker-runtime/cli/run-options.js";

const read = (...args: string[]) => readRunOptions(["g.pb", ...args]);

describe("tensordeck run's arguments", () => {
  test("lists: repeated, with commas, with spaces", () => {
    const options = read("--fetch", "a:0,b", "--fetch=c:1", "--run", "init, train", "--init", "i");
    expect(options).toMatchObject({ fetches: ["a:0", "b", "c:1"], targets: ["init", "train"], init: ["i"] });
  });

  test("defaults", () => {
    expect(read()).toMatchObject({
      graph: "g.pb",
      steps: 1,
      timeoutMillis: undefined,
      optimize: true,
      target: undefined,
    });
  });

  test("placement is of the graph as it was built, unless optimizing is asked for", () => {
    expect(read("--log_device_placement")?.optimize).toBe(false);
    expect(read("--log_device_placement", "--optimize")?.optimize).toBe(true);
    expect(read("--no-optimize")?.optimize).toBe(false);
  });

  test.each([
    ["a:0=3", { tensor: "a:0", source: { kind: "text", text: "3" } }],
    ["a=x=y", { tensor: "a", source: { kind: "text", text: "x=y" } }],
    ["a:0=@a.npy", { tensor: "a:0", source: { kind: "file", path: "a.npy", column: undefined } }],
    ["a:0=@d.csv:price", { tensor: "a:0", source: { kind: "file", path: "d.csv", column: "price" } }],
    ["a:0=@C:\\d.csv:a:b", { tensor: "a:0", source: { kind: "file", path: "C:\\d.csv", column: "a:b" } }],
    ["a:0=@C:\\a.npy", { tensor: "a:0", source: { kind: "file", path: "C:\\a.npy", column: undefined } }],
    ["a:0=@w.npz:layer/w", { tensor: "a:0", source: { kind: "file", path: "w.npz", column: "layer/w" } }],
    [
      "a=@a.tfrecord.gz:price",
      { tensor: "a", source: { kind: "file", path: "a.tfrecord.gz", column: "price" } },
    ],
    ["a=@/d/part-r-00000:x", { tensor: "a", source: { kind: "file", path: "/d/part-r-00000", column: "x" } }],
    [
      "a=@t.tfrecord-00000-of-00001:x:y",
      { tensor: "a", source: { kind: "file", path: "t.tfrecord-00000-of-00001", column: "x:y" } },
    ],
  ])("--feed %s", (text, feed) => {
    expect(parseFeed(text)).toEqual(feed);
  });

  test("--output is a folder or a file of one tensor", () => {
    expect(read("--output", "out", "--output", "z:0=@z.npy", "--output=y=y.npy")?.outputs).toEqual([
      { kind: "folder", path: "out" },
      { kind: "file", tensor: "z:0", path: "z.npy" },
      { kind: "file", tensor: "y", path: "y.npy" },
    ]);
  });

  test.each([
    [["--feed", "3"], "TENSOR=VALUE"],
    [["--feed", "a=@"], "has no file name"],
    [["--timeout", "0"], "above 0"],
    [["--timeout", "soon"], "above 0"],
    [["--steps", "0"], "whole number from 1"],
    [["other.pb"], "one graph file"],
    [["--fetsh", "z"], "Did you mean --fetch?"],
  ])("refuses %j", (args, message) => {
    expect(() => read(...args)).toThrow(message);
  });

  test("no graph at all", () => {
    expect(() => readRunOptions([])).toThrow("one graph file, but none was given");
    expect(readRunOptions(["--help"])).toBeUndefined();
  });
});
