/** Clients of the tasks behind tunnels. */
import { createHash } from "node:crypto";
import { connect, type Socket } from "node:net";

/** A connection to a port of this machine, as a TensorFlow client would make it. */
export function dial(port: number, host = "127.0.0.1"): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      // Told by "close", too; without a listener it would end the process.
      socket.on("error", () => undefined);
      resolve(socket);
    });
  });
}

/** All that comes until the other side ends its direction. Rejects when the connection breaks. */
export function readAll(socket: Socket): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.once("end", () => resolve(Buffer.concat(chunks)));
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("closed without an end")));
  });
}

/** Resolves with the next piece that comes. */
export function readSome(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void) => {
      socket.off("data", data).off("close", closed);
      settle();
    };
    const data = (chunk: Buffer) => done(() => resolve(chunk.toString()));
    const closed = () => done(() => reject(new Error("closed")));
    socket.on("data", data).on("close", closed);
  });
}

/** Resolves with the name of the error that ends the connection, "" when it ends without one. */
export function broken(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let code = "";
    socket.on("error", (error: Error & { code?: string }) => {
      code = error.code ?? error.message;
    });
    socket.once("close", () => resolve(code));
    socket.resume();
  });
}

/** Resolves when nothing more comes: the other side ended, or the connection broke. */
export function silenced(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("end", resolve);
    socket.once("close", () => resolve());
    socket.resume();
  });
}

/** Answers everything with the same. */
export function echo(socket: Socket): void {
  socket.pipe(socket);
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
