import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "../../../main/kubernetes/api-server.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { constant, graphOf, typed } from "../../interop/peers/nodes.js";
import { command } from "../../interop/worker-peers.js";
import { environmentWithoutProxies, spawnPeer } from "../../support/peers.js";
import { Kubelet } from "./support/kubelet.js";
import { reportPod, schedulePods } from "./support/node.js";
import { startPodWorkers } from "./support/pod-workers.js";
import { startStandIn } from "./support/stand-in-server.js";
import { type TestServer, writeKubeconfig } from "./support/test-server.js";

describe("tensordeck kube", () => {
  let folder: string;
  let kubelet: Kubelet;
  let server: TestServer;
  let kubeconfig: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-kubernetes-"));
    kubelet = new Kubelet();
    server = await startStandIn(kubelet);
    kubeconfig = await writeKubeconfig(server, folder, "default");
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function kubeWith(variables: Readonly<Record<string, string>>, ...args: string[]) {
    const env = { ...environmentWithoutProxies(), ...variables };
    const peer = await spawnPeer(process.execPath, [command, "kube", ...args], { env });
    const { code } = await peer.exited;
    return { code, output: peer.output() };
  }

  const kube = (...args: string[]) => kubeWith({ KUBECONFIG: kubeconfig }, ...args);

  it("lists contexts, of the kubeconfig that kubectl would use", async () => {
    expect(await kube("contexts")).toEqual({
      code: 0,
      output: `* lab  ${server.url}\n  guest  ${server.url}\n`,
    });
  });

  it("says that there is no kubeconfig, rather than to ask a server on this machine", async () => {
    const nowhere = { KUBECONFIG: "", HOME: folder, USERPROFILE: folder, HOMEDRIVE: "", HOMEPATH: "" };
    const { code, output } = await kubeWith(nowhere, "contexts");
    expect(code).not.toBe(0);
    expect(output).toMatch(/NOT_FOUND: There is no kubeconfig\..*KUBECONFIG is not set/s);
  });

  it("deploys a cluster file, shows it, reads a log, scales and deletes it", async () => {
    const file = join(folder, "clusterspec.json");
    await writeFile(file, JSON.stringify({ ps: ["a:1"], worker: ["b:1", "c:1"] }));
    expect(await kube("deploy", file, "--run", "server", "--name", "lab")).toEqual({
      code: 0,
      output: "lab: 3 tasks in namespace default\n",
    });
    const api = await ApiServer.connect({ kubeconfig });
    await schedulePods(api, "default", server);
    await reportPod(api, "default", "lab-ps-0", { ready: true, state: { running: {} } });
    kubelet.write("lab-ps-0", "serves");
    const { output } = await kube("status");
    expect(output).toMatch(
      /^lab\n {2}ps\/0 +running +lab-ps-0 +node-1\n {2}worker\/0 +starting +lab-worker-0/,
    );
    expect(output).toMatch(/no metrics API/);
    expect(await kube("log", "lab-ps-0")).toEqual({ code: 0, output: "serves\n" });
    expect(await kube("scale", "lab", "worker", "4")).toMatchObject({ code: 0 });
    expect(await kube("delete", "lab")).toEqual({ code: 0, output: "lab is deleted\n" });
  });

  it("gives addresses until it is interrupted", async () => {
    const file = join(folder, "clusterspec.json");
    await kube("deploy", file, "--run", "server", "--name", "lab");
    const env = { ...environmentWithoutProxies(), KUBECONFIG: kubeconfig };
    const peer = await spawnPeer(process.execPath, [command, "kube", "forward", "lab"], {
      env,
      ready: /^worker\/1 {2}grpc:\/\/127\.0\.0\.1:\d+ {2}lab-worker-1$/m,
    });
    expect(peer.stdout()).toMatch(/^ps\/0 {2}grpc:\/\/127\.0\.0\.1:\d+ {2}lab-ps-0$/m);
    expect(await peer.stop("SIGINT")).toMatchObject({ code: 0 });
  });

  it("runs a graph on the tasks, through one of them", async () => {
    const workers = await startPodWorkers(kubelet, folder, 2);
    const api = await ApiServer.connect({ kubeconfig });
    try {
      await schedulePods(api, "default", server);
      for (const pod of ["lab-worker-0", "lab-worker-1"])
        await reportPod(api, "default", pod, { ready: true, state: { running: {} } });
      const graph = join(folder, "sum.pb");
      const nodes = [
        constant("a", 40, "int32", "/job:worker/task:0"),
        constant("b", 2, "int32", "/job:worker/task:1"),
        typed("z", "AddV2", ["a", "b"], "int32", "/job:worker/task:1"),
      ];
      await writeFile(graph, GraphDef.encode(graphOf(...nodes)).finish());
      const { code, output } = await kube("run", "lab", "--", graph, "--fetch", "z:0", "--json");
      expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining("42") });
      expect(output).toMatch(/^worker\/0 of lab: target grpc:\/\/127\.0\.0\.1:\d+$/m);
    } finally {
      await workers.stop();
    }
  });

  it.each([
    [["fly"], /There is no action "fly": tensordeck kube contexts\|deploy/],
    [["scale", "lab"], /Write it as: tensordeck kube scale NAME JOB N\./],
    [["run", "lab"], /Write it as: tensordeck kube run NAME -- GRAPH …\./],
    [["run", "none", "--", "graph.pb"], /There is no task of a cluster none\./],
    [["delete", "none"], /Namespace default has no cluster none\. It has: lab\./],
    [["status", "--context", "guest"], /PERMISSION_DENIED.*guest/],
  ])("refuses %j with what to do", async (args, message) => {
    const { code, output } = await kube(...args);
    expect(code).not.toBe(0);
    expect(output).toMatch(message);
  });
});
