import { describe, expect, it } from "vitest";
import { layeredLayout } from "../../../renderer/document/layout.js";
import { nodeWidth, roughHeight } from "../../../renderer/document/node-size.js";
import { wiringOf } from "../../../renderer/document/wiring.js";
import { binary, constant, documentOf, node, placeholder, welcome } from "./graphs.js";

function chainOf(count: number) {
  const nodes = [constant("n0", "1")];
  for (let index = 1; index < count; index++) {
    const one = Math.max(0, index - 1 - ((index * 7) % 20));
    const other = Math.max(0, index - 1 - ((index * 13) % 30));
    nodes.push(binary(`n${index}`, "AddV2", `n${one}`, `n${other}`));
  }
  return documentOf(nodes).nodes;
}

function overlaps(nodes: ReturnType<typeof chainOf>, layout: ReturnType<typeof layeredLayout>): number {
  const rects = [...nodes.values()].map((node) => {
    const { x, y } = layout.get(node.name) ?? { x: 0, y: 0 };
    return { x, y, right: x + nodeWidth(node.name, node.op), bottom: y + roughHeight(node) };
  });
  let count = 0;
  for (const [index, one] of rects.entries()) {
    for (const other of rects.slice(index + 1)) {
      if (one.x < other.right && other.x < one.right && one.y < other.bottom && other.y < one.bottom) count++;
    }
  }
  return count;
}

describe("the layered layout", () => {
  it("puts every node right of what it reads, and none over another", () => {
    const nodes = chainOf(300);
    const layout = layeredLayout(nodes);
    for (const { from, to } of wiringOf(nodes).edges) {
      expect(layout.get(to)?.x).toBeGreaterThan(layout.get(from)?.x ?? 0);
    }
    expect(overlaps(nodes, layout)).toBe(0);
  });

  it("is the same for the same graph", () => {
    expect(layeredLayout(welcome().nodes)).toEqual(layeredLayout(welcome().nodes));
  });

  it("ends on a circle", () => {
    const nodes = documentOf([binary("x", "Mul", "y", "y"), binary("y", "Mul", "x", "x")]).nodes;
    expect(layeredLayout(nodes).size).toBe(2);
  });

  it("puts the start of a loop of TensorFlow 1 left of its body", () => {
    const nodes = documentOf([
      constant("start", "1"),
      node("enter", "Enter", ["start"]),
      node("merge", "Merge", ["enter", "next"]),
      node("body", "Square", ["merge"]),
      node("next", "NextIteration", ["body"]),
    ]).nodes;
    const layout = layeredLayout(nodes);
    const order = [...layout].sort(([, one], [, other]) => one.x - other.x).map(([name]) => name);
    expect(order).toEqual(["start", "enter", "merge", "body", "next"]);
  });

  it("puts what is made of constants and variables beside what uses it", () => {
    const nodes = documentOf([
      placeholder("x"),
      binary("x1", "Mul", "x", "x"),
      binary("x2", "Mul", "x1", "x1"),
      binary("x3", "Mul", "x2", "x2"),
      constant("c", "1"),
      node("read", "Identity", ["c"]),
      binary("sum", "AddV2", "x3", "read"),
    ]).nodes;
    const layout = layeredLayout(nodes);
    expect(layout.get("read")?.x).toBe(layout.get("x3")?.x);
    expect(layout.get("c")?.x).toBe(layout.get("x2")?.x);
  });

  it("breaks a column that would be too long", () => {
    const nodes = documentOf(Array.from({ length: 200 }, (_, index) => constant(`c${index}`, "1"))).nodes;
    const columns = new Set([...layeredLayout(nodes).values()].map(({ x }) => x));
    expect(columns.size).toBe(5);
  });

  it("places 5,000 nodes", () => {
    const nodes = chainOf(5000);
    expect(layeredLayout(nodes).size).toBe(5000);
  });
});
