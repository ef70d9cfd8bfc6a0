/** tfdbg, TensorFlow's debugger, on the portable engine: a stock client watches tensors and reads the dumps. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { peerMissing, repositoryRoot } from "../../support/peers.js";
import { type Engine, printedBy, type StartedCluster, startCluster } from "./clusters.js";

const script = path.join(repositoryRoot, "test", "interop", "portable", "scripts", "watched_tensors.py");

describe.skipIf(peerMissing("tensorflow"))("watched tensors", () => {
  const clusters: StartedCluster[] = [];
  afterEach(() => Promise.all(clusters.splice(0).map((cluster) => cluster.stop())));

  async function dumps(engineOf: (task: string) => Engine): Promise<object> {
    const cluster = await startCluster({ worker: 2 }, engineOf);
    clusters.push(cluster);
    const folder = path.join(cluster.folder, "dumps");
    mkdirSync(folder);
    return printedBy([script, folder, cluster.target("worker/0")]);
  }

  test("are dumped as TensorFlow's servers dump them, by either master for either worker", async () => {
    const stock = await dumps(() => "stock");
    expect(await dumps(() => "portable")).toEqual(stock);
    expect(await dumps((task) => (task === "worker/0" ? "stock" : "portable"))).toEqual(stock);
    expect(await dumps((task) => (task === "worker/0" ? "portable" : "stock"))).toEqual(stock);
  });
});
