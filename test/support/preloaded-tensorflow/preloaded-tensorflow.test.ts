import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  environmentWithoutProxies,
  ownTensorflowPython,
  peerMissing,
  spawnPeer,
  tensorflowPython,
} from "../peers.js";

const missing = peerMissing("tensorflow") || process.platform !== "linux";

/** The program's output for arguments, and that of Python itself. */
async function both(args: readonly string[], options: Parameters<typeof spawnPeer>[2] = {}) {
  const results = [];
  for (const python of [tensorflowPython(), ownTensorflowPython()]) {
    const peer = await spawnPeer(python, args, options);
    const exit = await peer.exited;
    results.push({ exit, stdout: peer.stdout() });
  }
  return results;
}

describe.skipIf(missing)("a Python that has imported TensorFlow", () => {
  test("is another program than Python itself", () => {
    expect(tensorflowPython()).not.toBe(ownTensorflowPython());
  });

  test("runs scripts, folders and code with their arguments, input, environment and exit code", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tensordeck-preloaded-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const code = [
      "import os, sys, tempfile",
      "print(sys.argv, sys.path[0], __name__, os.getcwd(), os.environ['NAMED'], sys.stdin.read())",
      "print(tempfile.gettempdir())",
      "sys.exit(len(sys.argv))",
    ].join("\n");
    mkdirSync(join(folder, "package"));
    for (const file of ["script.py", "package/__main__.py"]) writeFileSync(join(folder, file), code);
    const options = {
      input: "línea",
      env: { ...environmentWithoutProxies(), NAMED: "x", TMPDIR: folder },
      cwd: folder,
    };
    for (const args of [["-c", code, "a b"], ["script.py", "1", "2"], [join(folder, "package")]]) {
      const [ours, pythons] = await both(args, options);
      expect(ours).toEqual(pythons);
      expect(ours?.exit.code).toBe(args.length - (args[0] === "-c" ? 1 : 0));
    }
  });

  test("ends as Python does: by an exception, by a signal that it gets, and when it is killed", async () => {
    const [raised, pythons] = await both(["-c", "raise ValueError('no')"]);
    expect(raised?.exit).toEqual(pythons?.exit);
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const code = "import os, time; print('pid', os.getpid(), flush=True); time.sleep(600)";
      const peer = await spawnPeer(tensorflowPython(), ["-c", code], { ready: /^pid (\d+)$/m });
      expect(await peer.stop(signal)).toEqual({ code: null, signal });
      const pid = Number(peer.match?.[1]);
      await expect.poll(() => isThere(pid)).toBe(false);
    }
  });

  test("is Python itself where TensorFlow would be imported in another way", async () => {
    const code = "import sys; print('tensorflow' in sys.modules)";
    const loaded = async (env: NodeJS.ProcessEnv) => {
      const peer = await spawnPeer(tensorflowPython(), ["-c", code], { env });
      await peer.exited;
      return peer.stdout().trim();
    };
    const env = environmentWithoutProxies();
    expect(await loaded({ ...env, TF_CONFIG: "{}" })).toBe("True");
    expect(await loaded({ ...env, TF_USE_LEGACY_KERAS: "1" })).toBe("False");
  });
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
