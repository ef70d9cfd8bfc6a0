/** Stock TensorFlow clients and servers on the hosts of a test's network. */
import { join } from "node:path";
import { repositoryRoot, tensorflowPython } from "../../support/peers.js";
import { environmentWithoutProxies, type PeerProcess } from "../../support/processes.js";
import type { Host } from "./network.js";

const SCRIPTS = join(repositoryRoot, "test", "interop", "scripts");
const env = { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "2", CUDA_VISIBLE_DEVICES: "-1" };

/** Runs one of the interop scripts, as it is, on a host; what it printed to stdout. Fails with all output if it does. */
export async function runScriptOn(host: Host, name: string, args: readonly string[]): Promise<string> {
  return await host.run(tensorflowPython(), [join(SCRIPTS, name), ...args], { env });
}

/** Runs a program, given as text, with the test Python on a host; what it printed to stdout. */
export async function runPythonOn(host: Host, program: string, args: readonly string[]): Promise<string> {
  return await host.run(tensorflowPython(), ["-c", program, ...args], { env });
}

/** Starts a `tf.distribute.Server` of one task, as somebody without Tensordeck does; resolves when it serves. */
export async function startServerOn(host: Host, job: string, address: string): Promise<PeerProcess> {
  const program = `
import signal, sys, tensorflow as tf
tf.distribute.Server({sys.argv[1]: [sys.argv[2]]}, job_name=sys.argv[1], task_index=0)
print("serves", flush=True)
signal.pause()`;
  return await host.spawn(tensorflowPython(), ["-c", program, job, address], {
    env,
    ready: /serves/,
  });
}
