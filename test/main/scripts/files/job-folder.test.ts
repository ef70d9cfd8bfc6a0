import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BlobStore } from "../../../../main/scripts/files/blob-store.js";
import { checkFiles, isInnerPath } from "../../../../main/scripts/files/file-paths.js";
import { JobFolder } from "../../../../main/scripts/files/job-folder.js";

let root: string;
let store: BlobStore;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tensordeck-job-"));
  store = new BlobStore(join(root, "blobs"));
});
afterEach(() => rm(root, { recursive: true }));

const hashText = (text: string) => createHash("sha256").update(text).digest("hex");
const file = (path: string, text: string) => ({
  path,
  size: text.length,
  hash: hashText(text),
  executable: false,
});
async function* pieces(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

async function folderOf(files: Readonly<Record<string, string>>): Promise<JobFolder> {
  for (const text of Object.values(files)) await store.put(hashText(text), text.length, pieces(text));
  const list = Object.entries(files).map(([path, text]) => file(path, text));
  return await JobFolder.create(join(root, "jobs"), list, store);
}

describe("paths that another machine names", () => {
  it.each(["a", "a/b.py", ".gitignore", "ä ö/ü.txt", "a..b"])("may be %j", (path) => {
    expect(isInnerPath(path)).toBe(true);
  });

  it.each([
    ...[
      "",
      "/etc/passwd",
      "../x",
      "a/../../x",
      "a//b",
      "./a",
      "a/.",
      "C:/x",
      "a\\..\\b",
      "a:stream",
      "nul",
      "x/CON.txt",
    ],
    ...["a\0b", "dots..", "space ", "a\nb", "x".repeat(256), "a/".repeat(70)],
  ])("may not be %j", (path) => {
    expect(isInnerPath(path)).toBe(false);
  });

  it("may not contradict each other, and their sizes have a limit", () => {
    expect(() => checkFiles([file("a", ""), file("A", "")])).toThrow("twice");
    expect(() => checkFiles([file("a", ""), file("a/b", "")])).toThrow("file as a folder");
    expect(() => checkFiles([{ ...file("a", ""), size: 2 ** 31 + 1 }])).toThrow("MB altogether");
    expect(() => checkFiles([file("a/b", ""), file("a/c", "")])).not.toThrow();
  });
});

describe("the store of contents", () => {
  it("keeps a content only if its hash and size are right", async () => {
    const hash = hashText("hello");
    await expect(store.put(hash, 5, pieces("hell", "x"))).rejects.toThrow("another content");
    await expect(store.put(hash, 4, pieces("hello"))).rejects.toThrow("another content");
    expect(await store.missing([hash])).toEqual([hash]);
    expect(await readdir(join(root, "blobs"))).toEqual([]);
    await store.put(hash, 5, pieces("he", "llo"));
    expect(await store.missing([hash])).toEqual([]);
  });

  it("drops the oldest contents beyond its limit", async () => {
    const small = new BlobStore(join(root, "small"), 6);
    for (const text of ["one", "two"]) await small.put(hashText(text), 3, pieces(text));
    await small.prune();
    expect(await readdir(join(root, "small"))).toHaveLength(2);
    await small.put(hashText("more"), 4, pieces("more"));
    await small.prune();
    expect((await readdir(join(root, "small"))).length).toBeLessThan(3);
  });
});

describe("the folder of a job", () => {
  it("is private and has the files that were sent", async () => {
    const folder = await folderOf({ "train.py": "x", "lib/model.py": "yy" });
    expect(await readFile(join(folder.path, "lib", "model.py"), "utf8")).toBe("yy");
    expect((await stat(folder.path)).mode & 0o077).toBe(0);
    await folder.remove();
    expect(await readdir(join(root, "jobs"))).toEqual([]);
  });

  it("knows the files that were created or changed since, never through links", async () => {
    const folder = await folderOf({ "train.py": "x", "notes.txt": "old" });
    expect((await folder.outputs()).files).toEqual([]);
    await writeFile(join(folder.path, "notes.txt"), "new");
    await writeFile(join(folder.path, "model.ckpt"), "weights");
    // Written again with the same content.
    await writeFile(join(folder.path, "train.py"), "x");
    await symlink("/etc/passwd", join(folder.path, "passwd"));
    await symlink("/etc", join(folder.path, "etc"));
    const { files } = await folder.outputs();
    expect(files).toEqual(expect.arrayContaining([file("notes.txt", "new"), file("model.ckpt", "weights")]));
    expect(files).toHaveLength(2);
    expect((await folder.outputs("etc")).files).toEqual([]);
    expect((await folder.outputs("none")).files).toEqual([]);
  });
});
