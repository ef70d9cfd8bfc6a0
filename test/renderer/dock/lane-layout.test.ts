import { describe, expect, it } from "vitest";
import { layLanes } from "../../../renderer/dock/task-lanes/lane-layout.js";

const item = (id: string, names: readonly string[] = [id]) => ({ id, label: id, names });
const chain = (...ids: string[]) => ids.slice(1).map((to, index) => ({ from: ids[index] ?? "", to }));

describe("lanes by task", () => {
  it("put each item into the lane of its task, after everything that it waits for", () => {
    const items = ["x", "y", "z", "w"].map((id) => item(id));
    const edges = [...chain("x", "y", "z"), { from: "w", to: "z" }];
    const layout = layLanes({ items, edges }, 2, (name) => (name === "y" ? 1 : 0));
    expect(layout.items.map(({ id, lane, column, row }) => [id, lane, column, row])).toEqual([
      ["x", 0, 0, 0],
      ["w", 0, 0, 1],
      ["z", 0, 2, 0],
      ["y", 1, 1, 0],
    ]);
    expect(layout).toMatchObject({ columns: 3, rows: [2, 1] });
  });

  it("divide a closed scope that is on several tasks", () => {
    const { items } = layLanes({ items: [item("s", ["a", "b", "c"])], edges: [] }, 3, (name) =>
      name === "b" ? 2 : 0,
    );
    expect(items.map(({ lane, names, isPart }) => [lane, names, isPart])).toEqual([
      [0, ["a", "c"], true],
      [2, ["b"], true],
    ]);
  });

  it("show every item of a circle, as closed scopes may form one", () => {
    const items = ["a", "b", "c", "d"].map((id) => item(id));
    const { items: placed } = layLanes(
      { items, edges: [...chain("a", "b", "c", "b"), ...chain("c", "d")] },
      1,
      () => 0,
    );
    expect(placed.map(({ id }) => id).toSorted()).toEqual(["a", "b", "c", "d"]);
    expect(placed.find(({ id }) => id === "d")?.column).toBeGreaterThan(0);
  });
});
