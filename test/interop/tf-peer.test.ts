/** TensorFlow's own tests of its server, run in place against `tensordeck worker`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  peerMissing,
  repositoryRoot,
  requireSharedDir,
  spawnPeer,
  tensorflowPython,
} from "../support/peers.js";
import { command, workerEnvironment } from "./worker-peers.js";

/** Tests that ran and were skipped on TensorFlow's own in-process server (version 2.21). */
const baseline = [
  ["server_lib_test", 32, 3],
  ["server_lib_same_variables_clear_test", 2, 1],
  ["server_lib_same_variables_no_clear_test", 2, 1],
  ["server_lib_same_variables_clear_container_test", 2, 1],
  ["server_lib_multiple_containers_test", 2, 1],
  ["session_clusterspec_prop_test", 15, 1],
  ["session_partial_run_test", 25, 2],
  ["session_list_devices_test", 5, 1],
] as const;

/** The way that users have, once: npx adds a second to each of a hundred servers. */
const throughNpx = ["server_lib_sparse_job_test", 2, 1] as const;

// TensorFlow's tests leave files in the temporary folder, and npx keeps what it runs in npm's cache.
const scratch = mkdtempSync(path.join(tmpdir(), "tensordeck-tf-peer-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe.skipIf(peerMissing("tensorflow", "shared"))("TensorFlow's own tests on our workers", () => {
  const run = async (module: string, peerServer: string) => {
    const peer = await spawnPeer(
      tensorflowPython(),
      [path.join(requireSharedDir(), "tf-peer", "run.py"), module],
      {
        env: workerEnvironment({
          PEER_SERVER: peerServer,
          TMPDIR: scratch,
          npm_config_cache: path.join(scratch, "npm"),
        }),
        cwd: repositoryRoot,
      },
    );
    await peer.exited;
    const ran = /^Ran (\d+) tests? in/m.exec(peer.output())?.[1];
    const verdict = /^(OK|FAILED)(?: \((.*)\))?$/m.exec(peer.output());
    const skipped = /skipped=(\d+)/.exec(verdict?.[2] ?? "")?.[1] ?? "0";
    if (verdict?.[1] !== "OK") {
      throw new Error(`${module} failed:\n${peer.output().slice(-6_000)}`);
    }
    return [Number(ran), Number(skipped)];
  };

  describe.each(["tensorflow", "portable"])("with the %s engine", (engine) => {
    test.each(baseline)("%s: %i run, %i skipped", { timeout: 600_000 }, async (module, ran, skipped) => {
      // It is split as a shell would.
      const [node, program] = [process.execPath, command].map((word) => `'${word}'`);
      const server = `${node} ${program} worker --engine ${engine} --server_def`;
      expect(await run(module, server)).toEqual([ran, skipped]);
    });

    test(`through npx, ${throughNpx[0]}`, { timeout: 600_000 }, async () => {
      const [module, ran, skipped] = throughNpx;
      expect(await run(module, `npx tensordeck worker --engine ${engine} --server_def`)).toEqual([
        ran,
        skipped,
      ]);
    });
  });
});
