/** A machine is used by one run at a time: each empties its folders and registers its emulator. */
import { createConnection, createServer, type Socket } from "node:net";

/**
 * Holds a name on this machine until it is given back or the process ends. Waits as long as another process has it.
 *
 * @returns what gives it back.
 */
export async function takeAlone(name: string): Promise<() => void> {
  // An abstract socket of Linux: there is no file that a killed process could leave.
  const address = `\0tensordeck-${name}`;
  for (;;) {
    const giveBack = await listen(address);
    if (giveBack !== undefined) return giveBack;
    console.log(`${name} is in use by another run, for whose end this one waits.`);
    await endOfHolder(address);
  }
}

/** Undefined if another process has the address. */
function listen(address: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    // Those who wait are connected until this one ends, or gives it back.
    const waiting = new Set<Socket>();
    const server = createServer((socket) => {
      waiting.add(socket.on("error", () => undefined).unref());
    });
    server.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => {
      server.unref();
      resolve(() => {
        server.close();
        for (const socket of waiting) socket.destroy();
      });
    });
  });
}

function endOfHolder(address: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = createConnection(address);
    // It has ended in between, or breaks off.
    socket.on("error", () => undefined);
    socket.once("close", () => resolve());
    socket.resume();
  });
}
