import { describe, expect, it } from "vitest";
import { moveNodes, pin } from "../../../renderer/document/edits/place.js";
import { rename } from "../../../renderer/document/edits/rename.js";
import type { EditResult } from "../../../renderer/document/edits/types.js";
import { examineAgain, examineGraph, type Findings } from "../../../renderer/document/examine.js";
import {
  commit,
  type History,
  isDirty,
  redo,
  saved,
  startHistory,
  undo,
} from "../../../renderer/document/history.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import { problemsInOrder } from "../../../renderer/document/problems.js";
import type { OpLookup } from "../../../renderer/document/signature.js";
import fc from "../../support/seeded-check.js";
import { constant, documentOf, lookup, node, type, welcome } from "./graphs.js";
import { doEdit, step } from "./random-edits.js";

/** Everything that an edit can change, in a form that compares order, too. */
function stateOf({ nodes, layout, runConfig, otherRuns, defaultRun, metaGraph }: GraphDocument): unknown {
  return {
    nodes: [...nodes],
    layout: [...layout].sort(([one], [other]) => (one < other ? -1 : 1)),
    runConfig,
    otherRuns,
    defaultRun,
    metaGraph,
  };
}

describe("undo and redo", () => {
  it("take back and bring back any sequence of edits exactly", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        let history = startHistory(welcome());
        const states = [stateOf(history.document)];
        for (const one of steps) {
          const before = history.past.length;
          const last = history.past.at(-1);
          history = doEdit(history, one(history.document));
          if (history.past.length > before) states.push(stateOf(history.document));
          else if (history.past.at(-1) !== last) states[states.length - 1] = stateOf(history.document);
        }
        for (let index = states.length - 1; index >= 0; index--) {
          expect(stateOf(history.document)).toEqual(states[index]);
          history = undo(history);
        }
        for (const state of states.slice(1)) {
          history = redo(history);
          expect(stateOf(history.document)).toEqual(state);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("make one step of moves of the same nodes, and another of moves of others", () => {
    let history = startHistory(welcome());
    for (const x of [10, 20, 30])
      history = doEdit(history, moveNodes(history.document, new Map([["a", { x, y: 0 }]])));
    history = doEdit(history, moveNodes(history.document, new Map([["b", { x: 5, y: 5 }]])));
    expect(history.past.map(({ label }) => label)).toEqual(["Move a", "Move b"]);
    history = undo(undo(history));
    expect(history.document.layout.get("a")).toEqual({ x: 0, y: 0 });
  });
});

describe("unsaved changes", () => {
  const edited = (history: History, device: string) => doEdit(history, pin(history.document, ["z"], device));

  it("are gone when undo comes back to what was opened", () => {
    const start = startHistory(welcome());
    const history = edited(start, "/job:worker/task:1");
    expect([isDirty(start), isDirty(history), isDirty(undo(history))]).toEqual([false, true, false]);
  });

  it("stay when the saved state was undone and replaced", () => {
    let history = edited(startHistory(welcome()), "/job:worker/task:1");
    history = saved(history, history.document);
    expect(isDirty(history)).toBe(false);
    expect(isDirty(undo(history))).toBe(true);
    expect(isDirty(redo(undo(history)))).toBe(false);
    const other = edited(undo(history), "/job:worker/task:0");
    expect(isDirty(other)).toBe(true);
    expect(isDirty(undo(other))).toBe(true);
  });

  it("do not merge into the step that was saved", () => {
    const move = (history: History, x: number) =>
      doEdit(history, moveNodes(history.document, new Map([["a", { x, y: 0 }]])));
    let history = move(startHistory(welcome()), 10);
    history = move(saved(history, history.document), 20);
    expect(history.past).toHaveLength(2);
    expect(isDirty(history)).toBe(true);
  });
});

describe("what is known of a document", () => {
  it("is after any edits, and after they are taken back, what a look at all of it finds", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        let history = startHistory(welcome());
        let findings = examineGraph(history.document, lookup, true);
        const follow = (next: History) => {
          const { nodes } = history.document;
          findings = examineAgain(next.document, { nodes, ...findings }, lookup, true);
          history = next;
          const all = examineGraph(next.document, lookup, true);
          const inOrder = ({ problems }: Findings) => problemsInOrder(problems, next.document.nodes);
          expect(inOrder(findings)).toEqual(inOrder(all));
          expect(findings.problems.size).toBe(all.problems.size);
          expect(new Map([...findings.shapes.outputs].sort())).toEqual(
            new Map([...all.shapes.outputs].sort()),
          );
          expect(new Map([...findings.shapes.errors].sort())).toEqual(new Map([...all.shapes.errors].sort()));
        };
        for (const one of steps) follow(doEdit(history, one(history.document)));
        while (history.past.length > 0) follow(undo(history));
        while (history.future.length > 0) follow(redo(history));
      }),
    );
  });

  it("costs what an edit changes: a pin nothing, a new name a look at the node and its readers", () => {
    const names = Array.from({ length: 2000 }, (_, index) => `n${index}`);
    const nodes = names.map((name, index) =>
      index === 0 ? constant(name, "1") : node(name, "Neg", [`n${index - 1}`], { T: type("float32") }),
    );
    const before = documentOf(nodes);
    const findings = examineGraph(before, lookup, true);
    const looked: string[] = [];
    const counting: OpLookup = (op) => {
      looked.push(op);
      return lookup(op);
    };
    const committed = (result: EditResult) => commit(startHistory(before), edited(result)).document;
    const pinned = examineAgain(
      committed(pin(before, names, "/job:a/task:0")),
      { ...before, ...findings },
      counting,
      true,
    );
    expect(pinned.shapes).toBe(findings.shapes);
    expect(pinned.problems).toBe(findings.problems);
    expect(looked).toEqual([]);
    examineAgain(committed(rename(before, "n1000", "other")), { ...before, ...findings }, counting, true);
    expect(looked.length).toBeLessThan(40);
  });
});

function edited(result: EditResult) {
  if (!result.ok) throw new Error(result.reason);
  return result.transaction;
}
