import { describe, expect, it } from "vitest";
import type { NodeRun, TensorPreview, Transfer } from "../../../main/api/runs.js";
import { TensorProto } from "../../../protos/generated/tensorflow/tensor.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { neighbour } from "../../../renderer/canvas/canvas-keys.js";
import { placeLabels } from "../../../renderer/canvas/edge-labels.js";
import { flowEdges } from "../../../renderer/canvas/flow-edges.js";
import { flowNodes } from "../../../renderer/canvas/flow-nodes.js";
import { pin } from "../../../renderer/document/edits/place.js";
import { inferShapes } from "../../../renderer/document/shapes.js";
import { wiringOf } from "../../../renderer/document/wiring.js";
import { edgePath } from "../../../renderer/viewport/edge-path.js";
import { crossingWidth } from "../../../renderer/viewport/edge-width.js";
import {
  constText,
  fullPreviewText,
  microsText,
  nodeTitle,
  previewText,
  shortDevice,
} from "../../../renderer/viewport/node-text.js";
import { binary, constant, documentOf, edited, lookup, node, welcome } from "../document/graphs.js";
import { taskOf } from "../support/cluster-states.js";

const tasks = [taskOf("worker/0"), taskOf("worker/1", { colour: 1 })];
const taskForDevice = (device: string) => tasks.find(({ index }) => device.includes(`/task:${index}`));

function edgesOf(transfers: readonly Transfer[], nodes: readonly NodeRun[] = []) {
  let document = edited(welcome(), pin(welcome(), ["a", "b", "x", "y"], "/job:worker/task:0"));
  document = edited(document, pin(document, ["z"], "/job:worker/task:1"));
  const shapes = inferShapes(document.nodes, lookup);
  const context = {
    document,
    lookup,
    shapes,
    nodes,
    transfers,
    taskForDevice,
    problems: new Map(),
    selected: new Set<string>(),
  };
  return { edges: flowEdges(context, new Map()), context };
}

describe("edges", () => {
  it("are coloured by the sender where they cross tasks, and grey on one task", () => {
    const { edges } = edgesOf([]);
    const colours = Object.fromEntries(edges.map(({ id, data }) => [id, data?.colour]));
    expect(colours).toMatchObject({ "x 0": undefined, "z 0": "var(--t1)", "z 1": "var(--t1)" });
  });

  it("carry bytes and time once per tensor and receiving task", () => {
    const transfer: Transfer = {
      tensor: "x:0",
      fromDevice: "/job:worker/replica:0/task:0/device:CPU:0",
      toDevice: "/job:worker/replica:0/task:1/device:CPU:0",
      startMicros: 0,
      durationMicros: 1100,
      bytes: 98_000,
      timed: true,
    };
    const badges = edgesOf([transfer]).edges.flatMap(({ id, data }) =>
      data?.badge ? [[id, data.badge.long]] : [],
    );
    expect(badges).toEqual([["z 0", "98 kB · 1.10 ms"]]);
  });

  it("say what a suggested placement would save or send, and are drawn as they would be", () => {
    const [one, other] = ["/job:worker/task:0", "/job:worker/task:1"];
    const at = (now: string, after: string) => ({ now, after });
    // z joins x and y, and a goes where it was not needed.
    const places = new Map([
      ["a", at(one, other)],
      ["b", at(one, one)],
      ["x", at(one, one)],
      ["y", at(one, one)],
      ["z", at(other, one)],
    ]);
    const shownAs = (shown: "now" | "changes" | "after") => {
      const preview = { shown, places, moving: 2, bytesOf: () => 98_000 };
      const edges = flowEdges({ ...edgesOf([]).context, preview }, new Map());
      return Object.fromEntries(
        edges.map(({ id, data }) => [id, [data?.change, data?.colour, data?.badge?.long]]),
      );
    };
    expect(shownAs("changes")).toMatchObject({
      "x 0": ["starts", "var(--t2)", "sends 98 kB"],
      "x 1": [undefined, undefined, undefined],
      "z 0": ["stops", "var(--t1)", "saves 98 kB"],
    });
    expect(shownAs("after")).toMatchObject({
      "x 0": [undefined, "var(--t2)", "98 kB"],
      "z 0": [undefined, undefined, undefined],
    });
    expect(shownAs("now")).toMatchObject({ "x 0": [undefined, undefined, undefined] });
  });

  it("stay the same objects while nothing about them changed", () => {
    const { edges, context } = edgesOf([]);
    const again = flowEdges(context, new Map(edges.map((edge) => [edge.id, edge])));
    expect(again.every((edge, index) => edge === edges[index])).toBe(true);
  });

  it("are 2 to 5 pixels wide by the logarithm of their bytes", () => {
    expect([crossingWidth(undefined), crossingWidth(4), crossingWidth(1e6), crossingWidth(1e12)]).toEqual([
      2, 2, 3.5, 5,
    ]);
  });

  it("run straight where they can, and round the nodes where they go back", () => {
    expect(edgePath({ x: 0, y: 5 }, { x: 100, y: 5 }).path).toBe("M0 5H100");
    expect(edgePath({ x: 0, y: 0 }, { x: 100, y: 50 }).path).toContain("C50 0 50 50");
    const back = edgePath({ x: 100, y: 0 }, { x: 0, y: 10 });
    expect(back.path).toContain("Q");
    expect(back.middle.y).toBeGreaterThan(10);
  });
});

