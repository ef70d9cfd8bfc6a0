/** `tensordeck worker` as a child process, with the library of the test Python. */
import path from "node:path";
import { START_FLAGS } from "../../worker-runtime/engines/portable/v8-flags.js";
import {
  environmentWithoutProxies,
  libtensorflowDir,
  type PeerProcess,
  repositoryRoot,
  spawnPeer,
} from "../support/peers.js";
import { linesOfScript } from "./peers/lines-of-script.js";

export const command = path.join(repositoryRoot, "build", "bin", "tensordeck.mjs");
export const scripts = path.join(repositoryRoot, "test", "interop", "scripts");

/** Our environment, in which the command finds the test Python's library and is told no cluster. */
export function workerEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return environmentWith({ TENSORDECK_LIBTENSORFLOW: libtensorflowDir(), ...more });
}

/** A portable worker is tested where there is no library, too. */
function environmentFor(args: readonly string[], more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const needsNone = /--engine[ =]portable/.test(args.join(" ")) || "TENSORDECK_LIBTENSORFLOW" in more;
  return needsNone ? environmentWith(more) : workerEnvironment(more);
}

/** Our environment, in which the command is told neither a library nor a cluster. */
export function environmentWith(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const env = { ...environmentWithoutProxies(), ...more };
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => more[name] !== undefined || name !== "TF_CONFIG"),
  );
}

export interface StartedWorker extends PeerProcess {
  readonly target: string;
}

/** Starts a worker with the flags that the application gives it. Resolves once the worker has printed its target. */
export async function startWorker(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<StartedWorker> {
  const peer = await spawnPeer(process.execPath, [...START_FLAGS, command, "worker", ...args], {
    ready: /^target (grpc:\/\/\S+)$/m,
    env: environmentFor(args, env),
  });
  return Object.assign(peer, { target: peer.match?.[1] ?? "" });
}

export interface Finished {
  readonly code: number | null;
  readonly output: string;
}

/** Runs the command to its end. */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const peer = await spawnPeer(process.execPath, [command, ...args], { env: environmentFor(args, env) });
  const { code } = await peer.exited;
  return { code, output: peer.output() };
}

/** Runs one of the scripts with the test Python; what it printed to stdout. Fails with all output if it does. */
export async function runScript(name: string, args: readonly string[]): Promise<string> {
  const lines = await linesOfScript(path.join(scripts, name), { args });
  return lines.map((line) => `${line}\n`).join("");
}
