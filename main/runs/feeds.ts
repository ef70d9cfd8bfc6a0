/** The feeds of a run, as tensors of the dtypes that the graph expects. */

import { stat } from "node:fs/promises";
import { basename } from "node:path";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { unlessAborted } from "../../worker-runtime/cancellation/unless-aborted.js";
import { parseEdge, tensorName } from "../../worker-runtime/graph/edge.js";
import { UNKNOWN_DIMENSION } from "../../worker-runtime/graph/shape.js";
import {
  type DeclaredShape,
  type FeedFileOptions,
  feedFromBytes,
  feedFromFile,
  feedFromText,
} from "../../worker-runtime/io/feed.js";
import { invalidArgument } from "../../worker-runtime/protocol/status.js";
import type { Tensor } from "../../worker-runtime/protocol/tensor.js";
import type { FeedBatches, FeedValue } from "../api/feeds.js";
import type { RunRequest } from "../api/runs.js";
import { expandHome } from "../documents/directory.js";
import { problem, problemOf } from "../shared/problems.js";
import { batchedFeeds, constantFeeds, type StepFeeds } from "./feed-batches.js";
import { feedFromPixels } from "./feed-pixels.js";
import type { CheckedGraph } from "./graph-check.js";
import { dtypeOfOutput } from "./output-dtype.js";

/** Reads all feeds. @throws ProblemError that names the node whose value cannot be read or does not match. */
export type ReadFeeds = (
  request: Pick<RunRequest, "feeds" | "batches">,
  graph: CheckedGraph,
  signal: AbortSignal,
) => Promise<StepFeeds>;

export const readFeeds: ReadFeeds = async ({ feeds, batches }, graph, signal) => {
  const tensors = new Map<string, Tensor>();
  const batched = new Map<string, Tensor>();
  for (const { name, value } of feeds) {
    const edge = parseEdge(name);
    const output = edge.control ? 0 : edge.output;
    const tensor = tensorName(edge.node, output);
    if (tensors.has(tensor) || batched.has(tensor)) {
      throw problem("INVALID_ARGUMENT", `${edge.node} is fed twice.`, {
        remedy: "Remove one of the two feeds.",
        node: edge.node,
      });
    }
    const node = graph.nodes.get(edge.node);
    const dtype = node && dtypeOfOutput(graph.graphDef.library, node, output);
    const shape = node && declaredShape(node);
    const inBatches = batches !== undefined && value.kind !== "literal" && value.batched === true;
    try {
      if (inBatches) checkBatchSize(shape, batches);
      const wanted = inBatches && shape ? [UNKNOWN_DIMENSION, ...shape.slice(1)] : shape;
      const read = readFeedValue(value, { dtype, shape: wanted, signal });
      (inBatches ? batched : tensors).set(tensor, await unlessAborted(read, signal));
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
  return batches === undefined || batched.size === 0
    ? constantFeeds(tensors)
    : batchedFeeds(tensors, batched, batches);
};

/** A placeholder may take batches of one size only. */
function checkBatchSize(shape: DeclaredShape, { size, dropLast }: FeedBatches): void {
  const [wanted] = shape ?? [UNKNOWN_DIMENSION];
  if (wanted === undefined) throw invalidArgument("It takes a single number, which has no rows.");
  if (wanted === UNKNOWN_DIMENSION) return;
  if (wanted !== size) throw invalidArgument(`It takes ${wanted} rows, but the batches have ${size}.`);
  if (!dropLast && wanted > 1) {
    throw invalidArgument(
      `It takes ${wanted} rows, and the last batch may have fewer. Leave out that batch.`,
    );
  }
}

/** Reads one value as the user gave it. @throws TensorFlowError or ProblemError if it cannot be read or does not fit */
export async function readFeedValue(value: FeedValue, options: FeedFileOptions): Promise<Tensor> {
  switch (value.kind) {
    case "literal":
      return feedFromText(value.text, options);
    case "file":
      await refusePipes(expandHome(value.path));
      return await feedFromFile(expandHome(value.path), { ...options, ...partOf(value) });
    case "content":
      return value.pixels === undefined
        ? feedFromBytes(value.bytes, value.name, { ...options, ...partOf(value) })
        : feedFromPixels(value.bytes, value.pixels, options);
  }
}

function partOf({ column, feature, range, shard }: Exclude<FeedValue, { kind: "literal" }>) {
  return { column, feature, range, shard };
}

/** Reading a pipe or device could block forever. Errors of `stat` are left to the reader to report. */
export async function refusePipes(path: string): Promise<void> {
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
