import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ProblemError } from "../../../main/api/wire.js";
import { listDirectory } from "../../../main/documents/directory.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-files-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("a folder's list", () => {
  it("has folders first, then fitting files, by name, without hidden and dead ones", async () => {
    await mkdir(join(folder, "Zoo"));
    await mkdir(join(folder, "archive.pb"));
    await mkdir(join(folder, ".git"));
    for (const name of ["b10.pb", "b9.pb", "A.PBTXT", "notes.md", ".hidden.pb"]) {
      await writeFile(join(folder, name), "x");
    }
    await symlink(join(folder, "gone.pb"), join(folder, "dead.pb"));
    await symlink(join(folder, "b9.pb"), join(folder, "link.pb"));
    const list = await listDirectory(folder, ["pb", "pbtxt"]);
    expect(list.entries.map(({ name }) => name)).toEqual([
      "archive.pb",
      "Zoo",
      "A.PBTXT",
      "b9.pb",
      "b10.pb",
      "link.pb",
    ]);
    expect(list.parent).toBe(dirname(folder));
    expect(list.entries[3]).toMatchObject({ directory: false, sizeBytes: 1, path: join(folder, "b9.pb") });
    expect((await listDirectory(folder, [])).entries.map(({ name }) => name)).toContain("notes.md");
  });

  it("marks the folders that are SavedModels, where graphs are wanted", async () => {
    await mkdir(join(folder, "model"));
    await writeFile(join(folder, "model", "saved_model.pb"), "x");
    await mkdir(join(folder, "other"));
    const marks = async (extensions: readonly string[]) =>
      (await listDirectory(folder, extensions)).entries.map(({ savedModel }) => savedModel);
    expect(await marks(["pb", "pbtxt"])).toEqual([join(folder, "model", "saved_model.pb"), undefined]);
    expect(await marks(["py"])).toEqual([undefined, undefined]);
  });

  it("begins at home", async () => {
    expect((await listDirectory(undefined, [])).path).toBe(homedir());
    expect((await listDirectory("~", [])).path).toBe(homedir());
  });

  it("has no parent at the top", async () => {
    expect((await listDirectory("/", [])).parent).toBeUndefined();
  });

  it("that cannot be had is explained", async () => {
    await writeFile(join(folder, "file"), "x");
    for (const path of [join(folder, "none"), join(folder, "file")]) {
      const error = await listDirectory(path, []).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ProblemError);
      expect((error as ProblemError).problem).toMatchObject({
        code: "NOT_FOUND",
        message: `The folder ${path} cannot be listed.`,
      });
    }
  });
});
