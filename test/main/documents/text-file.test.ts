import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readTextFile } from "../../../main/documents/text-file.js";

async function written(name: string, content: string | Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tensordeck-text-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

it("reads a file that describes a cluster", async () => {
  expect(await readTextFile(await written("docker-compose.yml", "services: {} # ü\n"))).toEqual({
    name: "docker-compose.yml",
    text: "services: {} # ü\n",
  });
});

it("reads what PowerShell's > has written", async () => {
  const path = await written("cluster.json", Buffer.from("\ufeff{}\r\n", "utf16le"));
  expect((await readTextFile(path)).text).toBe("{}\r\n");
});

it.each([
  ["a.pem", "-----BEGIN", /a\.pem is not a file that describes a cluster/],
  ["a.json", new Uint8Array([0xff, 0xfe, 0x00]), /a\.json is not a text file/],
  ["a.yaml", " ".repeat(4_000_001), /a\.yaml is too large/],
])("refuses %s with the reason", async (name, content, reason) => {
  await expect(readTextFile(await written(name, content))).rejects.toThrow(reason);
});

it("says that a file is not there", async () => {
  await expect(readTextFile(join(tmpdir(), "tensordeck-no-such.yaml"))).rejects.toMatchObject({
    problem: { code: "NOT_FOUND" },
  });
});
