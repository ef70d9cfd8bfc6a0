/**
 * The scenarios of worker-runtime/examples, as programs of the library and as stock scripts, print the same lines on stock
 * servers, on ours of either engine, and on both together. The programs' graphs are those of the gallery.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Program } from "../../worker-runtime/examples/program.js";
import { readChosenRun } from "../../worker-runtime/graph/document-settings.js";
import { examples } from "../../worker-runtime/graph/examples/index.js";
import { DOCUMENT_COLLECTION } from "../../worker-runtime/graph/private-attrs.js";
import { Session } from "../../worker-runtime/session/session.js";
import { libtensorflowDir, peerMissing, repositoryRoot } from "../support/peers.js";
import { linesOfScript } from "./peers/lines-of-script.js";
import { freeCluster } from "./peers/stock-servers.js";

const folder = path.join(repositoryRoot, "worker-runtime", "examples");

/** The servers of a task, each started by the generic worker of its language. */
type Kind = "stock" | "portable" | "tensorflow";

const clusters: Readonly<Record<string, (task: string) => Kind>> = {
  "stock servers": () => "stock",
  "the portable engine": () => "portable",
  "engine tensorflow": () => "tensorflow",
  "a stock master among ours": (task) => (task === "worker/0" ? "stock" : "portable"),
  "our master among stock servers": (task) => (task === "worker/0" ? "portable" : "stock"),
};

const LOCAL = "/job:worker/replica:0/task:0/device:CPU:0";
const REMOTE = "/job:worker/replica:0/task:1/device:CPU:0";
const SUM = "111,222,333,444,...,9990";
const sums = (way: string) => [0, 1, 2].map((worker) => `${way}, worker ${worker}: ${SUM}`);
const received = (way: string, bytes: number, tasks: readonly string[]) =>
  tasks.map((task) => `${way}, ${task} received ${bytes} bytes`);
const WORKERS = [0, 1, 2].map((worker) => `/job:worker/task:${worker}`);

/** The scenario's own number of steps takes minutes on each cluster. */
const LAYERS_STEPS = process.env.TENSORDECK_SCENARIOS === "long" ? "10000" : "50";

/** The output of each scenario; where a list is left out, the script and the program are compared with each other. */
const scenarios: Readonly<Record<string, { args?: readonly string[]; prints?: readonly string[] }>> = {
  hello: { prints: ["Hello, distributed TensorFlow!", "Hello, distributed TensorFlow!"] },
  "gpu-pc": {
    prints: [
      ...["here: 11.0", "on one machine: 11.0", ...["x", "y", "z"].map((node) => `${node} ran on ${LOCAL}`)],
      ...["on its GPU, if it has one: 11.0", ...["x", "y", "z"].map((node) => `${node} ran on ${LOCAL}`)],
      ...["on two machines: 11.0", `x ran on ${LOCAL}`, `y ran on ${LOCAL}`, `z ran on ${REMOTE}`],
    ],
  },
  "shared-variable": { prints: ["local sessions: 1.0 and 0.0", "sessions of one cluster: 1.0 and 1.0"] },
  location: {
    prints: [
      "session 0 asks for var: ran on task 0",
      "session 1 asks for var: ran on task 0, received by task 1",
      "session 0 asks for var2: ran on task 1, received by task 0",
      "session 1 asks for var2: ran on task 1",
      "session 0 asks for var_add: ran on task 0",
    ],
  },
  "reduce-sum": {
    prints: [
      ...["sum: 1000", "total is on /job:ps/task:0"],
      ...[`portion_0 ran on ${LOCAL}`, `portion_1 ran on ${REMOTE}`],
    ],
  },
  "layers-on-servers": { args: [LAYERS_STEPS] },
  "in-graph": { args: ["50"] },
  "all-reduce": {
    prints: [
      ...[...sums("ring"), ...received("ring", 480, WORKERS)],
      ...[...sums("parameter server"), ...received("parameter server", 1080, ["/job:ps/task:0"])],
      ...[...received("parameter server", 360, WORKERS), ...sums("collective operation")],
    ],
  },
};

