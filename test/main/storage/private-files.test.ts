import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writePrivateFile } from "../../../main/storage/private-files.js";

test.skipIf(process.platform === "win32")("files of the data folder are for the account only", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tensordeck-private-"));
  const modeOf = async (...path: string[]) => (await stat(join(folder, ...path))).mode & 0o777;
  try {
    await writePrivateFile(join(folder, "made", "new.json"), "{}");
    expect([await modeOf("made"), await modeOf("made", "new.json")]).toEqual([0o700, 0o600]);
    // A file of an earlier version, and a folder that somebody shares on purpose.
    await mkdir(join(folder, "shared"));
    await writeFile(join(folder, "shared", "old.json"), "{}");
    await chmod(join(folder, "shared"), 0o755);
    await chmod(join(folder, "shared", "old.json"), 0o644);
    await writePrivateFile(join(folder, "shared", "old.json"), "[]");
    expect([await modeOf("shared"), await modeOf("shared", "old.json")]).toEqual([0o755, 0o600]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
