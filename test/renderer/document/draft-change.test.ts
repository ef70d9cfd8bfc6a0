/** The window's messages about a draft, put together again as the application does it. */
import { describe, expect, it, vi } from "vitest";
import type { DraftChange } from "../../../main/api/drafts.js";
import { draftMetaGraph } from "../../../main/documents/draft-change.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { writeDocument } from "../../../renderer/document/document-file.js";
import { draftChange, wholeDraft } from "../../../renderer/document/draft-change.js";
import { deleteNodes } from "../../../renderer/document/edits/remove.js";
import { redo, startHistory, undo } from "../../../renderer/document/history.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import fc from "../../support/seeded-check.js";
import { constant, documentOf, welcome } from "./graphs.js";
import { doEdit, step } from "./random-edits.js";

const noPause = () => Promise.resolve();
const decoded = (bytes: Uint8Array) => MetaGraphDef.decode(bytes);
const saved = (document: GraphDocument) => decoded(writeDocument(document));

describe("the changes of a draft", () => {
  it("make the document that would be saved, after any edits, undone and done again, in their order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ step, turn: fc.nat(5), isKept: fc.boolean() }), { maxLength: 20 }),
        async (edits) => {
          let history = startHistory(welcome());
          let kept = history.document;
          const changes: DraftChange[] = [await wholeDraft(kept, noPause)];
          for (const { step: edit, turn, isKept } of edits) {
            if (turn === 0) history = undo(history);
            else if (turn === 1) history = redo(history);
            else history = doEdit(history, edit(history.document));
            if (!isKept) continue;
            const change = await draftChange(kept, history.document, noPause);
            if (change) changes.push(change);
            kept = history.document;
          }
          expect(decoded(draftMetaGraph(changes))).toEqual(saved(kept));
        },
      ),
      { numRuns: 100 },
    );
  });

  it("hold what changed and nothing else", async () => {
    const document = welcome();
    const moved = { ...document, layout: new Map(document.layout).set("x", { x: 1, y: 2 }) };
    expect(await draftChange(document, { ...document, name: "other" }, noPause)).toBeUndefined();
    const change = await draftChange(document, moved, noPause);
    expect(change).toMatchObject({ removed: [], added: [] });
    expect(change?.rest).toBeUndefined();
    expect(change?.changed.length).toBeLessThan(200);
    const gone = deleteNodes(document, ["y"]);
    if (!gone.ok) throw new Error(gone.reason);
    const after = doEdit(startHistory(document), gone).document;
    expect((await draftChange(document, after, noPause))?.removed).toEqual(["y"]);
  });

  it("of a large graph are written in slices, between which the window has its turn", async () => {
    const nodes = Array.from({ length: 20_000 }, (_, index) => constant(`c${index}`, "1"));
    const pause = vi.fn(noPause);
    const change = await wholeDraft(documentOf(nodes), pause);
    expect(pause.mock.calls.length).toBeGreaterThan(3);
    expect(decoded(draftMetaGraph([change])).graphDef?.node.length).toBe(20_000);
  });
});
