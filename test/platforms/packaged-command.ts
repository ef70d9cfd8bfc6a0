/** The command `tensordeck` of an installed desktop package, which the packaged Node runs. */
import assert from "node:assert/strict";
import type { PeerProcess } from "../support/processes.js";
import { useWorker } from "./stock/stock-clients.js";

export interface PackagedCommand {
  run(args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }>;
  start(args: readonly string[], options: { readonly ready: RegExp }): Promise<PeerProcess>;
  /** The path here of a file there. */
  file(path: string): string;
}

/** It says that there is no TensorFlow, computes without it, and is a worker for a stock client. */
export async function useCommand(command: PackagedCommand): Promise<void> {
  const list = await command.run(["runtime", "list"]);
  assert.match(list.output, /^No libtensorflow was found\. Install one/m);
  const run = await command.run(["run", "example:welcome"]);
  assert.match(run.output, /^z:0 +float32 \[\]\n11\.0$/m, run.output);
  const machine = {
    tensordeck: (args: readonly string[], { ready }: { readonly ready: RegExp }) =>
      command.start(args, { ready }),
    file: (path: string) => command.file(path),
  };
  await useWorker(machine, "portable");
}
