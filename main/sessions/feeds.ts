/** The values that a run is fed, as tensors of the dtypes that the graph takes. */
import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { parseEdge, tensorName } from "../../worker-runtime/graph/edge.js";
import { outputTypes } from "../../worker-runtime/graph/node-signature.js";
import { bundledOpRegistry } from "../../worker-runtime/graph/op-registry.js";
import {
  type DeclaredShape,
  type FeedFileOptions,
  feedFromBytes,
  feedFromFile,
  feedFromText,
} from "../../worker-runtime/io/feed.js";
import { type DType, dtypeOf } from "../../worker-runtime/protocol/dtype.js";
import type { Tensor } from "../../worker-runtime/protocol/tensor.js";
import type { FeedValue, RunRequest } from "../api/runs.js";
import { expandHome } from "../files/directory.js";
import { problem, problemOf } from "../problems.js";
import type { CheckedGraph } from "./graph-check.js";

/** Reads all feeds. @throws ProblemError that names the node whose value cannot be read or does not fit. */
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
        remedy: "Take one of the two feeds away.",
        node: edge.node,
      });
    }
    const node = graph.nodes.get(edge.node);
    const dtype = node && dtypeOfOutput(graph, node, output);
    const shape = node && declaredShape(node);
    const options: FeedFileOptions = { dtype, shape, signal };
    try {
      tensors.set(tensor, await readFeed(value, options));
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

async function readFeed(value: FeedValue, options: FeedFileOptions): Promise<Tensor> {
  switch (value.kind) {
    case "literal":
      return feedFromText(value.text, options);
    case "file":
      return await feedFromFile(expandHome(value.path), { ...options, column: value.column });
    case "content":
      return feedFromBytes(value.bytes, value.name, { ...options, column: value.column });
  }
}

/** The dtype of a node's output; undefined for an op that is not known here. */
function dtypeOfOutput({ graphDef }: CheckedGraph, node: NodeDef, output: number): DType | undefined {
  const opDef = bundledOpRegistry().withFunctions(graphDef.library).get(node.op);
  if (!opDef) return typeOfAttr(node.attr.get("dtype"));
  const outputs = outputTypes(opDef, node);
  const signature = outputs[output];
  if (!signature) {
    throw problem("INVALID_ARGUMENT", `${node.name} has no output ${output}.`, {
      reason: `Its op ${node.op} has ${outputs.length}.`,
    });
  }
  return signature.dtype === undefined ? undefined : dtypeOf(signature.dtype);
}

function typeOfAttr(attr: AttrValue | undefined): DType | undefined {
  return attr?.value?.$case === "type" ? dtypeOf(attr.value.value) : undefined;
}

/** The shape that a placeholder says it takes. Other nodes' values may be replaced by any. */
function declaredShape(node: NodeDef): DeclaredShape {
  const shape = node.op.startsWith("Placeholder") ? node.attr.get("shape")?.value : undefined;
  if (shape?.$case !== "shape" || shape.value.unknownRank) return undefined;
  return shape.value.dim.map(({ size }) => Number(size < 0n ? -1n : size));
}
