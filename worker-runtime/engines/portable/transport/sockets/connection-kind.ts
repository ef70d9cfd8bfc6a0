import type { Socket } from "node:net";
import { readPreamble } from "../bulk/bulk-coding.js";
import { type SilenceLimits, watchSilence } from "./silence-watch.js";

/** Who takes a connection, by how it begins. */
export interface ConnectionTakers {
  /** Everything that is no bulk connection. What was read is put back. */
  http2(): void;
  bulk(key: Buffer): void;
}

/** Waits for the first bytes of a connection and hands it on. One that says nothing is closed after a while. */
export function divideConnection(socket: Socket, takers: ConnectionTakers, limits: SilenceLimits): void {
  const stopWatching = watchSilence(
    { signs: () => socket.bytesRead, isAwaited: () => true, gone: () => socket.destroy() },
    limits,
  );
  socket.once("close", stopWatching);
  const ignoreErrors = (): void => undefined;
  socket.on("error", ignoreErrors);
  let bytes = Buffer.alloc(0);
  const look = (): void => {
    const read: unknown = socket.read();
    if (!Buffer.isBuffer(read)) {
      return;
    }
    bytes = Buffer.concat([bytes, read]);
    const kind = readPreamble(bytes);
    if (kind === "more") {
      return;
    }
    socket.off("readable", look);
    socket.off("close", stopWatching);
    stopWatching();
    if (kind === "other") {
      socket.off("error", ignoreErrors);
      socket.unshift(bytes);
      takers.http2();
    } else {
      takers.bulk(kind);
    }
  };
  socket.on("readable", look);
}
