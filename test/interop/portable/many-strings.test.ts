/** Tensors of many strings, which travel as TensorFlow's servers send them, from a stock client through mixed clusters. */
import { afterEach, describe, expect, test } from "vitest";
import { peerMissing } from "../../support/peers.js";
import { runScript } from "../worker-peers.js";
import { type StartedCluster, startCluster } from "./clusters.js";

describe.skipIf(peerMissing("tensorflow"))("many strings", () => {
  let cluster: StartedCluster | undefined;
  afterEach(() => cluster?.stop());

  test.each([
    { master: "worker/0", ours: "worker/0" },
    { master: "worker/0", ours: "worker/1" },
  ])("get from task to task where $ours is ours and the master $master", async ({ master, ours }) => {
    cluster = await startCluster({ worker: 2 }, (task) => (task === ours ? "portable" : "stock"));
    expect(await runScript("many_strings.py", [cluster.target(master)])).toContain("the same 20000");
  });
});
