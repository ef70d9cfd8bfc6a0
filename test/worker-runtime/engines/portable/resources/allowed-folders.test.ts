import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { AllowedFolders } from "../../../../../worker-runtime/engines/portable/resources/allowed-folders.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";

const root = realpathSync(mkdtempSync(path.join(tmpdir(), "tensordeck-files-test-")));
const allowed = path.join(root, "allowed");
const secret = path.join(root, "allowed-not");
mkdirSync(allowed);
mkdirSync(secret);
writeFileSync(path.join(secret, "key"), "k");
afterAll(() => rmSync(root, { recursive: true, force: true }));

const files = new AllowedFolders([allowed]);
const refusal = { code: StatusCode.PERMISSION_DENIED };

describe("the folders that graphs may use", () => {
  test("places within, whether they exist or not", async () => {
    expect(await files.resolve(path.join(allowed, "a", "model.index"), "write")).toBe(
      path.join(allowed, "a", "model.index"),
    );
    expect(await files.resolve(`file://${allowed}/x`, "read")).toBe(path.join(allowed, "x"));
    expect(await files.resolve(allowed, "read")).toBe(allowed);
  });

  test.each([
    path.join(secret, "key"),
    path.join(allowed, "..", "allowed-not", "key"),
    `${allowed}-not/key`,
    "/etc/passwd",
    "..",
    `${allowed}/x\0`,
  ])("%j is refused", async (file) => {
    await expect(files.resolve(file, "read")).rejects.toMatchObject(refusal);
  });

  test.skipIf(process.platform === "win32")(
    "pipes are refused, which would wait for their other end",
    async () => {
      const pipe = path.join(allowed, "pipe");
      execFileSync("mkfifo", [pipe]);
      await expect(files.resolve(pipe, "write")).rejects.toMatchObject(refusal);
    },
  );

  test.skipIf(process.platform === "win32")("links count by where they lead", async () => {
    symlinkSync(secret, path.join(allowed, "out"));
    symlinkSync(path.join(secret, "new"), path.join(allowed, "dangling"));
    symlinkSync("circle", path.join(allowed, "circle"));
    symlinkSync(path.join(allowed, "data"), path.join(allowed, "in"));
    await expect(files.resolve(path.join(allowed, "out", "key"), "read")).rejects.toMatchObject(refusal);
    await expect(files.resolve(path.join(allowed, "dangling"), "write")).rejects.toMatchObject(refusal);
    expect(await files.resolve(path.join(allowed, "in"), "write")).toBe(path.join(allowed, "data"));
    // Opening it fails by itself.
    expect(await files.resolve(path.join(allowed, "circle"), "read")).toBe(path.join(allowed, "circle"));
  });

  test("none is allowed unless the user says so, and the error says how", async () => {
    const none = new AllowedFolders([]);
    await expect(none.resolve("model", "write")).rejects.toMatchObject({
      ...refusal,
      message: expect.stringContaining("--files FOLDER"),
    });
  });

  test("other file systems are not implemented", async () => {
    await expect(files.resolve("gs://bucket/model", "read")).rejects.toMatchObject({
      code: StatusCode.UNIMPLEMENTED,
      message: expect.stringContaining("File system scheme 'gs' not implemented (file: 'gs://bucket/model')"),
    });
  });
});
