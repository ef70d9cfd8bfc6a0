/** The undo history as it goes through a draft: encoded by the window, put together by the application, decoded again. */
import { encode } from "@msgpack/msgpack";
import { describe, expect, it } from "vitest";
import type { DraftChange, KeptHistory } from "../../../main/api/drafts.js";
import { draftHistory, draftMetaGraph } from "../../../main/documents/draft-change.js";
import { FunctionDef, FunctionDefLibrary } from "../../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { TensorProto } from "../../../protos/generated/tensorflow/tensor.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { readDocument, writeDocument } from "../../../renderer/document/document-file.js";
import { draftChange, wholeDraft } from "../../../renderer/document/draft-change.js";
import {
  commit,
  type History,
  isDirty,
  redo,
  saved,
  startHistory,
  undo,
} from "../../../renderer/document/history.js";
import { restoredHistory } from "../../../renderer/document/kept-history/history-reader.js";
import { HistoryWriter } from "../../../renderer/document/kept-history/history-writer.js";
import { MAX_KEPT_BYTES, MAX_KEPT_STEPS } from "../../../renderer/document/kept-history/stored-step.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import { atOnce } from "../../../worker-runtime/graph/slices.js";
import fc from "../../support/seeded-check.js";
import { constant, documentOf, welcome } from "./graphs.js";
import { doEdit, step } from "./random-edits.js";

const noPause = () => Promise.resolve();
const unsaved = { unsaved: true, sameFile: true };

/** A window's drafts of one document, and what the next window makes of them. */
class Draft {
  readonly #writer = new HistoryWriter(noPause);
  readonly #changes: DraftChange[] = [];
  #kept: GraphDocument | undefined;

