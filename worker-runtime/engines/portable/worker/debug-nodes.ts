/**
 * Watches of tfdbg in a partition: behind each watched tensor a copy and the debug ops that publish it, before any node
 * that uses the tensor, as TensorFlow's DebugNodeInserter adds them.
 */
import type { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import type { OpDef_AttrDef } from "../../../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { stringAttr, stringListAttr, toAttrValue, typeAttr } from "../../../graph/attr-values.js";
import { formatEdge, parseEdge, tensorName } from "../../../graph/edge.js";
import { outputTypes, type SignatureArg } from "../../../graph/node-signature.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { type NodeRole, roleOf } from "../../../graph/structural-ops.js";
import { asTensorFlowError, failedPrecondition, invalidArgument } from "../../../protocol/status.js";
import { parseDebugOp, type TensorWatch, type TensorWatches } from "../debug/tensor-watches.js";
import { KernelNode } from "../kernels/kernel-node.js";
import type { KernelRegistry } from "../kernels/registry.js";

/** The attributes that every debug op of a watch has. */
const WATCH_ATTRS = ["device_name", "tensor_name", "debug_urls"];

/** Dtypes whose values TensorFlow keeps on the host, whatever the node's device. */
const HOST_TYPES: ReadonlySet<DataType> = new Set([DataType.DT_STRING, DataType.DT_RESOURCE]);

/**
 * The nodes that lead into an iteration: a Merge takes whichever comes, so it must not wait for what is published of both,
 * and a loop is recognized by the edges from them.
 */
const LOOP_INPUTS: ReadonlySet<NodeRole> = new Set(["enter", "next-iteration"]);

export interface DebugTools {
  readonly ops: OpRegistry;
  readonly kernels: KernelRegistry;
  /** The full name of the device of nodes that name none. */
  readonly defaultDevice: string;
}

/** How a watched tensor is used by the nodes that read it. */
interface Watched {
  /** The node whose output they read instead; undefined if they read the tensor itself. */
  readonly copy: string | undefined;
  /** The nodes that publish the tensor before they read it. */
  readonly publishers: readonly string[];
}

/**
 * The nodes of a partition with those that publish its watched tensors.
 * @throws TensorFlowError FAILED_PRECONDITION, in TensorFlow's words, for a debug op that does not exist, has no kernel
 *   for the tensor's dtype, or has no such attribute, unless the watch tolerates it.
 */
export function withDebugNodes(
  nodes: readonly NodeDef[],
  watches: TensorWatches,
  tools: DebugTools,
): readonly NodeDef[] {
  const added: NodeDef[] = [];
  const watched = new Map<string, Watched>();
  for (const node of nodes) {
    for (const [output, tensor] of outputTypes(tools.ops.require(node.op), node).entries()) {
      const watch = watches.of(node.name, output);
      if (watch !== undefined && tensor.dtype !== undefined) {
        const made = debugNodesOf(node, output, tensor, tensor.dtype, watch, tools);
        added.push(...made.nodes);
        watched.set(tensorName(node.name, output), made.watched);
      }
    }
  }
  return [...nodes.map((node) => readingCopies(node, watched)), ...added];
}

function debugNodesOf(
  source: NodeDef,
  output: number,
  { isRef }: SignatureArg,
  dtype: DataType,
  watch: TensorWatch,
  tools: DebugTools,
): { readonly nodes: readonly NodeDef[]; readonly watched: Watched } {
  const tensor = formatEdge({ control: false, node: source.name, output });
  const nodes: NodeDef[] = [];
  let input = tensor;
  if (!isRef) {
    // A reference is not copied: its value may not be there yet, and the publishers read it where it is.
    const copy = nodeOf(
      `__copy_${source.name}_${output}`,
      HOST_TYPES.has(dtype) ? "CopyHost" : "Copy",
      tensor,
      source,
    );
    copy.attr.set("T", typeAttr(dtype));
    copy.attr.set("tensor_name", stringAttr(tensorName(source.name, output)));
    nodes.push(copy);
    input = copy.name;
  }
  const publishers: string[] = [];
  for (const [index, debugOp] of watch.debugOps.entries()) {
    try {
      const publisher = publisherOf(source, output, input, dtype, watch, { index, debugOp }, tools);
      nodes.push(publisher);
      publishers.push(publisher.name);
    } catch (error) {
      if (!watch.toleratesFailures) {
        const { message } = asTensorFlowError(error);
        throw failedPrecondition(
          `Failed to create debug node ${debugOp} for tensor ${tensorName(source.name, output)}, due to: ${message}`,
        );
      }
    }
  }
  const isReadFirst = LOOP_INPUTS.has(roleOf(source.op));
  return {
    nodes,
    watched: {
      copy: isRef || isReadFirst ? undefined : input,
      publishers: isReadFirst ? [] : publishers,
    },
  };
}

/** @throws TensorFlowError in TensorFlow's words, if the op cannot watch the tensor. */
function publisherOf(
  source: NodeDef,
  output: number,
  input: string,
  dtype: DataType,
  { debugUrls }: TensorWatch,
  { index, debugOp }: { readonly index: number; readonly debugOp: string },
  { ops, kernels, defaultDevice }: DebugTools,
): NodeDef {
  const { op, attrs } = parseDebugOp(debugOp);
  const tensor = tensorName(source.name, output);
  const opDef = ops.get(op);
  if (opDef === undefined || !WATCH_ATTRS.every((name) => opDef.attr.some((attr) => attr.name === name))) {
    throw failedPrecondition(
      `Failed to create node definition for debug op ${op} on watched tensor ${tensor}`,
    );
  }
  const node = nodeOf(`__dbg_${tensor}_${index}_${op}`, op, input, source);
  node.attr.set("T", typeAttr(dtype));
  node.attr.set("device_name", stringAttr(source.device === "" ? defaultDevice : source.device));
  node.attr.set("tensor_name", stringAttr(tensor));
  node.attr.set("debug_urls", stringListAttr(debugUrls));
  for (const [name, text] of attrs) {
    const attr = opDef.attr.find((one) => one.name === name);
    if (attr === undefined) {
      throw invalidArgument(`1 attribute key(s) were not valid for debug node ${node.name}: ${name}`);
    }
    node.attr.set(name, customAttr(attr, text, node.name));
  }
  if (kernels.find(new KernelNode(node, opDef), "CPU") === undefined) {
    throw failedPrecondition(
      `Failed to find kernel definition for debug op ${debugOp} on watched tensor ${tensor}`,
    );
  }
  return node;
}

const TRUE = new Set(["true", "t", "1"]);
const FALSE = new Set(["false", "f", "0"]);

/** An attribute that a watch writes as text. @throws TensorFlowError INVALID_ARGUMENT in TensorFlow's words */
function customAttr(attr: OpDef_AttrDef, text: string, node: string): AttrValue {
  const invalid = () =>
    invalidArgument(
      `Invalid value string for ${attr.type}-type attribute ${attr.name}of debug node ${node}: "${text}"`,
    );
  switch (attr.type) {
    case "string":
      return stringAttr(text);
    case "float": {
      const value = Number(text.replace(/^([+-]?)inf(inity)?$/i, "$1Infinity"));
      if (Number.isNaN(value)) {
        throw invalid();
      }
      return toAttrValue(attr, value);
    }
    case "bool": {
      const lower = text.toLowerCase();
      if (!TRUE.has(lower) && !FALSE.has(lower)) {
        throw invalid();
      }
      return toAttrValue(attr, TRUE.has(lower));
    }
    default:
      throw invalidArgument(`Unsupported type of custom attribute for debug ops: ${attr.type}`);
  }
}

function nodeOf(name: string, op: string, input: string, { device }: NodeDef): NodeDef {
  return {
    name,
    op,
    input: [input],
    device,
    attr: new Map(),
    experimentalDebugInfo: undefined,
    experimentalType: undefined,
  };
}

/** The node with copies in place of the watched tensors that it reads; it waits until they are published. */
function readingCopies(node: NodeDef, watched: ReadonlyMap<string, Watched>): NodeDef {
  const controls = new Set<string>();
  let isChanged = false;
  const input = node.input.map((text) => {
    const edge = parseEdge(text);
    const found = edge.control ? undefined : watched.get(tensorName(edge.node, edge.output));
    if (found === undefined) {
      return text;
    }
    isChanged = true;
    for (const publisher of found.publishers) {
      controls.add(`^${publisher}`);
    }
    return found.copy ?? text;
  });
  // Iterations that run at once would publish the values of one tensor in any order.
  const isParallel = roleOf(node.op) === "enter" && node.attr.has("parallel_iterations");
  if (!isChanged && !isParallel) {
    return node;
  }
  const attr = isParallel
    ? new Map(node.attr).set("parallel_iterations", { value: { $case: "i", value: 1n } })
    : node.attr;
  return { ...node, input: [...input, ...controls], attr };
}
