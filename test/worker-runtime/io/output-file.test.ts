import { link, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runExport } from "../../../main/cli/export.js";
import { runImport } from "../../../main/cli/import.js";
import { writeOutputs } from "../../../worker-runtime/cli/run-results.js";
import { writeOutputFile } from "../../../worker-runtime/io/output-file.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-output-"));
});
afterEach(() => rm(folder, { recursive: true }));

const cluster = async () => {
  const path = join(folder, "clusterspec.json");
  await writeFile(path, JSON.stringify({ worker: ["localhost:2222"] }));
  return path;
};

describe("a file that a command writes", () => {
  test("is written through a link, and nothing else is left in its folder", async () => {
    const path = join(folder, "link.txt");
    await writeFile(join(folder, "file.txt"), "old", { mode: 0o600 });
    await symlink("file.txt", path);
    await writeOutputFile(path, "new");
    expect(await readFile(join(folder, "file.txt"), "utf8")).toBe("new");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).sort()).toEqual(["file.txt", "link.txt"]);
  });

  test("is named where it cannot be written", async () => {
    await expect(writeOutputFile(folder, "x")).rejects.toThrow(`${folder}; Is a directory`);
    const nowhere = join(folder, "nowhere", "x.txt");
    await expect(writeOutputFile(nowhere, "x")).rejects.toThrow(`${nowhere}; No such file or directory`);
  });

  // It fails as a file on a full disk does.
  test.runIf(process.platform === "linux")("is named on a full disk", async () => {
    const full = "/dev/full; No space left on device";
    await expect(writeOutputFile("/dev/full", "x")).rejects.toMatchObject({
      codeName: "RESOURCE_EXHAUSTED",
      message: full,
    });
    const values = { names: ["z:0"], values: [Tensor.of(11)], placement: [], stepMillis: [] };
    await expect(writeOutputs(new Map([["/dev/full", "z:0"]]), values)).rejects.toThrow(full);
    await expect(runImport([await cluster(), "--output", "/dev/full"])).rejects.toThrow(full);
  });

  // A second name of the old file keeps its content where the file is replaced, and not where it is written over.
  test("replaces an older one as a whole, by each command", async () => {
    const older = async (name: string) => {
      await writeFile(join(folder, name), "old");
      await link(join(folder, name), join(folder, `${name}.kept`));
    };
    const replaced = async (name: string) => {
      expect(await readFile(join(folder, `${name}.kept`), "utf8")).toBe("old");
      expect((await readFile(join(folder, name))).length).toBeGreaterThan(3);
    };
    const names = ["z.npy", "imported.json", "tensordeck.compose.yaml"];
    for (const name of names) await older(name);
    const values = { names: ["z:0"], values: [Tensor.of(11)], placement: [], stepMillis: [] };
    await writeOutputs(new Map([[join(folder, "z.npy"), "z:0"]]), values);
    expect(await runImport([await cluster(), "--output", join(folder, "imported.json")])).toBe(0);
    expect(await runExport([await cluster(), "--to", "compose", "--run", "server", "--output", folder])).toBe(
      0,
    );
    for (const name of names) await replaced(name);
  });
});
