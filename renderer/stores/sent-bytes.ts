/** The bytes that a step of the open document sends between tasks, as it is pinned now and as it would be. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { NodePlaces } from "../kernels/node-places.js";
import { type SentBytes, sentBytes } from "../placement/crossings.js";
import { stepNodes, taskNow, tensorSize } from "../placement/document-step.js";
import { ShapeEstimates } from "../placement/estimates.js";
import { lookupFor, useDocument } from "./document-state.js";
import { currentEngines } from "./kernel-store.js";
import { currentMeasurements } from "./placement-input.js";

interface SentChange {
  readonly before: SentBytes;
  readonly after: SentBytes;
}

/** The sources of tensors' sizes, for one state of the document. */
interface Reader {
  readonly nodes: ReadonlyMap<string, NodeDef>;
  /** @param pinned nodes with other devices than in the document */
  sent(pinned: ReadonlyMap<string, NodeDef>): SentBytes;
}

/** Bytes of a tensor by the newest trace or by its shape. */
export function tensorBytes(): (node: NodeDef, output: number) => number {
  const { document, shapes } = useDocument.getState();
  const estimates = new ShapeEstimates(lookupFor(document), shapes);
  const measured = currentMeasurements(document);
  return (node, output) => tensorSize(node, output, estimates, measured).bytes;
}

function newReader(): Reader {
  const { document } = useDocument.getState();
  const lookup = lookupFor(document);
  const inStep = stepNodes(document, lookup);
  const sizeOf = tensorBytes();
  const engines = currentEngines();
  const measured = currentMeasurements(document);
  return {
    nodes: document.nodes,
    sent: (pinned) => {
      const places = new NodePlaces(pinned, lookup, engines);
      return sentBytes(pinned, inStep, (node) => taskNow(node, places, measured), sizeOf);
    },
  };
}

/** Sent in a step with the pins as they are. */
export function sentNow(): SentBytes {
  const reader = newReader();
  return reader.sent(reader.nodes);
}

/** Tells for nodes that are dragged what each device would change; the graph is read once. */
export function sentIfPinned(names: readonly string[]): (device: string) => SentChange {
  const reader = newReader();
  const before = reader.sent(reader.nodes);
  const known = new Map<string, SentChange>();
  return (device) => {
    const change = known.get(device) ?? {
      before,
      after: reader.sent(withDevice(reader.nodes, names, device)),
    };
    known.set(device, change);
    return change;
  };
}

function withDevice(
  nodes: ReadonlyMap<string, NodeDef>,
  names: readonly string[],
  device: string,
): ReadonlyMap<string, NodeDef> {
  const pinned = new Map(nodes);
  for (const name of names) {
    const node = nodes.get(name);
    if (node) pinned.set(name, { ...node, device });
  }
  return pinned;
}
