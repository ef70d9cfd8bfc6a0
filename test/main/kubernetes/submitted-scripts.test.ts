import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiServer } from "../../../main/kubernetes/api-server.js";
import { pathOf } from "../../../main/kubernetes/manifests.js";
import { openPlace } from "../../../main/kubernetes/scripts/open-place.js";
import { podSizeOf, type ScriptPlace } from "../../../main/kubernetes/scripts/place.js";
import type { JobResult, ScriptJob } from "../../../main/scripts/script-job.js";
import { parseTasks } from "../../../main/scripts/script-tasks.js";
import type { Collected } from "../../../main/submit/job-machine.js";
import type { JobSettings } from "../../../main/submit/job-settings.js";
import { submitJob } from "../../../main/submit/submit-job.js";
import { Ports } from "../../../main/tasks/ports.js";
import { command } from "../../interop/worker-peers.js";
import { environmentWithoutProxies, peerMissing, spawnPeer } from "../../support/peers.js";
import { Kubelet } from "./support/kubelet.js";
import { addNode } from "./support/node.js";
import { hasRealServer, startRealServer } from "./support/real-server.js";
import { MISSING_IMAGE, REFUSED_IMAGE, ScriptNode } from "./support/script-node.js";
import { startStandIn } from "./support/stand-in-server.js";
import { type TestServer, writeKubeconfig } from "./support/test-server.js";

const NAMESPACE = "default";
const what = "A test's request failed";

const SERVERS = [
  ["a stand-in for an API server", (kubelet: Kubelet, _folder: string) => startStandIn(kubelet)],
  ...(hasRealServer ? ([["Kubernetes' API server", startRealServer]] as const) : []),
] as const;

const TRAIN = `
import json, os, sys
task = json.loads(os.environ["TF_CONFIG"])["task"]
print("cluster", os.environ["TF_CONFIG"])
print("data", open("data/numbers.txt").read(), os.path.exists("secret.txt"), sys.argv[1:])
os.makedirs("out", exist_ok=True)
open("out/model.txt", "w").write(f"weights of {task['index']}")
sys.stdout.write("no end of line")
`;

