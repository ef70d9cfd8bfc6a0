import { describe, expect, it } from "vitest";
import { type KeptSession, SessionKeeper } from "../../../main/runs/session-keeper.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { constant, graphOf } from "../../interop/peers/nodes.js";

/** A keeper, and what it did with the sessions that it opened, by their numbers. */
class Rig {
  readonly keeper = new SessionKeeper();
  readonly extended: string[] = [];
  readonly closed: number[] = [];
  #opened = 0;

  get opened(): number {
    return this.#opened;
  }

  obtain(graph: GraphDef, key = "key") {
    const open = async (): Promise<KeptSession> => {
      this.#opened += 1;
      const number = this.#opened;
      return {
        run: () => Promise.reject(new Error("not run here")),
        extend: async (added) => {
          this.extended.push(...added.node.map(({ name }) => name));
        },
        close: async () => {
          this.closed.push(number);
        },
      };
    };
    return this.keeper.obtain(
      { key, open },
      graph,
      GraphDef.encode(graph).finish(),
      new AbortController().signal,
    );
  }
}

const a = constant("a", 1);
const b = constant("b", 2);

describe("the session of the last run", () => {
  it("is used again for the same graph, and with what was added to it", async () => {
    const rig = new Rig();
    expect(await rig.obtain(graphOf(a))).toMatchObject({ isNew: true });
    expect(await rig.obtain(graphOf(a))).toMatchObject({ isNew: false });
    expect(await rig.obtain(graphOf(a, b))).toMatchObject({ isNew: false });
    expect(rig).toMatchObject({ opened: 1, extended: ["b"], closed: [] });
  });

  it("is used again where attributes come in another order", async () => {
    const rig = new Rig();
    await rig.obtain(graphOf(a));
    const reordered = { ...a, attr: Object.fromEntries(Object.entries(a.attr ?? {}).reverse()) };
    expect(await rig.obtain(graphOf(reordered, b))).toMatchObject({ isNew: false });
    expect(rig).toMatchObject({ opened: 1, extended: ["b"] });
  });

  it.each([
    ["another graph", graphOf(b), "key"],
    ["a changed node", graphOf(constant("a", 3)), "key"],
    ["other members", graphOf(a), "other"],
  ])("is closed for %s", async (_, graph, key) => {
    const rig = new Rig();
    await rig.obtain(graphOf(a));
    expect(await rig.obtain(graph, key)).toMatchObject({ isNew: true });
    expect(rig).toMatchObject({ opened: 2, closed: [1] });
  });

  it("knows which steps it has run", async () => {
    const rig = new Rig();
    const first = await rig.obtain(graphOf(a));
    expect(first.isFirstStep("a")).toBe(true);
    const second = await rig.obtain(graphOf(a));
    expect([second.isFirstStep("a"), second.isFirstStep("b")]).toEqual([false, true]);
  });

  it("that a run gave up is closed, and the next one gets another", async () => {
    const rig = new Rig();
    const first = await rig.obtain(graphOf(a));
    first.giveUp();
    expect(rig.closed).toEqual([1]);
    const second = await rig.obtain(graphOf(a));
    expect(second).toMatchObject({ isNew: true });
    expect(second.isFirstStep("a")).toBe(true);
    // The one before is not kept any more: to give it up again does nothing to the one that is.
    first.giveUp();
    expect(rig.closed).toEqual([1]);
    await rig.keeper.dispose();
    expect(rig.closed).toEqual([1, 2]);
  });
});