  async keep(history: History): Promise<DraftChange> {
    const { document } = history;
    const change = this.#kept
      ? await draftChange(this.#kept, document, noPause)
      : await wholeDraft(document, noPause);
    const kept = await this.#writer.write(history);
    const whole = {
      ...(change ?? { removed: [], changed: new Uint8Array(0), added: [] }),
      ...(kept ? { history: kept } : {}),
    };
    this.#changes.push(whole);
    this.#kept = document;
    return whole;
  }

  history(): KeptHistory | undefined {
    return draftHistory(this.#changes);
  }

  document(): GraphDocument {
    const { name, kind, format } = welcome();
    return readDocument({ name, kind, format, metaGraph: draftMetaGraph(this.#changes) });
  }

  restored(state = unsaved): History | undefined {
    const kept = this.history();
    return kept && atOnce(restoredHistory(this.document(), kept, state));
  }
}

/** Everything that is written of a document. Files have places in single precision. */
function stateOf(document: GraphDocument): unknown {
  const { runConfig, otherRuns, defaultRun, cluster, annotations } = document;
  const again = readDocument({
    ...{ name: "g", kind: document.kind, format: document.format },
    metaGraph: writeDocument(document),
  });
  return {
    ...{ nodes: [...again.nodes], runConfig, otherRuns, defaultRun, cluster, annotations },
    layout: [...again.layout].sort(([one], [other]) => (one < other ? -1 : 1)),
  };
}

function labelled(history: History, x: number, label = `move to ${x}`): History {
  const to = { x, y: 0 };
  const from = history.document.layout.get("x");
  const moves = [{ node: "x", to, ...(from ? { from } : {}) }];
  return commit(history, { label, operations: [{ type: "layout", moves }] });
}

async function movedDraft(times: number): Promise<Draft> {
  let history = startHistory(welcome());
  for (let x = 1; x <= times; x++) history = labelled(history, x);
  const draft = new Draft();
  await draft.keep(history);
  return draft;
}

describe("a history that was kept with a draft", () => {
  it("leads to the same documents, back and forth, after any edits", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ step, turn: fc.nat(5), isKept: fc.boolean() }), { maxLength: 20 }),
        async (edits) => {
          let history = startHistory(welcome());
          const draft = new Draft();
          for (const { step: edit, turn, isKept } of edits) {
            if (turn === 0) history = undo(history);
            else if (turn === 1) history = redo(history);
            else history = doEdit(history, edit(history.document));
            if (isKept) await draft.keep(history);
          }
          await draft.keep(history);
          if (history.past.length + history.future.length === 0) {
            expect(draft.history()).toBeUndefined();
            return;
          }
          let restored = draft.restored();
          if (!restored) throw new Error("it was dropped");
          const labels = ({ past, future }: History) =>
            [past, future].map((list) => list.map(({ label }) => label));
          expect(labels(restored)).toEqual(labels(history));
          for (const travel of [undo, redo]) {
            for (let count = 0; count <= edits.length; count++) {
              expect(stateOf(restored.document)).toEqual(stateOf(history.document));
              restored = travel(restored);
              history = travel(history);
            }
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("is sent once: each state adds its own step", async () => {
    const draft = new Draft();
    let history = labelled(startHistory(welcome()), 1);
    expect((await draft.keep(history)).history?.added).toHaveLength(1);
    history = labelled(history, 2);
    expect((await draft.keep(history)).history?.added).toHaveLength(1);
    history = undo(history);
    expect((await draft.keep(history)).history?.added).toHaveLength(0);
    expect(draft.restored()).toMatchObject({
      past: [{ label: "move to 1" }],
      future: [{ label: "move to 2" }],
    });
  });

  it("has the newest steps, as far as they fit", async () => {
    const restored = (await movedDraft(MAX_KEPT_STEPS + 10)).restored();
    expect(restored?.past).toHaveLength(MAX_KEPT_STEPS);
    expect(restored?.past.at(-1)?.label).toBe(`move to ${MAX_KEPT_STEPS + 10}`);

    const tensorContent = new Uint8Array(MAX_KEPT_BYTES + 1);
    const value = TensorProto.fromPartial({ dtype: DataType.DT_UINT8, tensorContent });
    const small = constant("large", "1");
    const large = { ...small, attr: new Map(small.attr).set("value", { value: { $case: "tensor", value } }) };
    const changes = [{ after: large, index: 0 }];
    let history = labelled(startHistory(welcome()), 1);
    history = commit(history, { label: "add", operations: [{ type: "nodes", changes }] });
    history = labelled(history, 2);
    const draft = new Draft();
    await draft.keep(history);
    expect(draft.restored()?.past.map(({ label }) => label)).toEqual(["move to 2"]);
  });

  it("shares functions between the libraries before and after", async () => {
    const long = "f".repeat(50_000);
    const definition = (name: string) => FunctionDef.fromPartial({ signature: { name, description: long } });
    const document = documentOf([constant("c", "1")]);
    const [f, g] = [definition("f"), definition("g")];
    const graphOf = (...functions: FunctionDef[]) => ({
      ...document.metaGraph,
      graphDef: GraphDef.fromPartial({ library: FunctionDefLibrary.fromPartial({ function: [] }) }),
      ...(functions.length > 0
        ? {
            graphDef: {
              ...GraphDef.fromPartial({}),
              library: { ...FunctionDefLibrary.fromPartial({}), function: functions },
            },
          }
        : {}),
    });
    const graphs = [graphOf(f), graphOf(f, g), graphOf(g)];
    let history = startHistory({ ...document, metaGraph: graphs[0] ?? document.metaGraph });
    for (const after of graphs.slice(1)) {
      const before = history.document.metaGraph;
      history = commit(history, { label: "edit", operations: [{ type: "meta-graph", before, after }] });
    }
    const draft = new Draft();
    const { history: kept } = await draft.keep(history);
    const sizeBytes = kept?.added.reduce((sum, { bytes }) => sum + bytes.length, 0) ?? 0;
    expect(sizeBytes).toBeLessThan(2.5 * long.length);
    const restored = draft.restored();
    if (!restored) throw new Error("it was dropped");
    const functions = ({ document: { metaGraph } }: History) =>
      metaGraph.graphDef?.library?.function.map(({ signature }) => signature?.name);
    expect(functions(restored)).toEqual(["g"]);
    expect(functions(undo(undo(restored)))).toEqual(["f"]);
  });

  it("leads back to the document that was saved, as long as its file is the same", async () => {
    let history = labelled(startHistory(welcome()), 1);
    history = saved(history, history.document);
    history = labelled(history, 2);
    const draft = new Draft();
    await draft.keep(history);
    const restored = draft.restored();
    if (!restored) throw new Error("it was dropped");
    expect([restored, undo(restored), undo(undo(restored))].map(isDirty)).toEqual([true, false, true]);
    const other = draft.restored({ unsaved: true, sameFile: false });
    if (!other) throw new Error("it was dropped");
    expect([other, undo(other), undo(undo(other))].map(isDirty)).toEqual([true, true, true]);
  });
});

describe("a history that does not fit its draft is dropped:", () => {
  const none = (kept: KeptHistory, document: GraphDocument) =>
    expect(atOnce(restoredHistory(document, kept, unsaved))).toBeUndefined();

  it("a damaged part, a part that is missing, another outline", async () => {
    const draft = await movedDraft(3);
    const kept = draft.history();
    if (!kept) throw new Error("there is none");
    const document = draft.document();
    expect(atOnce(restoredHistory(document, kept, unsaved))).toBeDefined();
    none({ ...kept, parts: kept.parts.slice(1) }, document);
    none({ ...kept, parts: kept.parts.map(({ id }) => ({ id, bytes: new Uint8Array([0xc1]) })) }, document);
    none({ ...kept, outline: new Uint8Array([1, 2, 3]) }, document);
    none({ ...kept, outline: encode({ steps: [0], done: 5, runs: ["Main"] }) }, document);
    none({ ...kept, outline: encode({ steps: [0], done: 1, runs: ["another"] }) }, document);
  });

  it("steps of another document", async () => {
    let history = startHistory(welcome());
    const [name = ""] = history.document.nodes.keys();
    const node = history.document.nodes.get(name);
    if (!node) throw new Error("no node");
    const after = { ...node, device: "/job:worker/task:0" };
    const change = { before: node, after, index: 0 };
    history = commit(history, { label: "pin", operations: [{ type: "nodes", changes: [change] }] });
    const draft = new Draft();
    await draft.keep(history);
    const kept = draft.history();
    if (!kept) throw new Error("there is none");
    none(kept, welcome());
    none(kept, documentOf([constant("c", "1")]));
  });

  it("any bytes in place of its own", async () => {
    const draft = await movedDraft(2);
    const kept = draft.history();
    if (!kept) throw new Error("there is none");
    const document = draft.document();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat(2), (bytes, at) => {
        const parts = kept.parts.map((part, index) => (index === at ? { ...part, bytes } : part));
        none(at === 2 ? { ...kept, outline: bytes } : { ...kept, parts }, document);
      }),
      { numRuns: 200 },
    );
  });
});
