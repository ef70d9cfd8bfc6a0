/** A portable task that has as much memory as a small container, which the system ends if it takes more. */
import { afterEach, describe, expect, test } from "vitest";
import { type MemoryGroup, makeMemoryGroup } from "../../../build/lib/peers/memory-groups.mjs";
import { environmentWithoutProxies, type PeerProcess, peerMissing, spawnPeer } from "../../support/peers.js";
import { command, runScript } from "../worker-peers.js";

const GROUP_BYTES = 2 ** 30;

describe.skipIf(peerMissing("memory-groups", "tensorflow"))("a task in a control group of 1,024 MiB", () => {
  let group: MemoryGroup | undefined;
  let worker: PeerProcess | undefined;
  afterEach(async () => {
    await worker?.stop();
    group?.dispose();
  });

  test.each(["auto", "always"])("survives loops that double a tensor, with regions %s", async (regions) => {
    group = makeMemoryGroup(GROUP_BYTES);
    worker = await spawnPeer(
      group.command,
      [...group.args, process.execPath, command, "worker", "--engine=portable", `--regions=${regions}`],
      { ready: /^target (grpc:\/\/\S+)$/m, env: environmentWithoutProxies() },
    );
    const output = await runScript("doubling_loop.py", [worker.match?.[1] ?? ""]);
    expect(output.match(/exhausted/g)).toHaveLength(6);
    expect(output).toContain("answers");
  });
});
