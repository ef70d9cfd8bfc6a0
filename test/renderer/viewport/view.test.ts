import { describe, expect, it } from "vitest";
import { StillView } from "../../../renderer/viewport/still-view.js";
import {
  revealedView,
  viewAfterPanel,
  viewAfterResize,
  visibleArea,
} from "../../../renderer/viewport/view.js";

const large = { width: 1200, height: 800 };
const small = { width: 600, height: 400 };
const bounds = { left: 0, top: 0, right: 900, bottom: 500 };

describe("the view after the window got another size", () => {
  it("still shows the whole of a graph that was seen whole", () => {
    const view = { x: 150, y: 150, zoom: 1 };
    const after = viewAfterResize(view, large, small, bounds);
    const area = visibleArea(after, small);
    expect(area.left).toBeLessThan(bounds.left);
    expect(area.right).toBeGreaterThan(bounds.right);
    expect(area.top).toBeLessThan(bounds.top);
    expect(area.bottom).toBeGreaterThan(bounds.bottom);
  });

  it("keeps in the middle what was there, at the zoom that was chosen", () => {
    const view = { x: -300, y: -200, zoom: 2 };
    expect(viewAfterResize(view, large, small, bounds)).toEqual({ x: -600, y: -400, zoom: 2 });
    expect(viewAfterResize({ x: -600, y: -400, zoom: 2 }, small, large, bounds)).toEqual(view);
  });

  it("is as large again as before when the window is made smaller and larger again", () => {
    const fitted = { x: 150, y: 150, zoom: 1 };
    const smaller = viewAfterResize(fitted, large, small, bounds);
    expect(smaller.zoom).toBeLessThan(0.7);
    expect(viewAfterResize(smaller, small, large, bounds)).toEqual(fitted);
  });

  it("is fitted also where a panel has shifted the graph before", () => {
    const still = new StillView();
    const frame = (width: number, left = 0) => ({ ...large, left, top: 0, width });
    const shifted = still.afterPanel({ x: 150, y: 150, zoom: 1 }, frame(1200), frame(1100, 100), bounds);
    const wasFitted = still.isFitted(shifted, frame(1100, 100), bounds);
    const smaller = viewAfterResize(shifted, frame(1100, 100), small, bounds, wasFitted);
    still.afterResize(smaller, wasFitted);
    expect(still.isFitted(smaller, { ...small, left: 100, top: 0 }, bounds)).toBe(true);
    expect(viewAfterResize(smaller, small, large, bounds).zoom).toBe(1);
  });
});

describe("the view after a panel took a part of the canvas", () => {
  const frame = (width: number, height: number, left = 0) => ({ left, top: 0, width, height });
  const whole = frame(1200, 800);
  /** As "Fit" has it: in the middle, at 100 %. */
  const fitted = { x: 150, y: 150, zoom: 1 };

  it("shows the whole of a graph that was fitted", () => {
    const lower = frame(1200, 450);
    const after = viewAfterPanel(fitted, whole, lower, bounds);
    expect(after.zoom).toBeLessThan(1);
    expect(visibleArea(after, lower).bottom).toBeGreaterThan(bounds.bottom);
  });

  it("hides no part of it under the heading or the buttons that lie over the canvas", () => {
    const { y, zoom } = viewAfterPanel(fitted, whole, frame(1200, 384), bounds);
    expect(y + bounds.top * zoom).toBeGreaterThanOrEqual(56);
    expect(y + bounds.bottom * zoom).toBeLessThanOrEqual(384 - 64);
  });

  it("shows the whole of it also where there is no room for those", () => {
    const lowest = frame(1200, 200);
    const { top, bottom } = visibleArea(viewAfterPanel(fitted, whole, lowest, bounds), lowest);
    expect(top).toBeLessThan(bounds.top);
    expect(bottom).toBeGreaterThan(bounds.bottom);
  });

  it("leaves it in its place on the screen if nothing of it is hidden, or if it was not seen whole", () => {
    expect(viewAfterPanel(fitted, whole, frame(1100, 800, 100), bounds)).toEqual({ x: 50, y: 150, zoom: 1 });
    const chosen = { x: -100, y: 150, zoom: 1 };
    expect(viewAfterPanel(chosen, whole, frame(1200, 450), bounds)).toEqual(chosen);
  });

  it("shows the whole of a graph that was moved but seen whole, no larger than it was", () => {
    const lower = frame(1200, 450);
    const moved = { x: 20, y: 250, zoom: 1 };
    const area = visibleArea(viewAfterPanel(moved, whole, lower, bounds), lower);
    expect([area.top < bounds.top, area.bottom > bounds.bottom]).toEqual([true, true]);
    const distant = { x: 800, y: 600, zoom: 0.3 };
    const after = viewAfterPanel(distant, whole, lower, bounds);
    expect(after.zoom).toBe(0.3);
    expect(after.y + bounds.bottom * 0.3).toBeLessThanOrEqual(450 - 64);
  });
});

