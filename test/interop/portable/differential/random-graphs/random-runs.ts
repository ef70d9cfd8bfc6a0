/** How many random graphs a test compares, and what it says of those that differ. */
import { readSettings } from "../settings.js";
import type { RandomGraphs } from "./random-graph.js";
import { type Servers, smallest } from "./servers.js";

/** Graphs for each case that the other tests of the harness draw. */
export const GRAPHS_PER_CASE = 10;

const { TENSORDECK_RANDOM_GRAPHS: chosen } = process.env;
const settings = readSettings(process.env);

/** The number of graphs. */
export const count = chosen === undefined ? settings.count * GRAPHS_PER_CASE : Number(chosen);

/** How the same graphs are compared again, for the title of a test. */
export const repeated = `TENSORDECK_RANDOM_GRAPHS=${count} TENSORDECK_SEED=${settings.seed}`;

/**
 * Compares graphs until too many have failed.
 * @param make gives the graph of a seed; `text`, where there is one, is said of a failure.
 * @param compared called after each graph, with what was made and what servers had run before.
 * @returns the failures, with how to repeat each; "" if there are none.
 */
export async function failuresOf<Made extends RandomGraphs & { readonly text?: string }>(
  servers: Servers,
  make: (seed: number) => Made,
  compared: (made: Made, before: Servers["ran"]) => void = () => undefined,
): Promise<string> {
  const failures: string[] = [];
  for (let i = 0; i < count && failures.length < settings.shown; i += 1) {
    const seed = settings.seed + i;
    const made = make(seed);
    const before = { ...servers.ran };
    const found = await servers.differences(made.whole);
    compared(made, before);
    if (found.length === 0) continue;
    const repeat = [
      "TENSORDECK_RANDOM_GRAPHS=1",
      `TENSORDECK_SEED=${seed}`,
      ...(made.text ? [made.text] : []),
    ];
    failures.push(`${repeat.join(" ")}\n${found.join("\n")}\n${await smallest(servers, made)}`);
  }
  return failures.join("\n\n");
}