describe("labels of edges", () => {
  it("stand only where there is room", () => {
    const far = documentOf([constant("a", "1"), node("n", "Identity", ["a"])], {
      layout: new Map([
        ["a", { x: 0, y: 0 }],
        ["n", { x: 400, y: 0 }],
      ]),
    });
    const labels = placeLabels(far, wiringOf(far.nodes).edges, () => "float32 []");
    expect([...labels.keys()]).toEqual(["n 0"]);
    const near = { ...far, layout: new Map(far.layout).set("n", { x: 160, y: 0 }) };
    expect(placeLabels(near, wiringOf(near.nodes).edges, () => "float32 []").size).toBe(0);
  });
});

describe("nodes", () => {
  it("that did not change stay the same objects, so that nothing is drawn again", () => {
    const document = welcome();
    const first = flowNodes(document, lookup, new Set(), new Map());
    const known = new Map(first.map((one) => [one.id, one]));
    const selected = flowNodes(document, lookup, new Set(["z"]), known);
    expect(selected.filter((one, index) => one !== first[index]).map(({ id }) => id)).toEqual(["z"]);
  });

  it("have a size that no value changes, and one place per port", () => {
    const [, , x] = flowNodes(welcome(), lookup, new Set(), new Map());
    expect(x).toMatchObject({ width: 136, height: 60 });
    expect(x?.handles?.map(({ id }) => id)).toEqual(["control-in", "control-out", "i0", "i1", "o0"]);
  });

  it("have a formula for a title where it is short", () => {
    expect(nodeTitle(binary("y", "Mul", "a", "b"))).toBe("y = a × b");
    expect(nodeTitle(binary("y", "Mul", "a", ""))).toBe("y");
    expect(nodeTitle(binary("layer/y", "Mul", "a", "b"))).toBe("layer/y");
    expect(nodeTitle(node("a/very/long/path/of/scopes/to/MatMul", "MatMul"))).toBe("…/MatMul");
  });
});

describe("words", () => {
  const preview = (shape: number[], values: string[], dtype = "float32"): TensorPreview => ({
    name: "z:0",
    dtype,
    shape,
    values,
    elementCount: shape.reduce((product, size) => product * size, 1),
    byteLength: 0,
  });

  it("show small values and the shape of large ones", () => {
    expect(previewText(preview([], ["11"]))).toBe("11.0");
    expect(previewText(preview([], ["11"], "int32"))).toBe("11");
    expect(previewText(preview([3], ["1", "2", "3"], "int32"))).toBe("[1, 2, 3]");
    expect(previewText(preview([3], ["1", "2.5", "nan"]))).toBe("[3]");
    expect(previewText(preview([1000], ["1"]))).toBe("[1000]");
    expect(previewText(preview([], ["text"], "string"))).toBe("text");
  });

  it("keep the exponent of a number that is too long for a node", () => {
    expect(previewText(preview([], ["2.498050851619221e-8"]))).toBe("2.498e-8");
    expect(previewText(preview([], ["-1234567.875"], "float64"))).toBe("-1.235e+6");
    expect(previewText(preview([], ["0.012320376932621002"], "bfloat16"))).toBe("0.01232");
    expect(previewText(preview([], ["1234567890123"], "int64"))).toBe("1234567890123");
    expect(fullPreviewText(preview([], ["2.498050851619221e-8"]))).toBe("2.498050851619221e-8");
  });

  it("show a constant text by its beginning, and several by their shape", () => {
    const text = "Hello, distributed TensorFlow!";
    const strings = (shape: readonly bigint[], stringVal: Uint8Array[]) =>
      node("text", "Const", [], {
        value: {
          value: {
            $case: "tensor",
            value: TensorProto.fromPartial({
              dtype: DataType.DT_STRING,
              tensorShape: { dim: shape.map((size) => ({ size, name: "" })) },
              stringVal,
            }),
          },
        },
      });
    const bytes = new TextEncoder().encode(text);
    expect(constText(strings([], [bytes]))).toContain(text);
    expect(constText(strings([2n], [bytes, bytes]))).toBe("[2]");
  });

  it("give times and bytes their units", () => {
    expect([0, 4, 30, 1300, 12_000, 123_456, 2_500_000].map(microsText)).toEqual([
      "0 µs",
      "4 µs",
      "30 µs",
      "1.30 ms",
      "12.0 ms",
      "123 ms",
      "2.5 s",
    ]);
    expect(shortDevice("/job:worker/replica:0/task:0/device:GPU:1")).toBe("GPU:1");
  });
});

it("arrows go to the nearest node in their direction", () => {
  const places = new Map([
    ["a", { x: 0, y: 0 }],
    ["b", { x: 0, y: 90 }],
    ["x", { x: 220, y: 10 }],
    ["z", { x: 440, y: 0 }],
  ]);
  expect(neighbour(places, "a", { x: 1, y: 0 })).toBe("x");
  expect(neighbour(places, "a", { x: 0, y: 1 })).toBe("b");
  expect(neighbour(places, "z", { x: -1, y: 0 })).toBe("x");
  expect(neighbour(places, "a", { x: -1, y: 0 })).toBeUndefined();
  expect(neighbour(places, undefined, { x: 1, y: 0 })).toBe("a");
});