describe("the view after a panel that had the graph fitted again has gone", () => {
  const whole = { left: 0, top: 0, width: 1200, height: 800 };
  const lower = { ...whole, height: 450 };
  const lowest = { ...whole, height: 300 };
  const fitted = { x: 150, y: 150, zoom: 1 };

  it("is the one before it, also where the panel was made larger in between", () => {
    const still = new StillView();
    const one = still.afterPanel(fitted, whole, lower, bounds);
    const two = still.afterPanel(one, lower, lowest, bounds);
    expect([one.zoom < 1, two.zoom < one.zoom]).toEqual([true, true]);
    const between = still.afterPanel(two, lowest, lower, bounds);
    expect(between).toEqual(two);
    expect(still.afterPanel(between, lower, whole, bounds)).toEqual(fitted);
    // A graph that nothing has fitted again stays as it is.
    expect(still.afterPanel(fitted, whole, { ...whole, width: 1300 }, bounds)).toEqual(fitted);
  });

  it("leaves the graph where it is on the screen when a panel at the side came meanwhile", () => {
    const still = new StillView();
    const one = still.afterPanel(fitted, whole, lower, bounds);
    const shifted = { ...whole, left: -40, width: 1240 };
    expect(still.afterPanel(one, lower, shifted, bounds)).toEqual({ x: 190, y: 150, zoom: 1 });
  });

  it("is fitted again also if another panel has shifted it before, unless the user has", () => {
    const side = { ...whole, left: 100, width: 1100 };
    const still = new StillView();
    const shifted = still.afterPanel(fitted, whole, side, bounds);
    expect(shifted).toEqual({ x: 50, y: 150, zoom: 1 });
    still.afterResize(shifted, true);
    const lowerSide = { ...side, height: 450 };
    const refitted = still.afterPanel(shifted, side, lowerSide, bounds);
    expect(visibleArea(refitted, lowerSide).bottom).toBeGreaterThan(bounds.bottom);
    const other = new StillView();
    const moved = { ...other.afterPanel(fitted, whole, side, bounds), x: -20 };
    expect(other.afterPanel(moved, side, lowerSide, bounds)).toEqual(moved);
  });

  it("stays if the user moved it, if the window got another size, or if the graph has grown", () => {
    const still = new StillView();
    const one = still.afterPanel(fitted, whole, lower, bounds);
    const moved = { ...one, x: one.x + 50 };
    expect(still.afterPanel(moved, lower, whole, bounds)).toEqual(moved);
    const two = still.afterPanel(fitted, whole, lower, bounds);
    still.afterResize(two, true);
    expect(still.afterPanel(two, lower, whole, bounds)).toEqual(two);
    const three = still.afterPanel(fitted, whole, lower, bounds);
    expect(still.afterPanel(three, lower, whole, { ...bounds, right: 4000 })).toEqual(three);
  });
});

describe("bringing a node into view", () => {
  const view = { x: 0, y: 0, zoom: 1 };

  it("leaves the view where it is when the node is seen whole", () => {
    expect(revealedView(view, { left: 10, top: 10, right: 150, bottom: 70 }, large)).toBe(view);
  });

  it("moves as little as it takes for a node that is half outside", () => {
    const moved = revealedView(view, { left: 1150, top: 10, right: 1290, bottom: 70 }, large);
    expect(moved).toEqual({ x: -122, y: 22, zoom: 1 });
  });

  it("puts a node that is far away into the middle", () => {
    const moved = revealedView(view, { left: 9930, top: 9970, right: 10_070, bottom: 10_030 }, large);
    expect(moved).toEqual({ x: 600 - 10_000, y: 400 - 10_000, zoom: 1 });
  });
});
