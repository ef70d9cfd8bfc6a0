/** The scripts of other machines that run on this one. */

import { rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { ScriptMessage } from "../../protos/generated/tensordeck/agent.js";
import { LinkedAbortController } from "../../worker-runtime/cancellation/linked-abort-controller.js";
import { inBackground } from "../../worker-runtime/faults.js";
import { problem } from "../shared/problems.js";
import { once, type Room } from "../shared/room.js";
import { join as joinSockets } from "../shared/sockets/relay.js";
import type { Ports } from "../tasks/ports.js";
import { HostedJob } from "./remote/hosted-job.js";
import { readLink } from "./remote/script-link.js";
import { MessageReader, requestSchema } from "./remote/script-protocol.js";

export interface ScriptsOptions {
  /** Folder for the jobs, contents and environments of scripts. */
  readonly folder: string;
  readonly ports: Pick<Ports, "takeExactly" | "release">;
  /** Whether the network may reach tasks that other machines start here. */
  readonly mayExpose: () => boolean;
  /** Whether a machine may run scripts here. */
  readonly mayRun: (deviceId: string) => boolean;
  /** Calls the listener when the answers of `mayRun` may have changed, until the returned function is called. */
  readonly onTrust: (listener: () => void) => () => void;
}

interface Running {
  readonly caller: string;
  readonly job: HostedJob;
  readonly over: AbortController;
  readonly done: Promise<void>;
}

export interface ScriptsRoom extends Room<Record<never, never>> {
  /** See `ScriptRunner`. */
  run(
    caller: string,
    messages: AsyncIterable<ScriptMessage>,
    send: (message: ScriptMessage) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Takes over a connection between tasks, which another machine has opened. */
  serve(peer: { readonly deviceId: string; readonly socket: Socket }): void;
  /** Whether a machine has a job here. */
  admits(peer: { readonly deviceId: string }): boolean;
  /** The scripts that a machine runs here, as paths within their folders. */
  scriptsOf(deviceId: string): string[];
}

export function createScripts(options: ScriptsOptions): ScriptsRoom {
  const { folder, ports, mayExpose, mayRun, onTrust } = options;
  const running = new Set<Running>();
  // Removes the remains of a crash.
  const cleaned = rm(join(folder, "jobs"), { recursive: true, force: true });
  cleaned.catch(() => undefined);
  const stopListening = onTrust(() => {
    for (const { caller, over } of running) {
      if (!mayRun(caller))
        over.abort(problem("PERMISSION_DENIED", "The machine no longer runs scripts of this one."));
    }
  });

  const run: ScriptsRoom["run"] = async (caller, messages, send, signal) => {
    await cleaned.catch(() => undefined);
    const over = new LinkedAbortController(signal);
    const job = new HostedJob({ folder, caller, ports, mayExpose, send, signal: over.signal });
    const work = async () => {
      try {
        await job.serve(new MessageReader(messages, requestSchema, over.signal));
      } finally {
        await job.close();
      }
    };
    const done = work();
    const entry = { caller, job, over, done };
    running.add(entry);
    try {
      await done;
    } finally {
      running.delete(entry);
      over.abort();
    }
  };

  const connect = async (deviceId: string, socket: Socket): Promise<void> => {
    try {
      const header = await readLink(socket);
      const found = [...running].find(({ caller, job }) => caller === deviceId && job.id === header?.jobId);
      if (!header || !found) throw problem("NOT_FOUND", "There is no such job.");
      if (header.kind === "task") joinSockets(socket, await found.job.connect(header.port));
      else if (!found.job.takeOver(header.connection, socket)) socket.destroy();
    } catch {
      socket.destroy();
    }
  };

  const endWork = once(async () => {
    stopListening();
    const ending = [...running];
    for (const { over } of ending) over.abort(problem("UNAVAILABLE", "Tensordeck is shutting down."));
    await Promise.allSettled(ending.map(({ done }) => done));
  });
  return {
    handlers: {},
    run,
    serve: ({ deviceId, socket }) => {
      socket.on("error", () => undefined);
      inBackground(connect(deviceId, socket));
    },
    admits: ({ deviceId }) => mayRun(deviceId) && [...running].some(({ caller }) => caller === deviceId),
    scriptsOf: (deviceId) =>
      [...running].flatMap(({ caller, job }) => (caller === deviceId ? (job.script ?? []) : [])),
    endWork,
    dispose: endWork,
  };
}
