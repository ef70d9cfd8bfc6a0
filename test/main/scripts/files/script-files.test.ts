import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listFolder } from "../../../../main/scripts/files/script-files.js";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tensordeck-files-"));
});
afterEach(() => rm(root, { recursive: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

const paths = async (folder = root) => (await listFolder(folder, 1e6)).files.map(({ path }) => path);

describe("the files of a script's folder", () => {
  it("are those that Git does not ignore, with nested rules that override outer ones", async () => {
    await write({
      ".gitignore": "*.log\n/data\nbuild/\n",
      "train.py": "print(1)",
      "a.log": "",
      "data/big.bin": "",
      "lib/data/small.txt": "",
      "lib/keep.log": "",
      "lib/.gitignore": "!keep.log\n",
      "build/x": "",
    });
    const { files, leftOut, totalBytes } = await listFolder(root, 1e6);
    expect(files.map(({ path }) => path)).toEqual([
      ".gitignore",
      "lib/.gitignore",
      "lib/data/small.txt",
      "lib/keep.log",
      "train.py",
    ]);
    expect(leftOut).toEqual(["a.log", "build/", "data/"]);
    expect(totalBytes).toBe(files.reduce((sum, { size }) => sum + size, 0));
    expect(files.at(-1)).toEqual({
      ...{ path: "train.py", size: 8, executable: false },
      hash: "d287bb7f9d15abdc5b6e98536263815744b6ef21c8f3c839fc434ca70d8efe99",
    });
  });

  it("never include environments, packages, repositories and links", async () => {
    await write({ "train.py": "", ".venv/x": "", "node_modules/x": "", ".git/x": "", "__pycache__/x": "" });
    await symlink("/etc/passwd", join(root, "link"));
    await symlink("/etc", join(root, "folder"));
    expect(await paths()).toEqual(["train.py"]);
  });

  it("heed the rules of the repository around the folder", async () => {
    await write({ ".git/HEAD": "", ".gitignore": "*.ckpt\nexamples/secret\n", "examples/a.py": "" });
    await write({ "examples/b.ckpt": "", "examples/secret": "" });
    expect(await paths(join(root, "examples"))).toEqual(["a.py"]);
  });

  it("have a limit", async () => {
    await write({ "train.py": "", "data.bin": "x".repeat(1000) });
    await expect(listFolder(root, 999)).rejects.toThrow("too large to be sent");
    expect((await listFolder(root, 1000)).totalBytes).toBe(1000);
  });
});
