import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { csvSumGraph } from "../../worker-runtime/graph/examples/csv-sum.js";
import { welcomeGraph } from "../../worker-runtime/graph/examples/first-graphs.js";
import { writeGraphFile } from "../../worker-runtime/graph/graph-file.js";
import { readNpy, writeNpy } from "../../worker-runtime/io/npy.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import {
  environmentWithoutProxies,
  libraryEnvironment,
  type PeerProcess,
  peerMissing,
  repositoryRoot,
  spawnPeer,
} from "../support/peers.js";
import { constant, graphOf, placeholder, shape, type, typed } from "./peers/nodes.js";
import { freeCluster, type StockServers, startStockServers } from "./peers/stock-servers.js";

const CPU_0 = "/job:worker/replica:0/task:0/device:CPU:0";
const CPU_1 = "/job:worker/replica:0/task:1/device:CPU:0";

let folder = "";
let servers: StockServers;

/** Starts `tensordeck` with the given arguments, from the sources. */
function start(...args: string[]): Promise<PeerProcess> {
  const main = join(repositoryRoot, "main", "cli", "main.ts");
  const env = { ...environmentWithoutProxies(), ...libraryEnvironment() };
  return spawnPeer(process.execPath, ["--import", "tsx", main, ...args], { cwd: repositoryRoot, env });
}

/** The processes that a process has started (Linux). */
function childrenOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
}

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function tensordeck(...args: string[]): Promise<Outcome> {
  const child = await start(...args);
  const { code } = await child.exited;
  const stdout = child.stdout();
  return { code, stdout, stderr: child.output().replace(stdout, "") };
}

const run = (graph: string, ...args: string[]) =>
  tensordeck("run", join(folder, graph), "--target", servers.target("worker/0"), ...args);

const writeGraph = (name: string, graph: GraphDef) =>
  writeFile(join(folder, name), GraphDef.encode(graph).finish());

