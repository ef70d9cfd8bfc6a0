import { createReadStream } from "node:fs";
import { ScriptMessage } from "../../../protos/generated/tensordeck/agent.js";

const PIECE_BYTES = 256 << 10;

/** Sends the content of a file in pieces, after the message that announced it. @throws Error of Node's own. */
export async function sendFile(
  path: string,
  size: number,
  send: (message: ScriptMessage) => Promise<void>,
): Promise<void> {
  if (size === 0) return;
  // A file that grows meanwhile is sent as it was announced; the receiver checks its hash.
  for await (const value of createReadStream(path, { highWaterMark: PIECE_BYTES, end: size - 1 })) {
    await send(ScriptMessage.create({ content: { $case: "data", value: value as Buffer } }));
  }
}
