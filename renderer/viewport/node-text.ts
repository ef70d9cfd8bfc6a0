/** The texts of a node. Pure. */
import type { FeedValue } from "../../main/api/feeds.js";
import type { NodeRun, TensorPreview } from "../../main/api/runs.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { localDeviceText } from "../../worker-runtime/cluster/device-name.js";
import { atOnce, paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import { attrText, protoShapeText } from "../document/attr-text.js";
import { ARGUMENT, RESULT } from "../document/body-nodes.js";
import { parseInput } from "../document/tensor-names.js";
import { texts } from "../texts/texts.js";
import { durationText, figureText } from "../ui/format.js";

const words = texts.viewport.nodeText;

/** Signs of ops with two inputs, for titles like "x = a + b". */
const SIGNS: Readonly<Record<string, string>> = {
  Add: "+",
  AddV2: "+",
  Sub: "−",
  Mul: "×",
  Div: "÷",
  RealDiv: "÷",
  FloorDiv: "//",
  Mod: "%",
  FloorMod: "%",
  Pow: "^",
  Equal: "=",
  NotEqual: "≠",
  Less: "<",
  LessEqual: "≤",
  Greater: ">",
  GreaterEqual: "≥",
};
const MAX_FORMULA = 16;
const MAX_TITLE = 24;

/** A node's text on its op: arguments and results of a function are no ops to its user. */
export function opTitle({ op }: Pick<NodeDef, "op">): string {
  if (op === ARGUMENT) return words.argument;
  return op === RESULT ? words.result : op;
}

/** "x = a + b" where that is short, the name otherwise; of a long path only its last part. */
export function nodeTitle(node: NodeDef): string {
  const sign = SIGNS[node.op];
  const [left, right, third] = node.input;
  if (sign && left && right && third === undefined && !node.name.includes("/")) {
    const formula = `${node.name} = ${shortInput(left)} ${sign} ${shortInput(right)}`;
    if (formula.length <= MAX_FORMULA) return formula;
  }
  if (node.name.length <= MAX_TITLE) return node.name;
  return `…/${node.name.slice(node.name.lastIndexOf("/") + 1)}`;
}

function shortInput(text: string): string {
  const reference = parseInput(text);
  if (reference.kind !== "data") return text;
  const last = reference.node.slice(reference.node.lastIndexOf("/") + 1);
  return reference.output === 0 ? last : `${last}:${reference.output}`;
}

/** Elements of a small vector that are written out. */
const MAX_SHOWN_ELEMENTS = 4;
/** Letters of a small vector that still stand beside the time. */
const MAX_VECTOR_TEXT = 9;

/** Letters of a single number that still stand beside the time. */
const MAX_NUMBER_TEXT = 8;

/** "11.0", "2.498e-8", "[1, 2, 3]", or the shape of what is too large. */
export function previewText(preview: TensorPreview): string {
  const { shape, values } = preview;
  if (shape.length === 0) return shortNumber(fullPreviewText(preview), preview.dtype);
  if (shape.length === 1 && preview.elementCount <= MAX_SHOWN_ELEMENTS) {
    const text = `[${values.map((value) => elementText(value, preview.dtype)).join(", ")}]`;
    if (text.length <= MAX_VECTOR_TEXT) return text;
  }
  return `[${shape.join(",")}]`;
}

/** As `previewText`, with all digits of a single number. */
export function fullPreviewText(preview: TensorPreview): string {
  return preview.shape.length === 0
    ? elementText(preview.values[0] ?? "", preview.dtype)
    : previewText(preview);
}

/** Cut off, a long number would lose its exponent and be taken for another. */
function shortNumber(text: string, dtype: string): string {
  return text.length > MAX_NUMBER_TEXT && /^b?float/.test(dtype) ? figureText(Number(text)) : text;
}

/** A whole float keeps its ".0", so that it is seen to be one. */
export function elementText(value: string, dtype: string): string {
  if (!/^(b?float|complex)/.test(dtype) || !/^-?\d+$/.test(value)) return value;
  return `${value}.0`;
}

/** The value that a Const was given: its text when short, its shape otherwise. */
export function constText(node: NodeDef): string {
  const attr = node.attr.get("value");
  const value = attr?.value;
  if (value?.$case !== "tensor") return words.noValue;
  const small = value.value.tensorContent.length <= 512 && value.value.stringVal.length <= 8;
  const text = small ? attrText(attr) : undefined;
  // The beginning of a single text says more than its shape.
  const isText = value.value.stringVal.length === 1 && value.value.tensorShape?.dim.length === 0;
  return text !== undefined && (isText || text.length <= 18) ? text : protoShapeText(value.value.tensorShape);
}

export function feedText(feed: FeedValue | undefined): string {
  if (!feed) return words.notFed;
  switch (feed.kind) {
    case "literal":
      return words.fed({ value: feed.text });
    case "file":
      return words.fed({
        value: feed.path.slice(Math.max(feed.path.lastIndexOf("/"), feed.path.lastIndexOf("\\")) + 1),
      });
    case "content":
      return words.fed({ value: feed.name });
  }
}

/** A time of a trace, as the window writes durations. */
export function microsText(micros: number): string {
  return durationText(micros / 1000);
}

/** "CPU:0" of "/job:worker/replica:0/task:0/device:CPU:0". */
export function shortDevice(device: string): string {
  return localDeviceText(device) ?? "";
}

const runsByNode = new WeakMap<readonly NodeRun[], ReadonlyMap<string, NodeRun>>();

export function nodeRunOf(nodes: readonly NodeRun[] | undefined, name: string): NodeRun | undefined {
  if (!nodes) return undefined;
  return (runsByNode.get(nodes) ?? atOnce(slicedRunsByNode(nodes))).get(name);
}

/** Remembered for `nodeRunOf`: of a hundred thousand nodes this would block input. */
export function* slicedRunsByNode(nodes: readonly NodeRun[]): Sliced<ReadonlyMap<string, NodeRun>> {
  const map = new Map<string, NodeRun>();
  yield* paused(nodes, (run) => map.set(run.node, run));
  runsByNode.set(nodes, map);
  return map;
}

const fetchesByName = new WeakMap<readonly TensorPreview[], ReadonlyMap<string, TensorPreview>>();

export function fetchOf(
  fetches: readonly TensorPreview[] | undefined,
  tensor: string,
): TensorPreview | undefined {
  if (!fetches) return undefined;
  let map = fetchesByName.get(fetches);
  if (!map) {
    map = new Map(fetches.map((preview) => [preview.name, preview]));
    fetchesByName.set(fetches, map);
  }
  return map.get(tensor);
}
