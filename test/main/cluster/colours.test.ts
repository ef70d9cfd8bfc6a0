import { describe, expect, it } from "vitest";
import { Colours } from "../../../main/cluster/colours.js";

describe("colours", () => {
  it("are given in order, and a freed one comes back only after all others", () => {
    const colours = new Colours(4);
    expect([colours.of("a"), colours.of("b"), colours.of("a")]).toEqual([0, 1, 0]);
    colours.free("a");
    expect(["c", "d", "e", "f"].map((id) => colours.of(id))).toEqual([2, 3, 0, 4]);
  });

  it("are a task's own again after a restart", () => {
    const colours = new Colours(4);
    colours.restore("a", 2);
    colours.restore("b", 0);
    colours.restore("late", 2);
    expect(colours.entries()).toEqual({ a: 2, b: 0 });
    expect(["c", "d", "e"].map((id) => colours.of(id))).toEqual([3, 1, 4]);
  });
});
