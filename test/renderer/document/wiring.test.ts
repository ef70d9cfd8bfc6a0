import { describe, expect, it } from "vitest";
import { addNode } from "../../../renderer/document/edits/add.js";
import { pin } from "../../../renderer/document/edits/place.js";
import { rename } from "../../../renderer/document/edits/rename.js";
import { type History, redo, startHistory, undo } from "../../../renderer/document/history.js";
import { ancestors, wiringOf } from "../../../renderer/document/wiring.js";
import fc from "../../support/seeded-check.js";
import { constant, documentOf, lookup, node, type } from "./graphs.js";
import { doEdit, step } from "./random-edits.js";

/** Large enough that an edit reads only what it has changed; every tenth node reads one that the graph lacks. */
function graph(size = 80) {
  const nodes = Array.from({ length: size }, (_, index) => {
    const inputs = [`n${index - 1}`, index % 10 === 0 ? "ghost" : `n${Math.floor(index / 2)}`];
    if (index % 7 === 0) inputs.push(`^n${Math.floor(index / 3)}`);
    return index === 0 ? constant("n0", "1") : node(`n${index}`, "Mul", inputs, { T: type("float32") });
  });
  return documentOf(nodes);
}

/** The wiring as it is known of a document, and as a look at all of it finds it. */
function expectWiring({ document }: History): void {
  const names = [...document.nodes.keys(), "ghost"];
  const known = wiringOf(document.nodes);
  const all = wiringOf(new Map(document.nodes));
  expect(known.edges).toEqual(all.edges);
  for (const side of ["incoming", "outgoing"] as const) {
    expect(names.map((name) => known[side].get(name))).toEqual(names.map((name) => all[side].get(name)));
  }
}

describe("the edges of a graph", () => {
  it("are after any edits, and after they are taken back, what its nodes name", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), fc.nat(2), (steps, looks) => {
        let history = startHistory(graph());
        wiringOf(history.document.nodes);
        const follow = (next: History, count: number) => {
          history = next;
          // Not after every edit: several are then read together.
          if (count % (looks + 1) === 0) expectWiring(history);
        };
        for (const [count, one] of steps.entries()) follow(doEdit(history, one(history.document)), count);
        expectWiring(history);
        for (let count = 0; history.past.length > 0; count++) follow(undo(history), count);
        expectWiring(history);
        for (let count = 0; history.future.length > 0; count++) follow(redo(history), count);
        expectWiring(history);
      }),
    );
  });

  it("come to a node that others named before it was there", () => {
    let history = startHistory(graph());
    expect(wiringOf(history.document.nodes).outgoing.get("ghost")).toBeUndefined();
    history = doEdit(history, addNode(history.document, lookup, "Const", { x: 0, y: 0 }));
    const name = [...history.document.nodes.keys()].at(-1) ?? "";
    history = doEdit(history, rename(history.document, name, "ghost"));
    expect(
      wiringOf(history.document.nodes)
        .outgoing.get("ghost")
        ?.map(({ to }) => to),
    ).toEqual(["n10", "n20", "n30", "n40", "n50", "n60", "n70"]);
    expectWiring(history);
    expectWiring(undo(history));
  });

  it("stay the same objects where an edit concerns none of them", () => {
    const history = startHistory(graph());
    const before = wiringOf(history.document.nodes);
    const pinned = doEdit(history, pin(history.document, ["n1", "n2"], "/job:worker/task:0"));
    expect(wiringOf(pinned.document.nodes)).toBe(before);
    const added = doEdit(history, addNode(history.document, lookup, "Const", { x: 0, y: 0 }));
    expect(wiringOf(added.document.nodes).outgoing.get("n1")).toBe(before.outgoing.get("n1"));
  });

  it("lead back to all that a node depends on", () => {
    expect([...ancestors(graph(8).nodes, ["n3"])].sort()).toEqual(["n0", "n1", "n2", "n3"]);
  });
});
