import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { documentActions } from "../../../renderer/stores/document-store.js";
import { colourScale, useColouring } from "../../../renderer/viewport/colouring.js";
import { binary, constant, documentOf, placeholder } from "../document/graphs.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

beforeEach(() =>
  openDocument(
    documentOf([
      constant("small", "1"),
      constant("large", "[1, 2, 3, 4]"),
      placeholder("x"),
      binary("y", "AddV2", "small", "x"),
      binary("z", "AddV2", "large", "y"),
    ]),
  ),
);
afterEach(() => useColouring.setState({ by: "task" }));

const run = (node: string, durationMicros: number) => ({
  ...{ node, device: "/job:worker/replica:0/task:0/device:CPU:0", startMicros: 0, outputBytes: 4 },
  durationMicros,
});
/** How much of the colour there is, in percent. */
const strengthOf = (...names: string[]) => Number(/(\d+)%/.exec(colourScale()?.colourOf(names) ?? "")?.[1]);

describe("the colours of nodes", () => {
  it("are those of tasks at first", () => {
    expect(colourScale()).toBeUndefined();
  });

  it("tell ops apart, the most frequent first; a scope has that of most of its nodes", () => {
    useColouring.setState({ by: "op" });
    expect(colourScale()?.legend).toEqual([
      { colour: "var(--t1)", text: "AddV2 2" },
      { colour: "var(--t2)", text: "Const 2" },
      { colour: "var(--t3)", text: "Placeholder 1" },
    ]);
    expect(colourScale()?.colourOf(["y"])).toBe("var(--t1)");
    expect(colourScale()?.colourOf(["x", "small", "large"])).toBe("var(--t2)");
    documentActions.deleteNodes(["small", "large"]);
    expect(colourScale()?.legend).toHaveLength(2);
  });

  it("grow stronger with the measured time; what did not run has none", () => {
    useColouring.setState({ by: "time" });
    expect(colourScale()?.legend).toEqual([]);
    showRun(runOf({ tracedStep: 1, nodes: [run("x", 1), run("y", 10), run("z", 1000)] }));
    expect(strengthOf("x")).toBe(12);
    expect(strengthOf("y")).toBeGreaterThan(strengthOf("x"));
    expect(strengthOf("z")).toBe(100);
    expect(strengthOf("x", "y")).toBeGreaterThan(strengthOf("y"));
    expect(colourScale()?.colourOf(["small"])).toBeUndefined();
    expect(colourScale()?.legend.map(({ text }) => text)).toEqual(["1 µs", "10 µs", "0.10 ms", "1.00 ms"]);
  });

  it("follow the bytes of outputs by shape, or as they were sent", () => {
    useColouring.setState({ by: "bytes" });
    expect(strengthOf("small")).toBe(12);
    expect(strengthOf("large")).toBe(100);
    const device = (task: number) => `/job:worker/replica:0/task:${task}/device:CPU:0`;
    const sent = { tensor: "x:0", fromDevice: device(0), toDevice: device(1), bytes: 64 };
    showRun(
      runOf({ tracedStep: 1, transfers: [{ ...sent, startMicros: 0, durationMicros: 1, timed: true }] }),
    );
    expect(strengthOf("x")).toBe(100);
    expect(strengthOf("large")).toBeLessThan(100);
  });
});
