import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { peerMissing, repositoryRoot, tensorflowPython } from "../support/find-peers.js";

const run = promisify(execFile);

const tsx = join(repositoryRoot, "node_modules", "tsx", "dist", "cli.mjs");

test("the WebAssembly module is what build/wasm.ts makes of its text today", async () => {
  const args = [tsx, join(repositoryRoot, "build", "wasm.ts"), "--check"];
  await expect(run(process.execPath, args)).resolves.toBeDefined();
});

describe.skipIf(peerMissing("tensorflow"))("the committed files that are generated from TensorFlow", () => {
  test.each(["op-list.ts", "kernel-types.ts"])(
    "are what build/%s makes of it today",
    {
      timeout: 120_000,
    },
    async (script) => {
      const args = [tsx, join(repositoryRoot, "build", script), "--check", tensorflowPython()];
      await expect(run(process.execPath, args)).resolves.toBeDefined();
    },
  );
});
