import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { compiledProgram } from "../../../worker-runtime/engines/package-root.js";

test("a worker whose parent went while it was starting ends", async () => {
  const child = spawn(process.execPath, [compiledProgram(), "worker", "--engine=portable"], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  try {
    // The parent's end closes the channel.
    child.disconnect();
    expect(await once(child, "exit")).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
  }
});
