/** Ports for servers that are given a port to listen on. */
import { createServer, type Server } from "node:net";

/**
 * Below the ephemeral ports of Linux (from 32768), macOS and Windows (from 49152), which are also used for outgoing
 * connections: a server that takes long to start still finds its port free. Above the tasks of applications (from 2222)
 * and the hosts of test networks (from 10000).
 */
const FIRST_PORT = 20_000;
const BLOCK_SIZE = 50;
const BLOCKS = 240;

/** The remaining ports of this process's block. */
let next = 0;
let end = 0;
let asked: Promise<unknown> = Promise.resolve();

/** A TCP port that is free on the loopback interface and not returned to any other caller, in any process. */
export function freePort(): Promise<number> {
  const port = asked.then(nextFree);
  asked = port.catch(() => undefined);
  return port;
}

async function nextFree(): Promise<number> {
  for (;;) {
    if (next === end) await claimBlock();
    const port = next++;
    const server = await listenOn(port);
    if (server !== undefined) {
      await new Promise((resolve) => server.close(resolve));
      return port;
    }
  }
}

/** Claims ports by listening on the first of them until this process ends, however it does. */
async function claimBlock(): Promise<void> {
  for (let i = 0; i < BLOCKS; i += 1) {
    const first = FIRST_PORT + ((process.pid + i) % BLOCKS) * BLOCK_SIZE;
    const guard = await listenOn(first);
    if (guard !== undefined) {
      guard.unref();
      next = first + 1;
      end = first + BLOCK_SIZE;
      return;
    }
  }
  throw new Error(`No block of ports from ${FIRST_PORT} on is free.`);
}

/** @returns undefined if the port cannot be listened on: in use, or reserved by the system. */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => resolve(undefined));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => resolve(server));
  });
}
