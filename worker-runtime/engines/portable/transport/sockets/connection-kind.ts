import type { Socket } from "node:net";
import { readPreamble } from "../bulk/bulk-coding.js";
import { type SilenceLimits, watchSilence } from "./silence-watch.js";

/** The receivers of connections, by how they begin. */
export interface ConnectionTakers {
  /** Everything but bulk connections. The bytes that were read are put back. */
  http2(): void;
  bulk(key: Buffer): void;
}

/** Waits for the first bytes of a connection and passes it on. A silent one is closed after a while. */
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
