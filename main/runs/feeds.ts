/** The feeds of a run, as tensors of the dtypes that the graph expects. */
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { parseEdge, tensorName } from "../../worker-runtime/graph/edge.js";
import {
  type DeclaredShape,
  type FeedFileOptions,
  feedFromBytes,
  feedFromFile,
  feedFromText,
} from "../../worker-runtime/io/feed.js";
import type { Tensor } from "../../worker-runtime/protocol/tensor.js";
import type { FeedValue, RunRequest } from "../api/runs.js";
import { expandHome } from "../documents/directory.js";
import { unlessAborted } from "../shared/deferred.js";
import { problem, problemOf } from "../shared/problems.js";
import type { CheckedGraph } from "./graph-check.js";
import { dtypeOfOutput } from "./output-dtype.js";

/** Reads all feeds. @throws ProblemError that names the node whose value cannot be read or does not match. */
export type ReadFeeds = (
  feeds: RunRequest["feeds"],
  graph: CheckedGraph,
  signal: AbortSignal,
) => Promise<Map<string, Tensor>>;

export const readFeeds: ReadFeeds = async (feeds, graph, signal) => {
  const tensors = new Map<string, Tensor>();
  for (const { name, value } of feeds) {
    const edge = parseEdge(name);
    const output = edge.control ? 0 : edge.output;
    const tensor = tensorName(edge.node, output);
    if (tensors.has(tensor)) {
      throw problem("INVALID_ARGUMENT", `${edge.node} is fed twice.`, {
        remedy: "Remove one of the two feeds.",
        node: edge.node,
      });
    }
    const node = graph.nodes.get(edge.node);
    const dtype = node && dtypeOfOutput(graph.graphDef.library, node, output);
    const shape = node && declaredShape(node);
    const options: FeedFileOptions = { dtype, shape, signal };
    try {
      tensors.set(tensor, await unlessAborted(readFeedValue(value, options), signal));
    } catch (error) {
      if (signal.aborted) throw error;
      const { code, message, details } = problemOf(error);
      const isMissing = code === "NOT_FOUND" || code === "PERMISSION_DENIED";
      throw problem(code, `The value for ${edge.node} cannot be ${isMissing ? "read" : "used"}.`, {
        reason: message,
        remedy: isMissing
          ? "Choose another file or column."
          : `Give ${edge.node} a value${dtype === undefined ? "" : ` of dtype ${dtype}`} that fits.`,
        details,
        node: edge.node,
      });
    }
  }
  return tensors;
};

/** Reads one value as the user gave it. @throws TensorFlowError or ProblemError if it cannot be read or does not fit */
export async function readFeedValue(value: FeedValue, options: FeedFileOptions): Promise<Tensor> {
  switch (value.kind) {
    case "literal":
      return feedFromText(value.text, options);
    case "file":
      await refusePipes(expandHome(value.path));
      return await feedFromFile(expandHome(value.path), { ...options, column: value.column });
    case "content":
      return feedFromBytes(value.bytes, value.name, { ...options, column: value.column });
  }
}

/** Reading a pipe or device could block forever. Errors of `stat` are left to the reader to report. */
async function refusePipes(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats || stats.isFile() || stats.isDirectory()) return;
  throw problem("INVALID_ARGUMENT", `"${basename(path)}" is not a file.`);
}

/** The declared shape of a placeholder. Values of other nodes may be replaced by any shape. */
function declaredShape(node: NodeDef): DeclaredShape {
  const shape = node.op.startsWith("Placeholder") ? node.attr.get("shape")?.value : undefined;
  if (shape?.$case !== "shape" || shape.value.unknownRank) return undefined;
  return shape.value.dim.map(({ size }) => Number(size < 0n ? -1n : size));
}
