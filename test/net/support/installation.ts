/** Tensordeck as it is installed on a host of a test's network, driven from outside of that network. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClusterState, Engine, Task } from "../../../main/api/cluster.js";
import type { PairingState, Role } from "../../../main/api/machines.js";
import type { RunUpdate } from "../../../main/api/runs.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { ApiClient } from "../../e2e/support/api-client.js";
import { engineEnvironment } from "../../support/engine-environment.js";
import { electronNode, repositoryRoot } from "../../support/find-peers.js";
import { environmentWithoutProxies, freePort, type PeerProcess } from "../../support/processes.js";
import { Carrier } from "./carrier.js";
import type { Host } from "./network.js";

/** The tasks of all machines. */
export function tasksIn({ machines }: Pick<ClusterState, "machines">): Task[] {
  return machines.flatMap(({ tasks }) => tasks);
}

/** A state in a few lines, for the message of a test that waited in vain. */
function sketch({ machines, ...cluster }: ClusterState): string {
  const lines = machines.flatMap(({ name, kind, presence, problem, tasks }) => [
    `${name}, ${kind}, ${presence} ${problem?.message ?? ""}`,
    ...tasks.map(({ job, index, address, state, ...task }) => {
      const said = [task.problem, task.notice].map((one) => one && JSON.stringify(one));
      return `  ${job}/${index} ${address} ${state} ${said.join(" ")}`;
    }),
  ]);
  return [`${cluster.membership}, ${cluster.access}, ${JSON.stringify(cluster.exposures)}`, ...lines].join(
    "\n",
  );
}

export interface InstallationOptions {
  /** The engine of new tasks; "portable" unless given, as on a machine without TensorFlow. */
  readonly engine?: Engine;
  /** True: the application's process runs on the Node of the desktop program's, and its tasks on the tests' own. */
  readonly onElectronNode?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Starts the application on that port in another way; it has printed its window's address then (`WINDOW_OPENS`). */
  readonly start?: (port: number) => Promise<PeerProcess>;
}

/** The line by which the headless application says its window's address. */
export const WINDOW_OPENS = /^open (\S+)$/m;

export class Installation {
  readonly host: Host;
  readonly process: PeerProcess;
  /** A folder of its own for settings, keys and documents. */
  readonly folder: string;
  readonly api: ApiClient;
  readonly #port: number;
  readonly #carrier: Carrier;

  private constructor(
    host: Host,
    parts: Pick<Installation, "process" | "folder" | "api">,
    port: number,
    carrier: Carrier,
  ) {
    this.host = host;
    this.process = parts.process;
    this.folder = parts.folder;
    this.api = parts.api;
    this.#port = port;
    this.#carrier = carrier;
  }

  /**
   * Starts the headless application on a host.
   *
   * @param folder That of an earlier life, whose identity and tasks come back; a fresh one unless given.
   */
  static async start(host: Host, options: InstallationOptions = {}, folder?: string): Promise<Installation> {
    const home = folder ?? mkdtempSync(join(tmpdir(), `tensordeck-${host.name}-`));
    chmodSync(home, 0o700);
    const port = await freePort();
    const started = await (options.start?.(port) ?? Installation.#startHere(host, home, port, options));
    const carrier = await Carrier.open(host, port);
    const api = await ApiClient.connect(started.match?.[1] ?? "");
    return new Installation(host, { process: started, folder: home, api }, port, carrier);
  }

  static #startHere(
    host: Host,
    home: string,
    port: number,
    options: InstallationOptions,
  ): Promise<PeerProcess> {
    const main = join(repositoryRoot, "build", "out", "main", "hosts", "headless", "main.js");
    const node = options.onElectronNode ? electronNode() : { program: process.execPath, env: {} };
    return host.spawn(node.program, [main, "--port", String(port)], {
      cwd: home,
      env: {
        ...environmentWithoutProxies(),
        HOME: home,
        // The locks of ports in it are this machine's alone.
        TMPDIR: home,
        TENSORDECK_DATA_DIR: join(home, "data"),
        ...engineEnvironment(options.engine ?? "portable", home),
        TENSORDECK_NETWORK: "lan",
        ...node.env,
        ...options.env,
      },
      ready: WINDOW_OPENS,
    });
  }

