import { createInterface } from "node:readline";
import { environmentWithoutProxies, spawnPeer, tensorflowPython } from "../../support/peers.js";

export interface ScriptRequest {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Told every line that the script prints. */
  readonly onLine?: (line: string) => void;
  /** Ends the script. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a stock script to its end.
 * @returns the lines that it printed.
 * @throws Error with its output if it ends with another code than 0, unless it was ended.
 */
export async function linesOfScript(
  script: string,
  { args = [], env = {}, onLine, signal }: ScriptRequest = {},
): Promise<readonly string[]> {
  const environment = { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "2", ...env };
  const peer = await spawnPeer(tensorflowPython(), [script, ...args], { env: environment });
  const stop = () => void peer.stop("SIGKILL");
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  const lines: string[] = [];
  if (peer.child.stdout !== null) {
    createInterface(peer.child.stdout).on("line", (line) => {
      lines.push(line);
      onLine?.(line);
    });
  }
  const { code } = await peer.exited;
  signal?.removeEventListener("abort", stop);
  if (code !== 0 && !signal?.aborted) {
    throw new Error(`${script} ended with ${code}:\n${peer.output().slice(-6_000)}`);
  }
  return lines;
}
