/**
 * Keeps the session of the last run open for the next one, as long as that can share it: the master then neither
 * places nor registers the graph again, and variables keep their values even if only the session holds them.
 */
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { equalLibraries, equalNodes } from "../../worker-runtime/equal-definitions.js";
import { inBackground } from "../../worker-runtime/faults.js";
import type { Session } from "../../worker-runtime/session/session.js";

/** A session, as far as the keeper and the runs need it. */
export type KeptSession = Pick<Session, "run" | "extend" | "close">;

export interface SessionRequest {
  /** Equal for two runs that can share a session: master, members with their incarnations, and configuration. */
  readonly key: string;
  /** Creates the session on its master. */
  readonly open: (graph: GraphDef, signal: AbortSignal) => Promise<KeptSession>;
}

interface Held {
  readonly key: string;
  readonly session: KeptSession;
  graphBytes: Uint8Array;
  graph: GraphDef;
  /**
   * The signatures run in it: the first step of a kind includes the registration of its part of the graph.
   */
  readonly stepsRun: Set<string>;
}

/** A session that is ready for the graph. */
export interface ReadySession {
  readonly session: KeptSession;
  /** True when it was made for this run. */
  readonly isNew: boolean;
  /** Records that these tensors are run; returns whether this is the first time in this session. */
  isFirstStep(signature: string): boolean;
  /** Closes it in the background, so that no later run reuses it. */
  giveUp(): void;
}

export class SessionKeeper {
  #held: Held | undefined;
  /** Sessions that are being closed. */
  readonly #closing = new Set<Promise<void>>();

  async obtain(
    request: SessionRequest,
    graph: GraphDef,
    graphBytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<ReadySession> {
    const held = this.#held;
    if (held && held.key === request.key) {
      const added = addedNodes(held, graph, graphBytes);
      if (added) {
        if (added.node.length > 0) await held.session.extend(added, signal);
        held.graph = graph;
        held.graphBytes = graphBytes;
        return this.#ready(held, false);
      }
    }
    this.discard();
    const session = await request.open(graph, signal);
    this.#held = { key: request.key, session, graph, graphBytes, stepsRun: new Set() };
    return this.#ready(this.#held, true);
  }

  /** Drops the session; it is closed in the background. */
  discard(): void {
    const held = this.#held;
    this.#held = undefined;
    if (!held) return;
    const closing = held.session.close().catch(() => undefined);
    this.#closing.add(closing);
    inBackground(closing.then(() => this.#closing.delete(closing)));
  }

  /** Resolves when every session is closed. */
  async dispose(): Promise<void> {
    this.discard();
    await Promise.all(this.#closing);
  }

  #ready(held: Held, isNew: boolean): ReadySession {
    return {
      session: held.session,
      isNew,
      isFirstStep: (signature) => {
        const isFirst = !held.stepsRun.has(signature);
        held.stepsRun.add(signature);
        return isFirst;
      },
      giveUp: () => {
        if (this.#held === held) this.discard();
      },
    };
  }
}

/** The nodes added since the previous graph; undefined when something was changed or removed. */
function addedNodes(held: Held, graph: GraphDef, graphBytes: Uint8Array): GraphDef | undefined {
  if (Buffer.compare(held.graphBytes, graphBytes) === 0) return GraphDef.create();
  // A changed function is a changed graph, wherever it is called.
  if (!equalLibraries(held.graph.library, graph.library)) return undefined;
  const now = new Map(graph.node.map((node) => [node.name, node]));
  for (const before of held.graph.node) {
    const node = now.get(before.name);
    if (!node || !equalNodes(before, node)) return undefined;
    now.delete(before.name);
  }
  return GraphDef.fromPartial({
    node: [...now.values()],
    ...(graph.versions ? { versions: graph.versions } : {}),
  });
}