async function programOf(name: string): Promise<Program> {
  const module = (await import(path.join(folder, `${name}.ts`))) as { readonly main: Program };
  return module.main;
}

const script = (name: string) => path.join(folder, `${name}.py`);

/** The output of a program of the library. */
async function printedBy(name: string, args: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  await (await programOf(name))(args, { env: { ENGINE: "portable" }, say: (line) => lines.push(line) });
  return lines;
}

describe.skipIf(peerMissing("tensorflow"))("scenarios", () => {
  const temporary = mkdtempSync(path.join(tmpdir(), "tensordeck-scenarios-"));

  beforeAll(() => {
    process.env.TENSORDECK_LIBTENSORFLOW = libtensorflowDir();
  });
  afterAll(() => rmSync(temporary, { recursive: true, force: true }));

  /** The output of scenarios on the first cluster, by name: the losses are the same on all. */
  const printedFirst = new Map<string, readonly string[]>();

  /** Starts the program or script of a task, and resolves once it has said the line. */
  function launch(
    kind: Kind,
    name: string,
    request: { args: readonly string[]; env: Record<string, string>; signal: AbortSignal; log: string[] },
    ready: RegExp,
  ): { readonly ready: Promise<void>; readonly ended: Promise<unknown> } {
    const { args, env, signal, log } = request;
    let said: () => void = () => undefined;
    const heard = new Promise<void>((resolve) => {
      said = resolve;
    });
    const onLine = (line: string) => {
      log.push(line);
      if (ready.test(line)) said();
    };
    const ended =
      kind === "stock"
        ? linesOfScript(script(name), { args, env, signal, onLine })
        : programOf(name).then((run) => run(args, { env: { ...env, ENGINE: kind }, signal, say: onLine }));
    return { ready: Promise.race([heard, ended.then(() => undefined)]), ended };
  }

  test.each(["variables", "cluster-spec"])("%s needs no cluster", async (name) => {
    const printed = await printedBy(name, []);
    expect(printed.length).toBeGreaterThan(5);
    expect(await linesOfScript(script(name))).toEqual(printed);
  });

  describe.each(Object.entries(clusters))("on %s", (title, kindOf) => {
    const stop = new AbortController();
    const file = path.join(temporary, `${title}.json`);
    let addresses: Awaited<ReturnType<typeof freeCluster>> = {};
    const logs = new Map<string, string[]>();
    let ended: readonly Promise<unknown>[] = [];

    beforeAll(async () => {
      addresses = await freeCluster({ ps: 2, worker: 3 });
      const cluster = addresses;
      writeFileSync(file, JSON.stringify(cluster));
      const tasks = Object.entries(cluster).flatMap(([type, list]) =>
        list.map((_, index) => ({ type, index })),
      );
      const launched = tasks.map((task) => {
        const name = `${task.type}/${task.index}`;
        const log: string[] = [];
        logs.set(name, log);
        const env = { TF_CONFIG: JSON.stringify({ cluster, task }) };
        const request = { args: [], env, signal: stop.signal, log };
        return launch(kindOf(name), "generic-worker", request, /^target grpc:/);
      });
      ended = launched.map((one) => one.ended);
      await Promise.all(launched.map((one) => one.ready));
    });
    afterAll(async () => {
      stop.abort();
      await Promise.all(ended);
    });

    test("each task took its role from TF_CONFIG", () => {
      for (const [name, [said]] of logs) {
        const [job, index] = name.split("/");
        expect(said).toBe(`Starting server #${index} of job ${job}`);
      }
    });

    /** The gallery's run of an example, once its variables have their first values. */
    async function runExample(id: string, steps = 1): Promise<readonly number[]> {
      const document = await examples.find((example) => example.id === id)?.build();
      const graph = document?.graphDef;
      if (document === undefined || graph === undefined) throw new Error(`There is no example ${id}.`);
      const { fetches, targets } = readChosenRun(document.collectionDef.get(DOCUMENT_COLLECTION));
      const has = (name: string) => graph.node.some((node) => node.name === name);
      const target = `grpc://${addresses.worker?.[0]}`;
      const session = new Session(target, { graph, config: { allowSoftPlacement: true } });
      try {
        if (has("init")) await session.run([], { targets: ["init"] });
        const tensors = fetches.length === 0 ? ["z:0"] : fetches;
        for (let step = 1; step < steps; step += 1) await session.run([], { targets });
        const measured = has("evaluation/accuracy") ? ["evaluation/accuracy:0"] : tensors;
        const { values } = await session.run(measured, { targets });
        return values.map((value) => (value.dtype === "string" ? Number.NaN : Number(value.at(0))));
      } finally {
        await session.close();
      }
    }

    test.each([
      ["welcome", [11]],
      ["gpu", [11]],
      ["counter", [1]],
      ["server-sum", [111]],
      ["collective-sum", [111]],
      ["between-graph", [2.25]],
    ] as const)("the gallery's %s runs", async (id, first) => {
      expect(await runExample(id)).toEqual(first);
    });

    // Engine tensorflow is the stock runtime, and both mixtures show no more than one.
    const training =
      title.startsWith("our") || title.startsWith("engine") ? [] : ["train-digits", "train-replicas"];
    test.each(training)("%s learns to name pictures that it never saw", async (id) => {
      const [accuracy] = await runExample(id, 300);
      expect(accuracy).toBeGreaterThan(0.85);
    });

    test.each(Object.entries(scenarios))("%s", async (name, { args = [], prints }) => {
      const printed = await printedBy(name, [file, ...args]);
      if (prints === undefined) expect(printed.length).toBeGreaterThan(2);
      else expect(printed).toEqual(prints);
      expect(printed).toEqual(printedFirst.get(name) ?? printed);
      printedFirst.set(name, printed);
      expect(await linesOfScript(script(name), { args: [file, ...args] })).toEqual(printed);
      if (name !== "reduce-sum") return;
      // Each of our workers printed the portion that it summed, for the program and for the script.
      for (const worker of ["worker/0", "worker/1"].filter((task) => kindOf(task) !== "stock")) {
        await vi.waitFor(() => {
          expect(logs.get(worker)?.filter((line) => line.includes("portion is [500]"))).toHaveLength(2);
        });
      }
    });
  });

  test.each<[string, Kind, Kind, Kind]>([
    ["programs", "portable", "portable", "tensorflow"],
    ["programs with stock parameter servers", "stock", "portable", "tensorflow"],
    ["scripts with our parameter servers", "portable", "stock", "stock"],
    ["a program and a script", "stock", "portable", "stock"],
    ["a script and a program", "portable", "stock", "tensorflow"],
  ])("between-graph: %s train together", async (_, ps, first, second) => {
    for (const sync of [[], ["--sync"]]) {
      const cluster = await freeCluster({ ps: 2, worker: 2 });
      const hosts = [`--ps_hosts=${cluster.ps}`, `--worker_hosts=${cluster.worker}`, ...sync];
      const stop = new AbortController();
      const start = (kind: Kind, job: string, index: number) => {
        const log: string[] = [];
        const args = [...hosts, `--job_name=${job}`, `--task_index=${index}`];
        const request = { args, env: {}, signal: stop.signal, log };
        return { log, ...launch(kind, "between-graph", request, /serves$/) };
      };
      const servers = [0, 1].map((index) => start(ps, "ps", index));
      const workers = [start(first, "worker", 0), start(second, "worker", 1)];
      try {
        await Promise.all(workers.map((worker) => worker.ended));
      } finally {
        stop.abort();
      }
      await Promise.all(servers.map((server) => server.ended));
      // As in TensorFlow's own optimizers, the step is counted without a lock: asynchronous workers may miss each other's.
      const updates =
        sync.length === 0 ? /^(?:29[0-9]|300) updates: loss 0\.000$/ : /^150 updates: loss 0\.000$/;
      for (const [index, { log }] of workers.entries()) {
        expect(log).toEqual([
          `worker ${index} serves`,
          expect.stringMatching(updates),
          "y = 2.00 a + -1.00 b + 0.50",
        ]);
      }
    }
  });
});
