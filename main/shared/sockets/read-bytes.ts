import type { Socket } from "node:net";
import { problem } from "../problems.js";

/**
 * Reads exactly the given number of bytes and leaves the rest for the next reader.
 *
 * @param what Names the connection in problems: "tunnel".
 * @throws ProblemError DEADLINE_EXCEEDED, UNAVAILABLE when the connection ends before they have come.
 */
export function readBytes(
  socket: Socket,
  count: number,
  timeoutMillis: number,
  what: string,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      socket.removeListener("readable", take);
      socket.removeListener("end", ended);
      socket.removeListener("close", ended);
      settle();
    };
    const take = () => {
      const bytes: unknown = socket.read(count);
      if (Buffer.isBuffer(bytes) && bytes.length === count) finish(() => resolve(bytes));
    };
    const ended = () =>
      finish(() => reject(problem("UNAVAILABLE", `The ${what}'s connection ended before it was set up.`)));
    const timer = setTimeout(
      () =>
        finish(() => reject(problem("DEADLINE_EXCEEDED", `The ${what}'s other end did not answer in time.`))),
      timeoutMillis,
    );
    socket.on("readable", take);
    socket.once("end", ended);
    socket.once("close", ended);
    take();
  });
}
