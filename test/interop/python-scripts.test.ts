import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClusterSpec } from "../../worker-runtime/cluster/cluster-spec.js";
import {
  type PythonScriptKind,
  pythonScript,
  pythonScriptProblem,
} from "../../worker-runtime/cluster/python-scripts.js";
import {
  environmentWithoutProxies,
  freePort,
  type PeerProcess,
  peerMissing,
  spawnPeer,
  tensorflowPython,
} from "../support/peers.js";
import { startWorker } from "./worker-peers.js";

/** Three tasks of a dynamic cluster: each was started alone, under a job of its own. */
let cluster: ClusterSpec;
let workers: PeerProcess[];

async function startAlone(name: string): Promise<{ address: string; worker: PeerProcess }> {
  const address = `localhost:${await freePort()}`;
  const worker = await startWorker([], {
    TF_CONFIG: JSON.stringify({ cluster: { [name]: [address] }, task: { type: name, index: 0 } }),
  });
  return { address, worker };
}

async function run(kind: PythonScriptKind): Promise<string> {
  const input = { cluster, master: { job: "worker", index: 0 } };
  expect(pythonScriptProblem(kind, input)).toBeUndefined();
  const peer = await spawnPeer(tensorflowPython(), ["-c", pythonScript(kind, input)], {
    env: { ...environmentWithoutProxies(), TF_CPP_MIN_LOG_LEVEL: "2" },
  });
  const { code } = await peer.exited;
  expect(code, peer.output()).toBe(0);
  return peer.stdout();
}

describe.skipIf(peerMissing("tensorflow"))("scripts that Use from Python copies", () => {
  beforeAll(async () => {
    const alone = await Promise.all(["free_a", "free_b", "free_c"].map(startAlone));
    workers = alone.map(({ worker }) => worker);
    const [ps = "", first = "", second = ""] = alone.map(({ address }) => address);
    cluster = ClusterSpec.from({ ps: [ps], worker: [first, second] });
  });

  afterAll(async () => {
    await Promise.all((workers ?? []).map((worker) => worker.stop()));
  });

  test("a session with the ClusterSpec runs on tasks that were started alone", async () => {
    expect(await run("session")).toContain("10.0");
  });

  test("TF_CONFIG names the cluster to TensorFlow's resolver", async () => {
    const output = await run("tf-config");
    expect(output).toContain(JSON.stringify(cluster.asDict().ps).replaceAll('"', "'"));
    expect(output).toContain(`grpc://${cluster.taskAddress("worker", 0)}`);
  });

  test("a coordinator of TensorFlow 2 trains with the cluster's ps and workers", async () => {
    expect(await run("coordinator")).toMatch(/10\.0 on \/job:ps\/replica:0\/task:0\/device:CPU:0/);
  });
});
