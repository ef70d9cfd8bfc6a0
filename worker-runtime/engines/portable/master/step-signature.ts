import { invalidArgument } from "../../../protocol/status.js";

/** A tensor that takes the place of another one, as CallableOptions.tensor_connection says. */
export interface Connection {
  readonly from: string;
  readonly to: string;
}

/** What a step is given and what it has to give: a graph is prepared for it once. Names are as the client wrote them. */
export interface StepSignature {
  readonly feeds: readonly string[];
  readonly fetches: readonly string[];
  readonly targets: readonly string[];
  readonly connections: readonly Connection[];
  /** RunOptions.experimental.collective_graph_key: collective ops of graphs with one key belong together. */
  readonly collectiveGraphKey: bigint;
}

/** The order of names does not matter, so one signature has one key. */
export function signatureKey({
  feeds,
  fetches,
  targets,
  connections,
  collectiveGraphKey,
}: StepSignature): string {
  const sorted = (names: readonly string[]) => [...names].sort();
  return JSON.stringify([
    sorted(feeds),
    sorted(fetches),
    sorted(targets),
    sorted(connections.map(({ from, to }) => `${from}>${to}`)),
    collectiveGraphKey.toString(),
  ]);
}

/** @throws TensorFlowError INVALID_ARGUMENT for a step that asks for nothing, or is given a tensor twice. */
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
