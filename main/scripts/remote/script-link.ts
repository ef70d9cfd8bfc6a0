/**
 * The connections between tasks of a script on different machines. The machine that submitted the script opens all of
 * them, so only the others have to be reachable: to connect to a task there, or to take over a connection that a task
 * there has opened. The opening side first sends this header.
 */
import type { Socket } from "node:net";
import { readBytes } from "../../shared/sockets/read-bytes.js";

export type LinkHeader =
  /** To the task that has a port. */
  | { readonly kind: "task"; readonly jobId: string; readonly port: number }
  /** For the connection with this number, which the job's stream has announced. */
  | { readonly kind: "connection"; readonly jobId: string; readonly connection: number };

const ID_BYTES = 16;
const HEADER_BYTES = 1 + ID_BYTES + 4;
const TO_TASK = 0;
const FOR_CONNECTION = 1;
const HEADER_TIMEOUT_MILLIS = 10_000;

export function encodeLink(header: LinkHeader): Uint8Array {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt8(header.kind === "task" ? TO_TASK : FOR_CONNECTION);
  bytes.write(header.jobId, 1, "hex");
  bytes.writeUInt32BE(header.kind === "task" ? header.port : header.connection, 1 + ID_BYTES);
  return bytes;
}

/** Undefined for a header of another version. @throws ProblemError DEADLINE_EXCEEDED, UNAVAILABLE. */
export async function readLink(socket: Socket): Promise<LinkHeader | undefined> {
  const bytes = await readBytes(socket, HEADER_BYTES, HEADER_TIMEOUT_MILLIS, "script");
  const kind = bytes.readUInt8();
  const jobId = bytes.toString("hex", 1, 1 + ID_BYTES);
  const number = bytes.readUInt32BE(1 + ID_BYTES);
  if (kind === TO_TASK) return { kind: "task", jobId, port: number };
  return kind === FOR_CONNECTION ? { kind: "connection", jobId, connection: number } : undefined;
}
