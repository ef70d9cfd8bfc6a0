/** The results that are computed of a file before its document is shown: all that showing it would otherwise wait for. */
import type { DocumentFile } from "../../main/api/documents.js";
import type { OpRegistry } from "../../worker-runtime/graph/op-registry.js";
import type { Sliced } from "../../worker-runtime/graph/slices.js";
import { isArranged, NO_WEIGHTS, slicedHierarchy } from "../document/arrangement.js";
import { slicedDocument } from "../document/document-file.js";
import { type Findings, slicedExamination } from "../document/examine.js";
import type { GraphDocument } from "../document/model.js";
import { slicedSuggestion } from "../document/run-inputs.js";
import { slicedWiring } from "../document/wiring.js";
import { lookupFor, opsKnown } from "./document-state.js";
import { useOps } from "./ops-store.js";

export interface OpenedDocument {
  readonly document: GraphDocument;
  readonly findings: Findings;
  /** The op list that the findings are of. */
  readonly ops: OpRegistry;
}

/**
 * @param onArranged called as soon as it is known that the graph is going to be arranged
 * @throws Error that can be shown when the file cannot be read.
 */
export function* slicedOpening(file: DocumentFile, onArranged?: () => void): Sliced<OpenedDocument> {
  const document = yield* slicedDocument(file);
  if (isArranged(document)) onArranged?.();
  // Remembered where they are asked for.
  yield* slicedWiring(document.nodes);
  if (isArranged(document)) yield* slicedHierarchy(document.nodes, NO_WEIGHTS);
  const { ops } = useOps.getState();
  const lookup = lookupFor(document);
  yield* slicedSuggestion(document, lookup);
  return { document, findings: yield* slicedExamination(document, lookup, opsKnown()), ops };
}
