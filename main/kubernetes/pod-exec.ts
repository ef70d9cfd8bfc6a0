/**
 * A command in a container of a pod, through a WebSocket of the API server.
 *
 * The protocol is v4.channel.k8s.io: the first byte of a message is its channel, 0 for the input, 1 and 2 for the two
 * outputs, 3 for the result. It cannot end the input, so a command that reads must know how much.
 */
import { once } from "node:events";
import { PassThrough, type Readable } from "node:stream";
import type { WebSocket } from "ws";
import { z } from "zod";
import { inBackground } from "../../worker-runtime/faults.js";
import { problem } from "../shared/problems.js";
import type { ApiServer } from "./api-server.js";

const PROTOCOL = "v4.channel.k8s.io";
const INPUT = 0;
const OUTPUT = 1;
const ERRORS = 2;
const RESULT = 3;
/** A sender that is faster than the API server takes waits from here on. */
const MOST_BUFFERED_BYTES = 1 << 20;
/** The most of a command's second output that is shown. */
const MOST_ERROR_CHARACTERS = 4000;

export interface PodCommand {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
  /** The beginning of the problem if it cannot be run: "The files cannot be sent to pod a". */
  readonly what: string;
  readonly signal: AbortSignal;
  /** Its input. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** Takes its output; what it does not take waits. */
  readonly onOutput?: (output: Readable) => Promise<void>;
}

export interface PodCommandResult {
  readonly code: number;
  /** The beginning of what it wrote to its second output. */
  readonly errors: string;
}

/** Kubernetes' Status of a command that has ended. */
const resultSchema = z.object({
  status: z.string(),
  message: z.string().optional(),
  details: z
    .object({ causes: z.array(z.object({ reason: z.string(), message: z.string() })).optional() })
    .optional(),
});

/** Resolves when the command has ended. @throws ProblemError if it could not be run, the signal's reason */
export async function execInPod(api: ApiServer, command: PodCommand): Promise<PodCommandResult> {
  const { namespace, pod, container, what, signal, input, onOutput } = command;
  const socket = await api.socket({
    path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/exec`,
    query: { container, command: command.command, stdin: input !== undefined, stdout: true, stderr: true },
    protocols: [PROTOCOL],
    what,
    signal,
  });
  const cut = () => socket.terminate();
  signal.addEventListener("abort", cut, { once: true });
  try {
    const output = new PassThrough();
    const result = resultOf(socket, output);
    const taken = onOutput?.(output) ?? drained(output);
    // Input that it no longer reads is no failure of its own.
    if (input) inBackground(send(socket, input));
    socket.resume();
    const [found] = await Promise.all([result, taken]);
    if (found !== undefined) return found;
    signal.throwIfAborted();
    throw problem("UNAVAILABLE", `${what}.`, {
      reason: "The connection to the pod broke off.",
      remedy: "Check whether the pod still runs.",
    });
  } finally {
    signal.removeEventListener("abort", cut);
    socket.terminate();
  }
}

/** Resolves when the connection has ended; undefined: without a result. */
function resultOf(socket: WebSocket, output: PassThrough): Promise<PodCommandResult | undefined> {
  let errors = "";
  let result: number | undefined;
  socket.on("message", (message: Buffer) => {
    const content = message.subarray(1);
    switch (message[0]) {
      case OUTPUT:
        if (!output.write(content)) socket.pause();
        break;
      case ERRORS:
        if (errors.length < MOST_ERROR_CHARACTERS) errors += content.toString();
        break;
      case RESULT:
        if (content.length === 0) break;
        result = exitCodeOf(content.toString());
        if (result === undefined) errors += content.toString();
        socket.close();
        break;
    }
  });
  output.on("drain", () => socket.resume());
  return new Promise((resolve) => {
    socket.once("close", () => {
      output.end();
      resolve(result === undefined ? undefined : { code: result, errors: errors.trim() });
    });
  });
}

function exitCodeOf(text: string): number | undefined {
  try {
    const { status, details } = resultSchema.parse(JSON.parse(text));
    if (status === "Success") return 0;
    const code = details?.causes?.find(({ reason }) => reason === "ExitCode")?.message;
    return code === undefined ? undefined : Number(code);
  } catch {
    return undefined;
  }
}

async function send(socket: WebSocket, input: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of input) {
    if (socket.readyState !== socket.OPEN) return;
    const framed = Buffer.allocUnsafe(1 + piece.length);
    framed[0] = INPUT;
    framed.set(piece, 1);
    const sent = new Promise<void>((resolve) => socket.send(framed, () => resolve()));
    if (socket.bufferedAmount >= MOST_BUFFERED_BYTES) await sent;
  }
}

async function drained(output: PassThrough): Promise<void> {
  output.resume();
  await once(output, "end");
}
