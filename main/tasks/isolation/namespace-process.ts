/**
 * The process that lives in the network namespace of isolated tasks. It creates sockets there and passes them to the
 * application, which runs outside: a socket belongs to the namespace in which it was created, no matter which process
 * holds it. So tunnelled connections take no detour. Only connections of local programs are carried to the tasks by
 * this process, which spares the application that work.
 *
 * It ends with the application: the channel between the two closes.
 */
import { Socket } from "node:net";
import { inBackground, surviveFaults } from "../../../worker-runtime/faults.js";
import { connectLoopback, LoopbackServer } from "../../shared/sockets/loopback.js";
import { join, reset } from "../../shared/sockets/relay.js";
import { bringLoopbackUp } from "./interface-up.js";
import type { NamespaceMessage, NamespaceRequest } from "./namespace-messages.js";

const listeners = new Map<number, LoopbackServer>();

function tell(message: NamespaceMessage, socket?: Socket): void {
  // The end of the application is noticed by "disconnect".
  if (process.connected) process.send?.(message, socket, {}, () => undefined);
}

async function listen(port: number): Promise<void> {
  if (listeners.has(port)) return;
  const server = await LoopbackServer.listen(port, (socket) => tell({ kind: "accepted", port }, socket));
  listeners.set(port, server);
}

function unlisten(port: number): void {
  listeners.get(port)?.close();
  listeners.delete(port);
}

async function admit(port: number, client: Socket): Promise<void> {
  client.on("error", () => undefined);
  try {
    join(client, await connectLoopback(port));
  } catch {
    reset(client);
  }
}

async function serve(request: Exclude<NamespaceRequest, { kind: "admit" }>): Promise<void> {
  const { kind, id, port } = request;
  try {
    let socket: Socket | undefined;
    if (kind === "listen") await listen(port);
    else if (kind === "unlisten") unlisten(port);
    else socket = await connectLoopback(port);
    tell({ kind: "done", id }, socket);
  } catch (error) {
    tell({ kind: "failed", id, message: error instanceof Error ? error.message : String(error) });
  }
}

// The tasks' way to the outside ends with this process.
surviveFaults();
process.on("disconnect", () => process.exit(0));
// Ctrl+C in the application's terminal reaches this process too; it must outlive the tasks, which end in order.
process.on("SIGINT", () => undefined);
process.on("SIGHUP", () => undefined);
// The application is the parent of this process and sends nothing else.
process.on("message", (received, handle) => {
  const request = received as NamespaceRequest;
  if (request.kind !== "admit") inBackground(serve(request));
  // The socket of a client that is gone already may arrive as nothing.
  else if (handle instanceof Socket) inBackground(admit(request.port, handle));
});

try {
  bringLoopbackUp();
  tell({ kind: "ready" });
} catch (error) {
  tell({ kind: "unusable", message: error instanceof Error ? error.message : String(error) });
  process.disconnect?.();
}
