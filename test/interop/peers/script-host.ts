import { connect } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { repositoryRoot, spawnPeer, tensorflowPython } from "../../support/peers.js";

const host = path.join(repositoryRoot, "test", "interop", "peers", "script_host.py");

export interface ScriptRequest {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Told every line that the script prints. */
  readonly onLine?: (line: string) => void;
  /** Ends the script. */
  readonly signal?: AbortSignal;
}

/** Runs stock scripts without importing TensorFlow for each. */
export interface ScriptHost {
  /** What the script printed; rejects if it ends with another code than 0, unless it was ended. */
  run(script: string, request?: ScriptRequest): Promise<readonly string[]>;
  stop(): Promise<unknown>;
}

export async function startScriptHost(): Promise<ScriptHost> {
  const peer = await spawnPeer(tensorflowPython(), [host], { ready: /^port (\d+)$/m });
  const port = Number(peer.match?.[1]);
  return {
    stop: () => peer.stop(),
    run: async (script, { args = [], env = {}, onLine, signal } = {}) => {
      const socket = connect(port, "127.0.0.1");
      socket.write(`${JSON.stringify({ script, args, env })}\n`);
      const lines: string[] = [];
      let pid: number | undefined;
      let code: number | undefined;
      const stop = () => {
        if (pid !== undefined && code === undefined) process.kill(pid, "SIGKILL");
      };
      signal?.addEventListener("abort", stop);
      for await (const line of createInterface(socket)) {
        const [, word, number] = /^(pid|exit) (\d+)$/.exec(line) ?? [];
        if (word === "pid") {
          pid = Number(number);
          if (signal?.aborted) stop();
        } else if (word === "exit") {
          code = Number(number);
        } else {
          lines.push(line);
          onLine?.(line);
        }
      }
      signal?.removeEventListener("abort", stop);
      if (code !== 0 && !signal?.aborted) {
        throw new Error(`${script} ended with ${code}:\n${lines.join("\n")}\n${peer.output().slice(-4_000)}`);
      }
      return lines;
    },
  };
}
