/**
 * A port of this process's loopback interface whose connections come out of a host of a test's network, as if this process
 * ran there: a test plays a machine with whatever code it likes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PeerProcess } from "../../support/processes.js";
import type { Host } from "./network.js";

/** Passes on connections of a unix socket, which every namespace of the machine sees, to an address in the network. */
const CARRY = `
const [, path, host, port] = process.argv;
const net = require("node:net");
net.createServer({ allowHalfOpen: true }, (client) => {
  const server = net.connect({ host, port: Number(port), allowHalfOpen: true });
  client.pipe(server).pipe(client);
  for (const [one, other] of [[client, server], [server, client]]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
}).listen(path, () => console.log("carrying"));
`;

export class WayIn {
  /** The port of 127.0.0.1, in this process. */
  readonly port: number;
  readonly #server: Server;
  readonly #carrier: PeerProcess;
  readonly #folder: string;
  readonly #sockets: ReadonlySet<Socket>;

  private constructor(
    port: number,
    parts: { server: Server; carrier: PeerProcess; folder: string; sockets: ReadonlySet<Socket> },
  ) {
    this.port = port;
    this.#server = parts.server;
    this.#carrier = parts.carrier;
    this.#folder = parts.folder;
    this.#sockets = parts.sockets;
  }

  /**
   * @param from The host whose connections they are.
   * @param target Address and port to which they go.
   */
  static async open(from: Host, target: { readonly host: string; readonly port: number }): Promise<WayIn> {
    const folder = mkdtempSync(join(tmpdir(), "tensordeck-way-in-"));
    const path = join(folder, "way.sock");
    const args = ["-e", CARRY, path, target.host, String(target.port)];
    const carrier = await from.spawn(process.execPath, args, { ready: /carrying/ });
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true }, (client) => {
      const inside = connect({ path, allowHalfOpen: true });
      client.pipe(inside).pipe(client);
      bind(client, inside, sockets);
      bind(inside, client, sockets);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const bound = server.address();
    if (bound === null || typeof bound === "string") throw new Error("The way in has no port.");
    return new WayIn(bound.port, { server, carrier, folder, sockets });
  }

  /** "127.0.0.1:…" */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#carrier.stop("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Ends one socket with the other. */
function bind(one: Socket, other: Socket, open: Set<Socket>): void {
  open.add(one);
  one.on("error", () => other.destroy());
  one.once("close", () => {
    open.delete(one);
    other.destroy();
  });
}
