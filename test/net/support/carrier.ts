/** Loopback ports of a host, within reach of the test itself, which is outside of the host's network. */
import { rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PeerProcess } from "../../support/processes.js";
import type { Host } from "./network.js";

/** Carries connections of a unix socket, which every namespace of the machine sees, to a port of the host's loopback. */
const CARRY = `
const [, path, port] = process.argv;
const net = require("node:net");
net.createServer((client) => {
  const server = net.connect(Number(port), "127.0.0.1");
  client.pipe(server).pipe(client);
  client.on("error", () => server.destroy());
  server.on("error", () => client.destroy());
}).listen(path, () => console.log("carrying"));
`;

export class Carrier {
  readonly #path: string;
  readonly #inside: PeerProcess;
  readonly #outside: Server;

  private constructor(path: string, inside: PeerProcess, outside: Server) {
    this.#path = path;
    this.#inside = inside;
    this.#outside = outside;
  }

  /**
   * Makes a port of the host's 127.0.0.1 be one of this machine's, under the same number: windows answer under no other.
   */
  static async open(host: Host, port: number): Promise<Carrier> {
    const path = join(tmpdir(), `tensordeck-${process.pid}-${host.pid}-${port}.sock`);
    const inside = await host.spawn(process.execPath, ["-e", CARRY, path, String(port)], {
      ready: /carrying/,
    });
    const outside = createServer((client) => {
      const server = connect(path);
      client.pipe(server).pipe(client);
      client.on("error", () => server.destroy());
      server.on("error", () => client.destroy());
    });
    await new Promise<void>((resolve, reject) => {
      outside.once("error", reject);
      outside.listen(port, "127.0.0.1", resolve);
    });
    return new Carrier(path, inside, outside);
  }

  /** Connections that are there end, too. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#outside.close(resolve));
    await this.#inside.stop("SIGKILL");
    await closed;
    rmSync(this.#path, { force: true });
  }
}
