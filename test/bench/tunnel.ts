import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TunnelEnd } from "../../main/peers/agent/tunnel-request.js";
import { type Identity, loadIdentity } from "../../main/peers/identity/identity.js";
import { DEFAULT_AGENT_PORT } from "../../main/peers/port/agent-port.js";
import { TrustStore } from "../../main/peers/trust/trust-store.js";
import type { TunnelHostPlan } from "../net/fixtures/tunnel-host.js";
import { type Host, Network } from "../net/support/network.js";
import { libtensorflowDir, repositoryRoot, tensorflowPython } from "../support/find-peers.js";
import type { PeerProcess } from "../support/processes.js";
import { benchFolder } from "./python-client.js";
import { type Measurement, median, type Row } from "./report.js";

const TENSOR_BYTES = 64 * 1024 * 1024;
const STREAM_BYTES = 512 * 1024 * 1024;
const TICK_MILLIS = 10;
const PORTS = { first: 2222, second: 2223, raw: 2224 };
const ROUNDS = 2;
const START_MILLIS = 120_000;

/** plain: TensorFlow on the network. tunnel: loopback addresses and tunnels. isolated: that, with the tasks in a namespace. */
type Way = "plain" | "tunnel" | "isolated";

interface Result {
  /** The times of every repetition, by what was done. */
  readonly seconds: Readonly<Record<string, readonly number[]>>;
  /** Processor time that the applications of the two machines spent, in seconds. */
  readonly cpuSeconds: readonly number[];
}

interface Machine {
  readonly host: Host;
  readonly dataDir: string;
  readonly identity: Identity;
}

async function makeMachine(host: Host): Promise<Machine> {
  const dataDir = await mkdtemp(join(tmpdir(), "tensordeck-bench-"));
  return { host, dataDir, identity: await loadIdentity(dataDir) };
}

async function trust(machine: Machine, { host, identity }: Machine): Promise<void> {
  const store = await TrustStore.load(machine.dataDir);
  await store.put({
    deviceId: identity.deviceId,
    name: host.name,
    certPem: identity.certPem,
    grantedRole: "run",
    role: "run",
    addresses: [host.address4],
    agentPort: DEFAULT_AGENT_PORT,
    pairedAt: Date.now(),
  });
  await store.close();
}

function tunnelTo({ host, identity }: Machine, port: number): TunnelEnd {
  const agentAddresses = [`${host.address4}:${DEFAULT_AGENT_PORT}`];
  return { port, deviceId: identity.deviceId, agentAddresses };
}

/** The machine's application and its task, 0 or 1. */
async function startApplication(
  { host, dataDir }: Machine,
  index: number,
  way: Way,
  addresses: readonly string[],
  tunnels: readonly TunnelEnd[],
): Promise<PeerProcess> {
  const plan: TunnelHostPlan = {
    dataDir,
    library: join(libtensorflowDir(), "libtensorflow_cc.so.2"),
    cluster: { worker: Object.fromEntries(addresses.entries()) },
    tasks: [
      { job: "worker", index, port: index === 0 ? PORTS.first : PORTS.second, isolate: way === "isolated" },
    ],
    foreignPorts: index === 0 ? [] : [PORTS.raw],
    orders: { tunnels: way === "plain" ? [] : tunnels, admissions: [] },
  };
  const fixture = join(repositoryRoot, "test", "net", "fixtures", "tunnel-host.ts");
  return await host.spawn(process.execPath, ["--import", "tsx", fixture, JSON.stringify(plan)], {
    ready: /ready /,
    readyTimeoutMillis: START_MILLIS,
  });
}

