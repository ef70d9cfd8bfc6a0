/**
 * The difference of two states of a document, as a draft keeps it. Nodes are immutable and shared between states, so
 * comparing them costs little; what is written out is written in slices, so that the window goes on meanwhile.
 */
import type { DraftChange } from "../../main/api/drafts.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { differingKeys } from "./differing-keys.js";
import { writeWithoutNodes } from "./document-file.js";
import { SLICE_MILLIS, type Yield } from "./in-slices.js";
import { joined } from "./joined-bytes.js";
import type { GraphDocument } from "./model.js";
import { withPosition } from "./node-places.js";

/** Nodes that are written between two checks of the clock. */
const NODES_AT_ONCE = 50;

const NO_NODES = GraphDef.fromPartial({});

/** The whole document as one change of nothing. */
export async function wholeDraft(document: GraphDocument, pause: Yield): Promise<DraftChange> {
  const writer = new NodeWriter(document, pause);
  const nodes = await writer.write([...document.nodes.values()]);
  return {
    removed: [],
    changed: new Uint8Array(0),
    added: nodes.length === 0 ? [] : [{ after: "", nodes }],
    rest: MetaGraphDef.encode(writeWithoutNodes(document)).finish(),
  };
}

/** The change that turns `before` into `after`; undefined when they are the same, or only kept differently. */
export async function draftChange(
  before: GraphDocument,
  after: GraphDocument,
  pause: Yield,
): Promise<DraftChange | undefined> {
  const { removed, changed, added } = nodeDifference(before, after);
  const rest = sameRest(before, after) ? undefined : MetaGraphDef.encode(writeWithoutNodes(after)).finish();
  if (removed.length + changed.length + added.length === 0 && rest === undefined) return undefined;
  const writer = new NodeWriter(after, pause);
  return {
    removed,
    changed: await writer.write(changed),
    added: await writer.writeRuns(added),
    ...(rest === undefined ? {} : { rest }),
  };
}

/** Consecutive new nodes, and the old node in front of them; "" for none. */
interface Run {
  readonly after: string;
  readonly nodes: NodeDef[];
}

interface NodeDifference {
  readonly removed: string[];
  readonly changed: readonly NodeDef[];
  readonly added: readonly Run[];
}

/** No edit changes the order of existing nodes, so the positions of the new ones are sufficient. */
function nodeDifference(before: GraphDocument, after: GraphDocument): NodeDifference {
  const names = new Set([
    ...differingKeys(before.nodes, after.nodes),
    ...differingKeys(before.layout, after.layout),
  ]);
  const changed = [...names].flatMap((name) => {
    const node = before.nodes.has(name) ? after.nodes.get(name) : undefined;
    return node ? [node] : [];
  });
  const isNew = (name: string) => names.has(name) && !before.nodes.has(name);
  const added = [...names].some((name) => isNew(name) && after.nodes.has(name)) ? runsOf(after, isNew) : [];
  const removed = [...names].filter((name) => before.nodes.has(name) && !after.nodes.has(name));
  return { removed, changed, added };
}

function runsOf({ nodes }: GraphDocument, isNew: (name: string) => boolean): Run[] {
  const runs: Run[] = [];
  let last = "";
  for (const [name, node] of nodes) {
    if (!isNew(name)) {
      last = name;
      continue;
    }
    const run = runs.at(-1);
    if (run?.after === last) run.nodes.push(node);
    else runs.push({ after: last, nodes: [node] });
  }
  return runs;
}

function sameRest(before: GraphDocument, after: GraphDocument): boolean {
  return (
    before.metaGraph === after.metaGraph &&
    before.runConfig === after.runConfig &&
    before.otherRuns === after.otherRuns &&
    before.defaultRun === after.defaultRun &&
    before.cluster === after.cluster &&
    before.annotations === after.annotations
  );
}

class NodeWriter {
  readonly #document: GraphDocument;
  readonly #pause: Yield;
  #sliceEnds = performance.now() + SLICE_MILLIS;

  constructor(document: GraphDocument, pause: Yield) {
    this.#document = document;
    this.#pause = pause;
  }

  async writeRuns(runs: readonly Run[]): Promise<DraftChange["added"]> {
    const written: DraftChange["added"] = [];
    for (const { after, nodes } of runs) written.push({ after, nodes: await this.write(nodes) });
    return written;
  }

  /** A serialized GraphDef of the nodes: messages of the same type that follow each other are one message. */
  async write(nodes: readonly NodeDef[]): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let start = 0; start < nodes.length; start += NODES_AT_ONCE) {
      const node = nodes.slice(start, start + NODES_AT_ONCE).map((def) => this.#placed(def));
      parts.push(GraphDef.encode({ ...NO_NODES, node }).finish());
      if (performance.now() < this.#sliceEnds) continue;
      await this.#pause();
      this.#sliceEnds = performance.now() + SLICE_MILLIS;
    }
    return joined(parts);
  }

  #placed(node: NodeDef): NodeDef {
    const position = this.#document.layout.get(node.name);
    return position ? withPosition(node, position) : node;
  }
}