/** Blocks until it is cancelled: nothing is ever put into the queue. */
const blocking = () => {
  const types = {
    $case: "list" as const,
    value: { s: [], i: [], f: [], b: [], type: [1], shape: [], tensor: [], func: [] },
  };
  return graphOf(
    { name: "queue", op: "FIFOQueueV2", attr: { component_types: types } },
    { name: "next", op: "QueueDequeueV2", input: ["queue"], attr: { component_types: types } },
  );
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tensordeck-cli-"));
  for (const [name, metaGraph] of [
    ["welcome", welcomeGraph()],
    ["sum", csvSumGraph()],
  ] as const) {
    await writeFile(
      join(folder, `${name}.pbtxt`),
      writeGraphFile({ kind: "meta_graph", format: "text", metaGraph }),
    );
  }
  await writeGraph("blocking.pb", blocking());
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(peerMissing("tensorflow"))("tensordeck run on stock servers", () => {
  beforeAll(async () => {
    servers = await startStockServers(await freeCluster({ worker: 2 }), ["worker/0", "worker/1"]);
  });

  afterAll(async () => {
    await servers?.process.stop();
  });

  test("fetches what no other node consumes, prints it, and says so on standard error", async () => {
    const { code, stdout, stderr } = await run("welcome.pbtxt");
    expect(stdout).toBe("z:0  float32 []\n11.0\n");
    expect(stderr).toContain("Fetching z:0, which no other node consumes.");
    expect(code).toBe(0);
  });

  test("placement as TensorFlow's log has it, of every node", async () => {
    const { stdout } = await run("welcome.pbtxt", "--fetch", "z", "--log_device_placement");
    expect(stdout.split("\n").slice(0, 5)).toEqual([
      `a: (Const): ${CPU_0}`,
      `b: (Const): ${CPU_0}`,
      `x: (AddV2): ${CPU_0}`,
      `y: (Mul): ${CPU_0}`,
      `z: (AddV2): ${CPU_1}`,
    ]);
  });

  test("a trace that shows both tasks and the transfers between them", async () => {
    const file = join(folder, "trace.json");
    await run("welcome.pbtxt", "--no-optimize", "--steps", "3", "--trace", file);
    const trace = JSON.parse(await readFile(file, "utf8")) as {
      traceEvents: { name: string; ph: string; args?: Record<string, string> }[];
    };
    const names = trace.traceEvents.filter((event) => event.ph === "X").map((event) => event.args?.name);
    expect(names).toEqual(expect.arrayContaining(["a", "b", "x", "y", "z", "RecvTensor"]));
    const devices = trace.traceEvents
      .filter((event) => event.name === "process_name")
      .map((event) => event.args?.name);
    expect(devices).toEqual([`${CPU_0} Compute`, `${CPU_1} Compute`]);
  });

  test("a trace says which nodes TensorFlow's optimizers removed", async () => {
    const { stderr } = await run("welcome.pbtxt", "--trace", join(folder, "optimized.json"));
    expect(stderr).toContain("removed 4 of 5 nodes from the graph");
    expect(stderr).toContain("--no-optimize");
  });

  test("feeds a CSV column, writes .npy files", async () => {
    const csv = join(folder, "ones.csv");
    await writeFile(csv, `price,n\n${"2.5,1\n".repeat(1000)}`);
    const out = join(folder, "out");
    const total = join(folder, "total.npy");
    const { code, stdout } = await run(
      ...(["sum.pbtxt", "--feed", `input:0=@${csv}:n`, "--fetch", "total,sums:0"] as const),
      ...["--output", out, "--output", `total=@${total}`],
    );
    expect(code).toBe(0);
    expect(stdout).toContain("total:0  int32 []\n1000\n");
    expect(readNpy(await readFile(total)).item()).toBe(1000);
    expect(readNpy(await readFile(join(out, "sums_0.npy"))).toArray()).toEqual([500, 500]);
  });

  test("feeds a .npy of another dtype, and JSON tells values apart that text rounds", async () => {
    const npy = join(folder, "a.npy");
    await writeFile(npy, writeNpy(Tensor.of([[0.1, 2]], "float64")));
    await writeGraph(
      "add.pb",
      graphOf(
        placeholder("a", "float32"),
        constant("b", 1, "float32"),
        typed("c", "AddV2", ["a", "b"], "float32"),
      ),
    );
    const { stdout } = await run("add.pb", "--feed", `a=@${npy}`, "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      fetches: { "c:0": { dtype: "float32", shape: [1, 2], values: [[1.1, 3]] } },
    });
  });

  test.each([
    [["welcome.pbtxt", "--fetch", "zz"], 'NOT_FOUND: The graph has no node "zz"'],
    [["sum.pbtxt", "--feed", "input=[[1]]"], "INVALID_ARGUMENT: Feed of input:0: The value has shape [1, 1]"],
    [["sum.pbtxt"], "INVALID_ARGUMENT: "],
    [["missing.pb"], "NOT_FOUND: There is no file"],
    [["blocking.pb", "--timeout", "0.5", "--fetch", "next"], "DEADLINE_EXCEEDED: "],
  ])("%j fails with TensorFlow's code", async ([graph = "", ...args], message) => {
    const { code, stdout, stderr } = await run(graph, ...args);
    expect(stderr).toContain(message);
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });

  test("Ctrl-C cancels the step and gives exit code 130", async () => {
    const child = await start(
      ...["run", join(folder, "blocking.pb"), "--target", servers.target("worker/0"), "--fetch", "next"],
    );
    // Said once the step has taken a while.
    await child.waitForOutput(/Running the step/);
    child.child.kill("SIGINT");
    expect((await child.exited).code).toBe(130);
    expect(child.output()).toContain("CANCELLED: ");
  });
});

const ENGINES = [
  { engine: "tensorflow", isMissing: peerMissing("tensorflow") },
  { engine: "portable", isMissing: false },
];

