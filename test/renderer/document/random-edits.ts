/** Random edits, for properties that hold after any sequence of them. */
import { addNode } from "../../../renderer/document/edits/add.js";
import {
  addAnnotation,
  changeAnnotation,
  deleteAnnotation,
  moveAnnotation,
} from "../../../renderer/document/edits/annotate.js";
import { setAttr } from "../../../renderer/document/edits/attrs.js";
import { connect, disconnect } from "../../../renderer/document/edits/connect.js";
import { insertOnEdge } from "../../../renderer/document/edits/insert-on-edge.js";
import { clipOf, paste } from "../../../renderer/document/edits/paste.js";
import { moveNodes, pin } from "../../../renderer/document/edits/place.js";
import { bypassNodes, deleteNodes } from "../../../renderer/document/edits/remove.js";
import { moveToScope, rename } from "../../../renderer/document/edits/rename.js";
import {
  addRunConfig,
  chooseRunConfig,
  duplicateRunConfig,
  removeRunConfig,
  renameRunConfig,
  setDefaultRunConfig,
} from "../../../renderer/document/edits/run-configs.js";
import { setFeed, toggleFetch } from "../../../renderer/document/edits/run-settings.js";
import type { EditResult } from "../../../renderer/document/edits/types.js";
import { commit, type History } from "../../../renderer/document/history.js";
import type { GraphDocument } from "../../../renderer/document/model.js";
import fc from "../../support/seeded-check.js";
import { lookup, type } from "./graphs.js";

/** The history after an edit; as it was where the edit is refused. */
export function doEdit(history: History, result: EditResult): History {
  return result.ok ? commit(history, result.transaction) : history;
}

export type Step = (document: GraphDocument) => EditResult;

/** Any edit of a document, often one that is refused. */
export const step: fc.Arbitrary<Step> = fc
  .record({ kind: fc.nat(18), pick: fc.nat(50), other: fc.nat(50), x: fc.integer({ min: -500, max: 500 }) })
  .map(({ kind, pick, other, x }): Step => {
    return (document) => {
      const names = [...document.nodes.keys()];
      const name = names[pick % Math.max(1, names.length)] ?? "";
      const second = names[other % Math.max(1, names.length)] ?? "";
      const steps: readonly (() => EditResult)[] = [
        () =>
          addNode(document, lookup, ["Mul", "Const", "Pack", "NoOp", "Cast"][pick % 5] ?? "Mul", { x, y: x }),
        () => deleteNodes(document, [name, second]),
        () => rename(document, name, `n${pick}_${other}`),
        () => connect(document, lookup, { node: name, output: 0 }, { node: second, input: other % 2 }),
        () => disconnect(document, [{ node: name, input: 0 }]),
        () => pin(document, [name, second], `/job:worker/task:${pick % 2}`),
        () => moveNodes(document, new Map([[name, { x, y: pick }]])),
        () => setAttr(document, lookup, name, "dtype", type(pick % 2 === 0 ? "int32" : "float64")),
        () => toggleFetch(document, `${name}:0`),
        () => {
          const clip = clipOf(document, new Set([name, second]));
          return clip
            ? paste(document, clip, { x, y: 0 }, "paste")
            : setFeed(document, "a:0", { kind: "literal", text: "1" });
        },
        () => (pick % 2 === 0 ? addRunConfig(document) : duplicateRunConfig(document, document.defaultRun)),
        () => chooseRunConfig(document, document.otherRuns[pick % 3]?.name ?? ""),
        () => removeRunConfig(document, document.otherRuns[pick % 3]?.name ?? document.runConfig.name),
        () =>
          pick % 2 === 0
            ? renameRunConfig(document, document.runConfig.name, `run ${other}`)
            : setDefaultRunConfig(document, document.runConfig.name),
        () => {
          const id = document.annotations[pick % Math.max(1, document.annotations.length)]?.id ?? "";
          if (other % 3 === 0) return deleteAnnotation(document, id);
          return other % 3 === 1
            ? changeAnnotation(document, id, { text: `t${pick}`, width: 100 + pick })
            : moveAnnotation(document, id, { x, y: pick }, [name]);
        },
        () =>
          addAnnotation(document, {
            kind: pick % 2 === 0 ? "frame" : "note",
            text: "",
            colour: "none",
            at: { x, y: pick },
            width: 200,
            height: 100,
          }),
        () => moveToScope(document, [name, second], pick % 3 === 0 ? "" : `s${pick % 3}`),
        () => bypassNodes(document, lookup, [name, second]),
        () =>
          insertOnEdge(document, lookup, pick % 2 ? "Neg" : "Mul", { node: name, input: 0 }, { x, y: pick }),
      ];
      const run = steps[kind];
      if (!run) throw new Error("no such step");
      return run();
    };
  });
