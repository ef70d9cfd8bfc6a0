import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { problem } from "../../shared/problems.js";

/**
 * Writes a file that does not exist, which only this account can read. It is removed unless its hash and size are right.
 *
 * @throws ProblemError DATA_LOSS; Error of Node's own.
 */
export async function receiveFile(
  path: string,
  { hash, size }: { readonly hash: string; readonly size: number },
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  try {
    const actual = createHash("sha256");
    let bytes = 0;
    for await (const piece of content) {
      bytes += piece.length;
      if (bytes > size) break;
      actual.update(piece);
      if (!file.write(piece)) await once(file, "drain");
    }
    file.end();
    await finished(file);
    if (bytes === size && actual.digest("hex") === hash) return;
    throw problem("DATA_LOSS", "A file arrived with another content than announced.", {
      reason: "It was changed while it was sent.",
      remedy: "Submit the script again.",
    });
  } catch (error) {
    file.destroy();
    await rm(path, { force: true });
    throw error;
  }
}
