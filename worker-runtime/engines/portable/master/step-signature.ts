import { DebugOptions } from "../../../../protos/generated/tensorflow/debug.js";
import { invalidArgument } from "../../../protocol/status.js";

/** A tensor that replaces another one (CallableOptions.tensor_connection). */
export interface Connection {
  readonly from: string;
  readonly to: string;
}

/** The feeds, fetches and targets of a step, for which a graph is prepared once. Names are as the client wrote them. */
export interface StepSignature {
  readonly feeds: readonly string[];
  readonly fetches: readonly string[];
  readonly targets: readonly string[];
  readonly connections: readonly Connection[];
  /** RunOptions.experimental.collective_graph_key: collective ops of graphs with one key belong together. */
  readonly collectiveGraphKey: bigint;
  /** The tensors that tfdbg watches, if there are any: RunOptions.debug_options. */
  readonly debug?: DebugOptions | undefined;
}

/** The order of names does not matter, so one signature has one key. */
export function signatureKey({
  feeds,
  fetches,
  targets,
  connections,
  collectiveGraphKey,
  debug,
}: StepSignature): string {
  const sorted = (names: readonly string[]) => [...names].sort();
  return JSON.stringify([
    sorted(feeds),
    sorted(fetches),
    sorted(targets),
    sorted(connections.map(({ from, to }) => `${from}>${to}`)),
    collectiveGraphKey.toString(),
    debug === undefined ? "" : Buffer.from(DebugOptions.encode(debug).finish()).toString("base64"),
  ]);
}

/** Two signatures are written in the same way, without connections and watches. */
export function isSameSignature(one: StepSignature, other: StepSignature): boolean {
  return (
    one.connections.length + other.connections.length === 0 &&
    one.debug === undefined &&
    other.debug === undefined &&
    one.collectiveGraphKey === other.collectiveGraphKey &&
    areSame(one.feeds, other.feeds) &&
    areSame(one.fetches, other.fetches) &&
    areSame(one.targets, other.targets)
  );
}

function areSame(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && names.every((name, index) => name === others[index]);
}

/**
 * @throws TensorFlowError INVALID_ARGUMENT for a step without fetches and targets, or with a tensor that is fed twice.
 */
export function checkSignature({ feeds, fetches, targets, connections }: StepSignature): void {
  if (fetches.length + targets.length === 0) {
    throw invalidArgument("Must specify at least one target to fetch or execute.");
  }
  const given = new Set<string>();
  for (const name of [...feeds, ...connections.map(({ to }) => to)]) {
    if (given.has(name)) {
      throw invalidArgument(`Endpoint "${name}" fed more than once.`);
    }
    given.add(name);
  }
}