describe.skipIf(peerMissing("python")).each(SERVERS)("a script in Kubernetes, with %s", (_name, start) => {
  let root: string;
  let folder: string;
  let kubelet: Kubelet;
  let server: TestServer;
  let kubeconfig: string;
  let api: ApiServer;
  let node: ScriptNode;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "tensordeck-kubernetes-"));
    kubelet = new Kubelet();
    server = await start(kubelet, root);
    kubeconfig = await writeKubeconfig(server, root, NAMESPACE);
    api = await ApiServer.connect({ kubeconfig });
    await vi.waitFor(() => api.request({ path: `/api/v1/namespaces/${NAMESPACE}`, what }), {
      timeout: 60_000,
    });
    await addNode(api, server);
    node = await ScriptNode.open({ api, namespace: NAMESPACE, kubelet, folder: join(root, "pods") });
  }, 180_000);
  afterAll(async () => {
    await node?.close();
    await server?.stop();
    await rm(root, { recursive: true, force: true });
  }, 120_000);
  beforeEach(async () => {
    folder = await mkdtemp(join(root, "script-"));
    await mkdir(join(folder, "data"));
    await writeFile(join(folder, "data", "numbers.txt"), "1 2 3");
    await writeFile(join(folder, "secret.txt"), "not to be sent");
    await writeFile(join(folder, ".gitignore"), "secret.txt\n");
  });

  interface Submitted {
    readonly result: JobResult;
    readonly lines: readonly string[];
    readonly notices: readonly string[];
    readonly collected: Collected | undefined;
  }

  async function submit(
    on: string,
    script: string,
    more: Partial<JobSettings> & {
      readonly place?: ScriptPlace;
      readonly signal?: AbortSignal;
      readonly onLine?: (text: string, job: ScriptJob) => void;
      readonly onProgress?: (text: string) => void;
    } = {},
  ): Promise<Submitted> {
    const { place = {}, signal = new AbortController().signal, onLine, onProgress, ...settings } = more;
    await writeFile(join(folder, "train.py"), script);
    const lines: string[] = [];
    const notices: string[] = [];
    let collected: Collected | undefined;
    let job: ScriptJob | undefined;
    const result = await submitJob({
      settings: {
        ...{ folder, script: "train.py", args: [], outputs: undefined, maxBytes: 1e6, python: undefined },
        ...{ requirements: undefined, restarts: 0, passFlags: false, network: false, scalars: false },
        ...settings,
      },
      tasks: parseTasks(on).map((task) => ({ ...task, machine: undefined })),
      submitter: {
        identity: () => Promise.reject(new Error("No machine takes part.")),
        environments: join(root, "environments"),
        ports: new Ports(),
      },
      openPlace: openPlace(api, NAMESPACE, podSizeOf(place)),
      events: {
        onLine: ({ job: name, index }, { text }) => {
          lines.push(`${name}/${index} ${text}`);
          if (job) onLine?.(text, job);
        },
        onNotice: (text) => notices.push(text),
        onProgress: (_machine, text) => {
          notices.push(text);
          onProgress?.(text);
        },
        onFiles: ({ files, totalBytes }) => notices.push(`${files.length} files, ${totalBytes > 0}`),
        onReady: () => notices.push("ready"),
        onScalars: () => undefined,
        onCollected: (_machine, found) => {
          collected = found;
        },
        onJob: (started) => {
          job = started;
        },
      },
      signal,
    });
    return { result, lines, notices, collected };
  }

  /** Names of what is left in the cluster. */
  async function left(): Promise<string[]> {
    const names: string[] = [];
    for (const kind of ["Job", "Pod", "Service", "NetworkPolicy"] as const) {
      const { items } = (await api.request({
        ...{ path: pathOf(kind, NAMESPACE), what },
        query: { labelSelector: "app.kubernetes.io/name=tensordeck-script" },
      })) as { items: { metadata: { name: string } }[] };
      names.push(...items.map(({ metadata }) => `${kind} ${metadata.name}`));
    }
    return names;
  }
  const nothingIsLeft = () => vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 60_000 });

  it("runs each task in a pod of its own, with the files, and brings back what they made", async () => {
    const { result, lines, notices, collected } = await submit("worker:2", TRAIN, {
      args: ["--lr", "it's 1"],
    });
    expect(result).toMatchObject({ outcome: { kind: "succeeded" } });
    const configs = lines.flatMap((line) => /^worker\/\d cluster (.*)$/.exec(line)?.[1] ?? []);
    const [config] = configs.map((text) => JSON.parse(text) as { cluster: { worker: string[] } });
    expect(config?.cluster.worker).toHaveLength(2);
    expect(config?.cluster.worker[1]).toMatch(/^worker-1\.train-[0-9a-f]{6}:\d+$/);
    for (const task of ["worker/0", "worker/1"]) {
      expect(lines).toContain(`${task} data 1 2 3 False ['--lr', "it's 1"]`);
      expect(lines).toContain(`${task} no end of line`);
    }
    expect(lines.join("\n")).not.toMatch(/tensordeck-[0-9a-f]{24}/);
    expect(notices).toContain("3 files, true");
    expect(notices.join("\n")).toMatch(/Only pods of this job do/);
    expect(collected).toMatchObject({ files: 2, leftOut: [] });
    const made = (host: string) => readFile(join(collected?.folder ?? "", host, "out", "model.txt"), "utf8");
    expect([await made("worker-0"), await made("worker-1")]).toEqual(["weights of 0", "weights of 1"]);
    expect(existsSync(join(collected?.folder ?? "", "worker-0", "train.py"))).toBe(false);
    await nothingIsLeft();
  }, 120_000);

  it("fails with the script's error, and brings back only what was asked for", async () => {
    const { result, collected } = await submit(
      "worker:1",
      `
import os
os.makedirs("checkpoints"); open("checkpoints/a", "w").write("kept"); open("other", "w").write("not")
raise ValueError("the data are wrong")
`,
      { outputs: "checkpoints" },
    );
    expect(result).toMatchObject({
      outcome: { kind: "failed", exit: { code: 1 } },
      problem: {
        message: "worker/0 on Kubernetes (lab/default) failed (exit code 1).",
        reason: "ValueError: the data are wrong",
      },
    });
    expect(collected).toMatchObject({ files: 1 });
    expect(await readFile(join(collected?.folder ?? "", "worker-0", "checkpoints", "a"), "utf8")).toBe(
      "kept",
    );
  }, 120_000);

  it("starts a failed task again in its pod, where it finds its checkpoint", async () => {
    const { result, lines, notices } = await submit(
      "worker:1",
      `
import os, sys
if not os.path.exists("checkpoint"):
    open("checkpoint", "w").write("step 7")
    sys.exit(3)
print("goes on from", open("checkpoint").read())
`,
      { restarts: 1 },
    );
    expect(result.outcome).toEqual({ kind: "succeeded" });
    expect(lines).toEqual(["worker/0 goes on from step 7"]);
    expect(notices.join("\n")).toMatch(/Now it is started again|Now all tasks are started again/);
  }, 120_000);

  it("says that the memory ran out, and starts the task again in another pod", async () => {
    let isFirst = true;
    const { result, notices } = await submit(
      "worker:1",
      `print("grows", flush=True)\nimport time\ntime.sleep(3600)`,
      {
        restarts: 1,
        onLine: (text, job) => {
          if (text !== "grows") return;
          if (isFirst) void left().then((names) => node.runOutOfMemory(podOf(names, "worker-0")));
          else job.stop();
          isFirst = false;
        },
      },
    );
    expect(result.outcome).toEqual({ kind: "stopped" });
    expect(notices.join("\n")).toMatch(/worker\/0 failed: its container ran out of memory \(OOMKilled\)\./);
    await nothingIsLeft();
  }, 120_000);

  it("asks the script to end when it is stopped, and brings back what it made", async () => {
    const { result, collected, lines } = await submit(
      "worker:1",
      `
import signal, sys, time
def end(*_):
    open("saved", "w").write("at the end")
    print("saves", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
print("runs", flush=True)
time.sleep(3600)
`,
      { onLine: (text, job) => text === "runs" && job.stop() },
    );
    expect(result.outcome).toEqual({ kind: "stopped" });
    expect(lines).toEqual(["worker/0 runs", "worker/0 saves"]);
    expect(collected).toMatchObject({ files: 1 });
    await nothingIsLeft();
  }, 120_000);

  it("says why a pod does not run, and leaves nothing", async () => {
    await expect(submit("worker:1", "", { place: { image: MISSING_IMAGE } })).rejects.toMatchObject({
      problem: {
        message: expect.stringMatching(
          /^Pod train-[0-9a-f]{6}-worker-0-\w+ does not run: its image cannot be had\.$/,
        ),
        reason: `Back-off pulling image "${MISSING_IMAGE}"`,
        task: "worker/0",
      },
    });
    await nothingIsLeft();
  }, 120_000);

  it("says that Kubernetes refuses a pod, as a quota does", async () => {
    const refused = submit("worker:1", "", {
      place: { image: REFUSED_IMAGE, memory: "4Gi" },
    });
    void refused.catch(() => undefined);
    const name = await vi.waitFor(
      async () => {
        const [job = ""] = (await left()).filter((found) => found.startsWith("Job "));
        expect(job).not.toBe("");
        return job.slice("Job ".length);
      },
      { timeout: 60_000 },
    );
    await api.request({
      ...{ method: "POST", path: `/api/v1/namespaces/${NAMESPACE}/events`, what },
      body: {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: `${name}.refused`, namespace: NAMESPACE },
        involvedObject: { kind: "Job", name, namespace: NAMESPACE },
        ...{ type: "Warning", reason: "FailedCreate" },
        message: "exceeded quota: memory=4Gi",
      },
    });
    await expect(refused).rejects.toMatchObject({
      problem: {
        message: "Kubernetes does not make the pod of worker/0.",
        reason: "exceeded quota: memory=4Gi",
      },
    });
    await nothingIsLeft();
  }, 120_000);

  it("can be given up while it is prepared", async () => {
    const abort = new AbortController();
    const given = submit("worker:2", "", {
      signal: abort.signal,
      onProgress: () => abort.abort(new Error("enough")),
    });
    await expect(given).rejects.toThrow("enough");
    await nothingIsLeft();
  }, 120_000);

  it("is submitted by the command, whose exit status is that of the script", async () => {
    await writeFile(join(folder, "train.py"), 'print("in a pod")\nraise SystemExit(5)');
    const script = join(folder, "train.py");
    const peer = await spawnPeer(
      process.execPath,
      [command, "submit", script, "--kube", "--kubeconfig", kubeconfig, "--cpus", "1"],
      { env: environmentWithoutProxies() },
    );
    const { code } = await peer.exited;
    expect(code, peer.output()).toBe(5);
    expect(peer.stdout()).toBe("in a pod\n");
    expect(peer.output()).toMatch(/tensordeck: sending 3 files, 1 kB, to Kubernetes \(lab\/default\)/);
    await nothingIsLeft();
  }, 120_000);
});

function podOf(names: readonly string[], host: string): string {
  const found = names.find((name) => name.startsWith("Pod ") && name.includes(`-${host}-`));
  return (found ?? "").slice("Pod ".length);
}

describe("what a task in Kubernetes gets", () => {
  it.each([
    [{}, { image: "tensorflow/tensorflow:2.21.0", gpus: 0 }],
    [
      { gpus: "2", memory: "8Gi" },
      { image: "tensorflow/tensorflow:2.21.0-gpu", gpus: 2, memory: "8Gi" },
    ],
    [
      { gpus: "1", image: "me/it:1" },
      { image: "me/it:1", gpus: 1 },
    ],
  ])("of %j", (place, size) => {
    expect(podSizeOf(place)).toMatchObject(size);
  });

  it.each([
    [{ memory: "lots" }, "The option memory must be a size with its unit, such as 512Mi or 4Gi."],
    [{ gpus: "many" }, "The option gpus must be a whole number from 0 to 64."],
  ])("refuses %j", (place, message) => {
    expect(() => podSizeOf(place)).toThrow(message);
  });
});