describe("tensordeck run on tasks of its own", () => {
  test("without a target, on a local server of its own that ends with the run", async () => {
    await writeGraph(
      "local.pb",
      graphOf(constant("a", "Hello, distributed TensorFlow!"), typed("b", "Identity", ["a"], "string")),
    );
    const { code, stdout, stderr } = await tensordeck("run", join(folder, "local.pb"));
    expect(stdout, stderr).toBe('b:0  string []\n"Hello, distributed TensorFlow!"\n');
    expect(code).toBe(0);
  });

  describe.each(ENGINES)("of the engine $engine", ({ engine, isMissing }) => {
    describe.skipIf(isMissing)("run", () => {
      test("a pinned graph without a target", async () => {
        const args = ["run", join(folder, "welcome.pbtxt"), "--engine", engine, "--log_device_placement"];
        const { code, stdout, stderr } = await tensordeck(...args);
        expect(stdout, stderr).toContain(`z: (AddV2): ${CPU_1}\nz:0  float32 []\n11.0\n`);
        expect(stderr).toContain(
          "Starting local tasks for the jobs that the graph is pinned to: 2 of worker",
        );
        expect(code).toBe(0);
      });

      test("variables on ps tasks, initialized and trained", async () => {
        const ps = "/job:ps/task:1";
        await writeGraph(
          "counted.pb",
          graphOf(
            constant("start", 40, "int32", ps),
            { name: "v", op: "VariableV2", device: ps, attr: { dtype: type("int32"), shape: shape() } },
            typed("init", "Assign", ["v", "start"], "int32", ps),
            constant("one", 1, "int32", "/job:worker/task:0"),
            typed("more", "AssignAdd", ["v", "one"], "int32", ps),
            typed("seen", "Neg", ["more"], "int32", "/job:worker/task:1"),
          ),
        );
        const { code, stdout, stderr } = await tensordeck(
          ...[
            "run",
            join(folder, "counted.pb"),
            "--engine",
            engine,
            "--init",
            "init",
            "--steps",
            "2",
            "--fetch",
            "seen",
          ],
        );
        expect(stdout, stderr).toBe("seen:0  int32 []\n-42\n");
        expect(stderr).toContain("2 of worker, 2 of ps");
        expect(code).toBe(0);
      });

      test("a GPU that they do not have", async () => {
        const device = "/job:worker/task:0/device:GPU:7";
        await writeGraph("gpu.pb", graphOf(constant("a", 1, "float32", device)));
        const args = ["run", join(folder, "gpu.pb"), "--engine", engine];
        const refused = await tensordeck(...args);
        expect(refused.stderr).toContain("INVALID_ARGUMENT: ");
        expect(refused.stderr).toContain("With --soft_placement these nodes run on the CPU.");
        expect(refused.code).toBe(1);
        const { stdout, stderr } = await tensordeck(...args, "--soft_placement");
        expect(stdout, stderr).toBe("a:0  float32 []\n1.0\n");
      });
    });
  });

  test.skipIf(process.platform !== "linux").each(["SIGINT", "SIGKILL"] as const)(
    "local tasks are ended with the run that %s ends",
    async (signal) => {
      const graph = blocking();
      for (const [index, node] of graph.node.entries()) node.device = `/job:worker/task:${index}`;
      await writeGraph("blocking-there.pb", graph);
      const child = await start(
        "run",
        join(folder, "blocking-there.pb"),
        "--engine=portable",
        "--fetch=next",
      );
      await child.waitForOutput(/Running the step/);
      const tasks = childrenOf(child.pid);
      expect(tasks.length).toBe(2);
      child.child.kill(signal);
      const end = await child.exited;
      expect(end).toEqual(signal === "SIGINT" ? { code: 130, signal: null } : { code: null, signal });
      await expect.poll(() => tasks.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
    },
  );

  test("pins that no tasks here can meet are refused before one starts", async () => {
    await writeGraph("many.pb", graphOf(constant("a", 1, "float32", "/job:worker/task:40")));
    const { code, stderr } = await tensordeck("run", join(folder, "many.pb"));
    expect(stderr).toContain("INVALID_ARGUMENT: The graph is pinned to 41 tasks (41 of worker)");
    expect(stderr).not.toContain("Starting");
    expect(code).toBe(1);
  });

  test("--cluster forms a cluster of workers that were started alone", async () => {
    const workers = await Promise.all([start("worker"), start("worker")]);
    const addresses = await Promise.all(
      workers.map(async (worker) => (await worker.waitForOutput(/target grpc:\/\/(\S+)/))[1] ?? ""),
    );
    const file = join(folder, "cluster.json");
    await writeFile(file, JSON.stringify({ worker: addresses }));
    const { code, stdout, stderr } = await tensordeck(
      ...["run", join(folder, "welcome.pbtxt"), "--target", `grpc://${addresses[0]}`, "--cluster", file],
      "--log_device_placement",
    );
    expect(stdout, stderr).toContain(`z: (AddV2): ${CPU_1}\nz:0  float32 []\n11.0\n`);
    expect(code).toBe(0);
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  test("a server that is not there is UNAVAILABLE, without a long wait", async () => {
    const [address = ""] = (await freeCluster({ worker: 1 })).worker ?? [];
    const { code, stderr } = await tensordeck(
      "run",
      join(folder, "welcome.pbtxt"),
      "--target",
      `grpc://${address}`,
    );
    expect(stderr).toContain("UNAVAILABLE: ");
    expect(code).toBe(1);
  });
});

test("--help names every flag", async () => {
  const { code, stdout } = await tensordeck("run", "--help");
  expect(code).toBe(0);
  for (const flag of [
    "target",
    "fetch",
    "feed",
    "run",
    "steps",
    "timeout",
    "trace",
    "log_device_placement",
    "output",
    "json",
    "cluster",
  ]) {
    expect(stdout).toContain(`--${flag}`);
  }
});
