/** Servers on loopback that end with their test, and the outcome of a probe in a few words. */
import { type AddressInfo, type Server, Socket } from "node:net";
import { afterEach } from "vitest";
import type { LayerResult } from "../../../../../main/api/reachability.js";
import { type ProbeRequest, probeAddress } from "../../../../../main/network/reachability/probe.js";

interface Listening {
  readonly server: Pick<Server, "close">;
  readonly sockets: ReadonlySet<Socket>;
}

const listening: Listening[] = [];

afterEach(async () => {
  await Promise.all(
    listening.splice(0).map(({ server, sockets }) => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    }),
  );
});

export interface Listener {
  readonly port: number;
  /** Connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
}

/** Listens on a port (0: any that is free) of a loopback address; closed, with its connections, after the test. */
export async function listen(
  server: Pick<Server, "on" | "listen" | "close" | "address">,
  host = "127.0.0.1",
  port = 0,
): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: unknown) => {
    if (!(socket instanceof Socket)) return;
    sockets.add(socket);
    // Probes break off.
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  listening.push({ server, sockets });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return { port: (server.address() as AddressInfo).port, sockets };
}

/** "name skipped, tcp refused, …": each layer with its outcome or the cause of its failure, without the ping. */
export function outcomes(layers: readonly LayerResult[]): string {
  return layers
    .filter(({ layer }) => layer !== "ping")
    .map(({ layer, outcome, cause }) => `${layer} ${cause ?? outcome}`)
    .join(", ");
}

/** The outcomes of a probe of a task's address. */
export async function probeTask(address: string, more: Partial<ProbeRequest> = {}): Promise<string> {
  return outcomes(await probeAddress({ address, kind: "task", ...more }));
}