async function measure(way: Way, one: Machine, two: Machine): Promise<Result> {
  const host = (machine: Machine) => (way === "plain" ? machine.host.address4 : "localhost");
  const addresses = [`${host(one)}:${PORTS.first}`, `${host(two)}:${PORTS.second}`];
  const applications = await Promise.all([
    startApplication(one, 0, way, addresses, [tunnelTo(two, PORTS.second), tunnelTo(two, PORTS.raw)]),
    startApplication(two, 1, way, addresses, [tunnelTo(one, PORTS.first)]),
  ]);
  try {
    const before = await Promise.all(applications.map(cpuSeconds));
    const targets = addresses.map((address) => `grpc://${address}`);
    const output = await one.host.run(
      tensorflowPython(),
      [join(benchFolder, "tunnel_client.py"), ...targets, host(two), String(PORTS.raw)],
      { timeoutMillis: START_MILLIS },
    );
    const after = await Promise.all(applications.map(cpuSeconds));
    return {
      seconds: JSON.parse(output) as Record<string, number[]>,
      cpuSeconds: after.map((seconds, i) => seconds - (before[i] ?? 0)),
    };
  } finally {
    await Promise.all(applications.map((application) => application.stop()));
  }
}

async function cpuSeconds({ pid }: PeerProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * TICK_MILLIS) / 1000;
}

interface Figure {
  readonly what: string;
  /** Its name in the client's answer. */
  readonly step: string;
  /** Bytes of one repetition, for a rate; a time otherwise. */
  readonly bytes?: number;
}

const figures: readonly Figure[] = [
  { what: "message of 100 bytes, there and back", step: "message" },
  { what: "stream of 512 MB", step: "stream", bytes: STREAM_BYTES },
  { what: "small step on the other machine", step: "step" },
  { what: "small step over both machines", step: "hop" },
  { what: "fetch of 64 MB", step: "fetch", bytes: TENSOR_BYTES },
  { what: "feed of 64 MB", step: "feed", bytes: TENSOR_BYTES },
  { what: "64 MB from task to task", step: "receive", bytes: TENSOR_BYTES },
];

function middleOf({ step, bytes }: Figure, results: readonly Result[]): number {
  const seconds = median(results.flatMap((result) => result.seconds[step] ?? []));
  return bytes === undefined ? seconds * 1000 : bytes / 1e6 / seconds;
}

/** Stock TensorFlow on two hosts of a network of namespaces: through tunnels, and beside it plain, in turns. */
export const tunnelMeasurement: Measurement = {
  name: "secure clusters through tunnels; in place of Python's, the same on the plain network",
  async run(): Promise<readonly Row[]> {
    const network = await Network.create(2);
    const machines = await Promise.all(network.hosts.map(makeMachine));
    try {
      const [one, two] = machines;
      if (!one || !two) throw new Error("The network has too few hosts.");
      await Promise.all([trust(one, two), trust(two, one)]);
      const sink = [join(benchFolder, "tunnel_sink.py"), String(PORTS.raw)];
      await two.host.spawn("python3", sink, { ready: /listening/ });
      const results: Record<Way, Result[]> = { plain: [], tunnel: [], isolated: [] };
      for (let round = 0; round < ROUNDS; round++) {
        for (const way of ["plain", "tunnel", "isolated"] as const) {
          results[way].push(await measure(way, one, two));
        }
      }
      return (["tunnel", "isolated"] as const).flatMap((way) => rowsOf(way, results[way], results.plain));
    } finally {
      await network.dispose();
      for (const { dataDir } of machines) await rm(dataDir, { recursive: true, force: true });
    }
  },
};

function rowsOf(way: Way, ours: readonly Result[], plain: readonly Result[]): Row[] {
  const rows = figures.map((figure): Row => {
    const rate = figure.bytes !== undefined;
    return {
      what: `${way}: ${figure.what}`,
      unit: rate ? "MB/s" : "ms",
      ours: middleOf(figure, ours),
      theirs: middleOf(figure, plain),
    };
  });
  return [
    ...rows,
    ...["near", "far"].map(
      (end, i): Row => ({
        what: `${way}: processor time of the ${end} end, all of the above`,
        unit: "s",
        ours: median(ours.map((result) => result.cpuSeconds[i] ?? Number.NaN)),
        theirs: undefined,
      }),
    ),
  ];
}
