/** Writes the open graph in forms that other programs read. */
import type { FeedValue } from "../../main/api/feeds.js";
import { ProblemError } from "../../main/api/wire.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { isRecordFileName } from "../../worker-runtime/graph/record-file-name.js";
import type { ScriptFeed, ScriptPixels, ScriptRun } from "../../worker-runtime/graph/scripts/run-part.js";
import { runningCluster } from "../cluster/running-cluster.js";
import { placeholderDType, placeholderShape } from "../document/feed-fit.js";
import { MISSING_INPUT } from "../document/model.js";
import { parseTensorName } from "../document/tensor-names.js";
import { useCluster } from "../stores/cluster-store.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { texts } from "../texts/texts.js";
import { downloadFile } from "../ui/download.js";
import { baseNameOf } from "./file-actions.js";

const words = texts.actions.exportActions;

export type ScriptLanguage = "python" | "typescript";

/** The endings of image files, which a run reads itself. */
const IMAGE_ENDINGS: readonly string[] = [".bmp", ".gif", ".jpeg", ".jpg", ".png"];

const ENDINGS = { python: "py", typescript: "ts" } as const;

/**
 * Downloads a script that builds the graph, node by node, and runs it as the window does, on the running tasks.
 * Rejects with a ProblemError if an input is missing.
 */
export async function exportScript(language: ScriptLanguage): Promise<void> {
  const { document } = useDocument.getState();
  const unfinished = [...document.nodes.values()].find(({ input }) => input.includes(MISSING_INPUT));
  if (unfinished) {
    throw new ProblemError({
      code: "FAILED_PRECONDITION",
      message: words.unfinished.message({ node: unfinished.name }),
      remedy: words.unfinished.remedy,
      node: unfinished.name,
    });
  }
  refuseUnreadableFeeds();
  const { graphDef = GraphDef.fromPartial({}) } = MetaGraphDef.decode(documentActions.toMetaGraph());
  const text = await scriptText(language, graphDef, currentRun());
  downloadFile(new Blob([text], { type: "text/plain" }), `${baseNameOf(document.name)}.${ENDINGS[language]}`);
}

/**
 * Scripts read whole files only, and have images that were chosen in the window in them.
 *
 * @throws ProblemError naming the first feed that is neither
 */
function refuseUnreadableFeeds(): void {
  const { nodes } = useDocument.getState().document;
  for (const { name, value } of documentActions.runInputs(2).feeds) {
    const reason = unreadable(value, nodes.get(parseTensorName(name).node));
    if (reason === undefined) continue;
    throw new ProblemError({
      code: "FAILED_PRECONDITION",
      message: words.unreadableFeed[reason]({ tensor: name }),
      remedy: words.unreadableFeed.remedy,
      node: parseTensorName(name).node,
    });
  }
}

function unreadable(
  value: FeedValue,
  node: NodeDef | undefined,
): "images" | "pixels" | "batches" | "rows" | undefined {
  if (value.kind === "literal") return undefined;
  if (value.kind === "content" && value.pixels) return pixelDType(node) === undefined ? "pixels" : undefined;
  if (value.kind === "file") {
    // A path without an ending is a folder's.
    const ending = /\.[^./\\]+$/.exec(value.path)?.[0];
    if (ending === undefined || IMAGE_ENDINGS.includes(ending.toLowerCase())) return "images";
  }
  if (value.batched) return "batches";
  return value.shard !== undefined || value.range !== undefined ? "rows" : undefined;
}

/** The dtype of a placeholder that a script feeds images; undefined for others. */
function pixelDType(node: NodeDef | undefined): ScriptPixels["dtype"] | undefined {
  const dtype = node && placeholderDType(node);
  return dtype === "float32" || dtype === "uint8" ? dtype : undefined;
}

/** The writers are loaded when they are needed first. */
async function scriptText(language: ScriptLanguage, graph: GraphDef, run: ScriptRun): Promise<string> {
  const { ops } = useOps.getState();
  if (language === "python") {
    const { pythonGraphScript } = await import("../../worker-runtime/graph/scripts/python-graph.js");
    return pythonGraphScript(graph, run, ops);
  }
  const { typescriptGraphScript } = await import("../../worker-runtime/graph/scripts/typescript-graph.js");
  return typescriptGraphScript(graph, run, ops);
}

/** The run that a click on Run begins. */
function currentRun(): ScriptRun {
  const { nodes, runConfig } = useDocument.getState().document;
  // As for several steps: a single one also fetches what the canvas shows on the way.
  const { feeds, fetches, targets } = documentActions.runInputs(2);
  const cluster = runningCluster(useCluster.getState().state);
  const asFeed = (name: string, value: FeedValue): ScriptFeed => {
    if (value.kind === "literal") return value;
    const { column, feature } = value;
    const node = nodes.get(parseTensorName(name).node);
    const dtype = pixelDType(node);
    if (value.kind === "content" && value.pixels && dtype !== undefined)
      return { kind: "pixels", bytes: value.bytes, dtype, ...value.pixels };
    const declared = node && placeholderShape(node)?.slice(1);
    // A script in Python does not look into the file for it.
    const shape = feature?.shape ?? (declared?.every((size) => size >= 0) ? declared : undefined);
    const path = value.kind === "file" ? value.path : value.name;
    const isRecords = feature !== undefined || isRecordFileName(path);
    return {
      kind: "file",
      path,
      ...(column === undefined ? {} : { column }),
      ...(isRecords ? { feature: { ...feature, ...(shape && { shape }) } } : {}),
    };
  };
  return {
    fetches,
    targets,
    initialisers: documentActions.initialisation().targets,
    feeds: Object.fromEntries(feeds.map(({ name, value }) => [name, asFeed(name, value)])),
    steps: runConfig.steps,
    ...(cluster ? { cluster } : {}),
  };
}
