/**
 * The handshake of a tunnel's connection before it belongs to the task: the dialling side names a port, the serving
 * side answers with one byte, and from there on both directions are the task's. The dialling side does not wait for the
 * answer before it sends the client's data, so a tunnel costs no round trip.
 */
import type { Socket } from "node:net";
import { readBytes } from "../../shared/sockets/read-bytes.js";

/** Port in network byte order. */
const HEADER_BYTES = 2;

/** The outcome of a request for a port; the value is the byte on the wire. */
export const TunnelAnswer = {
  connected: 0,
  /** The port does not belong to a task of that machine. */
  unknownPort: 1,
  /** That machine does not let this one reach the port. */
  notAdmitted: 2,
  /** The task does not accept connections: it has ended or is starting. */
  taskUnreachable: 3,
  /** This machine has too many connections there. */
  tooMany: 4,
} as const;
export type TunnelAnswer = (typeof TunnelAnswer)[keyof typeof TunnelAnswer];

export function encodeHeader(port: number): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(port);
  return header;
}

/** @throws ProblemError DEADLINE_EXCEEDED, UNAVAILABLE when the connection ends before it has come. */
export async function readHeader(socket: Socket, timeoutMillis: number): Promise<number> {
  return (await readBytes(socket, HEADER_BYTES, timeoutMillis, "tunnel")).readUInt16BE();
}

/** @throws ProblemError DEADLINE_EXCEEDED, UNAVAILABLE when the connection ends before it has come. */
export async function readAnswer(socket: Socket, timeoutMillis: number): Promise<number> {
  return (await readBytes(socket, 1, timeoutMillis, "tunnel")).readUInt8();
}

/** Why a request was refused, as a message. */
export function refusalText(answer: number): string {
  switch (answer) {
    case TunnelAnswer.unknownPort:
      return "No task of that machine has this port.";
    case TunnelAnswer.notAdmitted:
      return "That machine does not let this one reach the task.";
    case TunnelAnswer.taskUnreachable:
      return "The task accepts no connections: it has ended, or is still starting.";
    case TunnelAnswer.tooMany:
      return "This machine has too many connections to that one.";
    default:
      return `That machine gave an answer that this version does not know (${answer}).`;
  }
}
