/** The files of a script as an archive, on their way to a pod, and those that it made, on their way back. */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { extract, pack } from "tar-stream";
import { inBackground } from "../../../worker-runtime/faults.js";
import { isInnerPath, MOST_JOB_BYTES } from "../../scripts/files/file-paths.js";
import { isNeverSent, type SurveyedFile } from "../../scripts/files/script-files.js";
import { problem } from "../../shared/problems.js";

/** The modification time of all files, so that whatever the script changes is newer. */
const SENT_AT = new Date(Date.UTC(2000, 0, 1));
const BLOCK_BYTES = 512;

/** Size of the archive of files, which the other side has to know first. */
export async function archiveBytes(files: readonly SurveyedFile[]): Promise<number> {
  const headers = pack();
  let bytes = 0;
  for (const file of files) headers.entry({ ...headerOf(file), size: 0 }, "");
  headers.finalize();
  for await (const piece of headers as AsyncIterable<Uint8Array>) bytes += piece.length;
  return files.reduce((sum, { size }) => sum + BLOCK_BYTES * Math.ceil(size / BLOCK_BYTES), bytes);
}

/** @throws ProblemError ABORTED if a file has another size by now */
export function archiveOf(folder: string, files: readonly SurveyedFile[]): AsyncIterable<Uint8Array> {
  const archive = pack();
  const fill = async () => {
    for (const file of files) {
      const entry = archive.entry({ ...headerOf(file), size: file.size });
      let bytes = 0;
      const content = createReadStream(join(folder, ...file.path.split("/")));
      content.on("data", (piece) => {
        bytes += piece.length;
      });
      try {
        await pipeline(content, entry);
      } catch (error) {
        if (bytes === file.size) throw error;
        throw problem("ABORTED", `${file.path} was changed while it was sent.`, {
          remedy: "Submit the script again.",
        });
      }
    }
    archive.finalize();
  };
  inBackground(fill().catch((error: Error) => archive.destroy(error)));
  return archive as AsyncIterable<Uint8Array>;
}

function headerOf({ path, executable }: SurveyedFile) {
  return { name: path, mode: executable ? 0o755 : 0o644, mtime: SENT_AT };
}

export interface Unpacked {
  readonly files: number;
  readonly bytes: number;
  readonly leftOut: readonly string[];
}

/**
 * Writes the files of an archive below a folder, which only this account can read. What is no regular file with a path
 * within the folder is ignored; what is too much for one job is left out.
 *
 * @param before Bytes that the job has brought back already.
 */
export async function unpackInto(folder: string, archive: Readable, before: number): Promise<Unpacked> {
  let files = 0;
  let bytes = 0;
  const leftOut: string[] = [];
  const entries = extract();
  archive.pipe(entries);
  for await (const entry of entries) {
    const { name, type, size = 0 } = entry.header;
    const path = name.replace(/^(?:\.?\/)+/, "");
    const isWanted = type === "file" && isInnerPath(path) && !path.split("/").some(isNeverSent);
    if (!isWanted || before + bytes + size > MOST_JOB_BYTES) {
      if (isWanted) leftOut.push(path);
      entry.resume();
      continue;
    }
    const target = join(folder, ...path.split("/"));
    await mkdir(dirname(target), { recursive: true });
    await pipeline(entry, createWriteStream(target, { flags: "wx", mode: 0o600 }));
    files++;
    bytes += size;
  }
  return { files, bytes, leftOut };
}