  /** A one-time address of its window, good outside of the network too. */
  async newLink(): Promise<string> {
    return this.api.call("app.newWindowUrl");
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Its device ID. */
  async id(): Promise<string> {
    return (await this.api.call("machines.identity")).deviceId;
  }

  /** Resolves with the machine of that id once it fits. */
  async machine(
    id: string,
    fits: (machine: Awaited<ReturnType<Installation["machines"]>>[number]) => boolean = () => true,
    timeoutMillis = 60_000,
  ) {
    const found = (state: { machines: Awaited<ReturnType<Installation["machines"]>> }) =>
      state.machines.find((machine) => machine.id === id && fits(machine));
    const coming = this.api.next("cluster", (state) => found(state) !== undefined, timeoutMillis);
    coming.catch(() => undefined);
    const machine = found(await this.api.call("cluster.get")) ?? found(await coming);
    if (!machine) throw new Error(`${this.host.name} does not list ${id}.`);
    return machine;
  }

  async machines() {
    return (await this.api.call("cluster.get")).machines;
  }

  /** Resolves with the first state of the cluster, as this installation sees it, that fits. */
  async cluster(fits: (state: ClusterState) => boolean, timeoutMillis = 60_000): Promise<ClusterState> {
    const coming = this.api.next("cluster", fits, timeoutMillis);
    coming.catch(() => undefined);
    const now = await this.api.call("cluster.get");
    if (fits(now)) return now;
    try {
      return await coming;
    } catch (error) {
      const last = await this.api.call("cluster.get");
      throw new Error(`${this.host.name} sees ${sketch(last)}`, { cause: error });
    }
  }

  /** Resolves with the tasks by name once there are as many, all of them running. */
  async tasks(count: number, timeoutMillis?: number): Promise<ReadonlyMap<string, Task>> {
    const state = await this.cluster((now) => {
      const tasks = tasksIn(now);
      return tasks.length === count && tasks.every((task) => task.state === "running");
    }, timeoutMillis);
    return new Map(tasksIn(state).map((task) => [`${task.job}/${task.index}`, task]));
  }

  /** Resolves when this one lists these tasks, too, each as running in the process that it has now. */
  async knows(tasks: Iterable<Task>): Promise<void> {
    const wanted = [...tasks];
    await this.cluster((state) => {
      const running = tasksIn(state).filter((task) => task.state === "running");
      return wanted.every(({ id, pid }) => running.some((task) => task.id === id && task.pid === pid));
    });
  }

  /** Resolves with the pairing once it has come that far. */
  async pairing(fits: (state: PairingState) => boolean, timeoutMillis?: number): Promise<PairingState> {
    const coming = this.api.next("pairing", (state) => state !== undefined && fits(state), timeoutMillis);
    coming.catch(() => undefined);
    const now = await this.api.call("pairing.get");
    const state = now && fits(now) ? now : await coming;
    if (!state) throw new Error("There is no pairing.");
    return state;
  }

  /**
   * Pairs with another installation, which it has found or been told of, as two users do: one reads the code, the other
   * types it.
   *
   * @param granted What this one may do on the other.
   */
  async pairWith(other: Installation, granted: Role = "manage"): Promise<void> {
    const otherId = await other.id();
    await this.machine(otherId, ({ kind }) => kind === "discovered");
    await this.api.call("pairing.start", { machineId: otherId, grantedRole: "manage" });
    await this.pairing(({ step }) => step === "code");
    const { code = "" } = await other.pairing((state) => state.code !== undefined);
    await other.api.call("pairing.setGrantedRole", { role: granted });
    await this.api.call("pairing.enterCode", { code });
    await Promise.all([this, other].map((one) => one.pairing(({ step }) => step === "paired")));
    await Promise.all([this, other].map((one) => one.api.call("pairing.close")));
    await this.machine(otherId, ({ kind, presence }) => kind === "paired" && presence === "online");
    await other.machine(await this.id(), ({ kind, presence }) => kind === "paired" && presence === "online");
  }

  /**
   * Runs the welcome graph, which is pinned to worker/0 and worker/1; resolves when that is over. A single step is traced.
   */
  async runWelcome(steps = 1, timeoutMillis = 60_000): Promise<RunUpdate> {
    const { metaGraph } = await this.api.call("documents.openExample", { id: "welcome" });
    const { graphDef } = MetaGraphDef.decode(metaGraph);
    const over = this.api.next(
      "run",
      ({ state }) => ["done", "failed", "stopped"].includes(state),
      timeoutMillis,
    );
    over.catch(() => undefined);
    await this.api.call("runs.start", {
      graph: GraphDef.encode(graphDef ?? GraphDef.create()).finish(),
      feeds: [],
      fetches: ["z:0"],
      targets: [],
      steps,
      trace: steps === 1,
      softPlacement: true,
      logDevicePlacement: false,
    });
    return await over;
  }

  /** Ends it, by default as its user would. The folder stays for a later life where that is said. */
  async stop({
    signal = "SIGTERM",
    keep = false,
  }: {
    signal?: NodeJS.Signals;
    keep?: boolean;
  } = {}): Promise<void> {
    this.api.close();
    await this.process.stop(signal);
    await this.#carrier.close();
    if (!keep) rmSync(this.folder, { recursive: true, force: true });
  }
}
