import type { KeptSession } from "../session-keeper.js";
import type { GraphVariable } from "./variable-graph.js";

/** Those that have a value: reading another one would fail the whole step. */
export async function withValue(
  session: KeptSession,
  variables: readonly GraphVariable[],
  signal: AbortSignal,
): Promise<GraphVariable[]> {
  if (variables.length === 0) return [];
  const { values } = await session.run(
    variables.map(({ check }) => check),
    { signal },
  );
  return variables.filter((_, index) => values[index]?.toArray() === true);
}
