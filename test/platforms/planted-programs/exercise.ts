/**
 * Runs every command of Tensordeck, and the headless host with what its window asks for, in a folder that somebody else has
 * filled: nothing that lies there may be run.
 */
import type { ClusterState } from "../../../main/api/cluster.js";
import type { FirewallWizard } from "../../../main/api/firewall.js";
import type { ScriptJob } from "../../../main/api/scripts.js";
import { openWindow } from "../../main/support/window.js";
import type { PeerProcess } from "../../support/processes.js";

/** A machine with a folder of planted programs, in which all programs are started. */
export interface PlantedMachine {
  /** Starts `tensordeck` with arguments; waits for a line if one is given. */
  tensordeck(args: readonly string[], options?: StartOptions): Promise<PeerProcess>;
  /** Starts the headless host with arguments. */
  headless(args: readonly string[], options: StartOptions): Promise<PeerProcess>;
  /** Writes a file outside of the planted folder, and gives its path as programs of that machine know it. */
  write(name: string, text: string): string;
}

export interface StartOptions {
  readonly ready?: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

/** Commands that `exerciseCommands` has run, by the first words. */
export type RunCommands = ReadonlySet<string>;

/** This only ends what hangs: an emulated machine is slow, and more so on a busy one. */
const HANGING_MILLIS = 900_000;
/** An index that refuses at once, since nothing may be downloaded. */
const NO_INDEX = { PIP_INDEX_URL: "http://127.0.0.1:9", PIP_RETRIES: "0", PIP_DEFAULT_TIMEOUT: "1" };
/** Makes the search for GPUs go on where there is no device. */
const NO_DRIVERS = { VK_DRIVER_FILES: "/nowhere.json", LD_LIBRARY_PATH: ":/nowhere" };

/** The output of all commands together, and which they were. */
export async function exerciseCommands(
  machine: PlantedMachine,
): Promise<{ readonly commands: RunCommands; readonly output: string }> {
  const commands = new Set<string>();
  let output = "";
  const run = async (args: readonly string[], env: StartOptions["env"] = {}): Promise<string> => {
    commands.add(args[0] ?? "");
    const peer = await machine.tensordeck(args, { env });
    await peer.exited;
    output += peer.output();
    return peer.output();
  };
  const script = machine.write("script.py", "print('done')\n");
  machine.write("requirements.txt", "# nothing\n");
  const cluster = machine.write("clusterspec.json", '{"worker": ["127.0.0.1:2222", "127.0.0.1:2223"]}');
  const data = machine.write("data/settings.json", '{"tourSeen": true}').replace(/.settings\.json$/, "");
  const ownData = ["--data-dir", data];

  await run(["help"]);
  commands.add("worker");
  const worker = await machine.tensordeck(["worker", "--engine", "portable"], {
    ready: /^target grpc:\/\/(\S+)$/m,
  });
  try {
    const address = worker.match?.[1] ?? "";
    const port = address.split(":").at(-1) ?? "";
    await run(["health", address]);
    // Says which process has the port.
    await run(["worker", "--engine", "portable", "--port", port]);
    await run(["run", "example:welcome", "--target", `grpc://${address}`]);
    await run(["doctor", ...ownData, "--worker_hosts", address]);
  } finally {
    await worker.stop();
    output += worker.output();
  }
  await run(["worker", "--engine", "portable", "--gpu", "0"], NO_DRIVERS);
  await run(["run", "example:welcome"]);
  await run(["run", "example:welcome", "--target", "grpc://127.0.0.1:9"]);
  await run(["doctor", ...ownData, "--cluster", cluster]);
  await run(["runtime", "list"]);
  await run(["runtime", "install", "--yes"], { ...NO_INDEX, TENSORDECK_DATA_DIR: data });
  await run(["export", cluster, "--to", "compose"]);
  await run(["export-model", "example:counter", "model", "--output", "count:0"]);
  await run(["import", cluster]);
  await run(["submit", script, ...ownData], NO_INDEX);
  await run(["submit", script, "--python", "python3", ...ownData], NO_INDEX);
  await exerciseKube(machine, run);
  for (const args of [["id"], ["service"], ["service", "--to", "windows"], ["link"], ["new-identity"]]) {
    await run(["agent", ...args, ...ownData]);
  }
  const agent = await machine.tensordeck(["agent", "--port", "0", ...ownData], {
    ready: /^agent listening on port \d+$/m,
  });
  await agent.stop();
  return { commands, output: output + agent.output() };
}

/** With a kubeconfig that signs in with a program, with one that is out of date, and without any. */
async function exerciseKube(
  machine: PlantedMachine,
  run: (args: readonly string[], env?: StartOptions["env"]) => Promise<string>,
): Promise<void> {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "exec",
    clusters: [{ name: "test", cluster: { server: "https://127.0.0.1:9" } }],
    users: [
      {
        name: "exec",
        user: { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "tensordeck-test-sign-in" } },
      },
      {
        name: "gcp",
        user: {
          "auth-provider": {
            name: "gcp",
            config: { "cmd-path": "tensordeck-test-refresh", "token-key": "{.token}" },
          },
        },
      },
    ],
    contexts: ["exec", "gcp"].map((name) => ({ name, context: { cluster: "test", user: name } })),
  };
  const kubeconfig = machine.write("kubeconfig", JSON.stringify(config));
  await run(["kube", "status", "--kubeconfig", kubeconfig]);
  await run(["kube", "status", "--kubeconfig", kubeconfig, "--context", "gcp"]);
  const home = machine.write("home/notes", "").replace(/.notes$/, "");
  await run(["kube", "contexts"], {
    KUBECONFIG: "",
    HOME: home,
    USERPROFILE: home,
    HOMEDRIVE: "",
    HOMEPATH: "",
  });
}

/** The output of the host. */
export async function exerciseHeadless(machine: PlantedMachine): Promise<string> {
  const data = machine.write("host/settings.json", '{"tourSeen": true}').replace(/.settings\.json$/, "");
  const host = await machine.headless(["--port", "0", "--data-dir", data], {
    ready: /^open (http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+)$/m,
  });
  try {
    const window = await openWindow(host.match?.[1] ?? "");
    const isUp = ({ machines }: ClusterState) => machines[0]?.tasks.some(({ state }) => state === "running");
    const up = window.next("cluster", (state) => isUp(state) === true, HANGING_MILLIS);
    await window.call("cluster.addTasks", { job: "worker", count: 1, engine: "portable" });
    const [here] = (await up).machines;
    // The load of the machine, of its GPUs and of the task.
    await window.next("samples", () => true, HANGING_MILLIS);
    await window.next("samples", () => true, HANGING_MILLIS);
    await window.call("runtime.refresh");
    const tested = window.next("reachability", () => true, HANGING_MILLIS);
    await window.call("reachability.check");
    await tested;
    const inspected = window.next("firewall", (wizard) => isInspected(wizard), HANGING_MILLIS);
    await window.call("firewall.open", { machineId: here?.id ?? "" });
    await inspected;
    await window.call("firewall.close");
    const script = machine.write("job/script.py", "print('done')\n");
    await window.call("scripts.survey", { path: script });
    const ended = window.next("scripts", (jobs) => jobs.some(hasEnded), HANGING_MILLIS);
    await window.call("scripts.start", {
      ...{ path: script, args: [], tasks: [{ job: "worker", index: 0, machineId: here?.id ?? "" }] },
      ...{ restarts: 0, passFlags: false, network: true, scalars: false },
    });
    await ended;
    window.close();
  } finally {
    await host.stop();
  }
  return host.output();
}

const isInspected = (wizard: FirewallWizard | undefined): boolean =>
  wizard !== undefined && !wizard.busy && (wizard.facts !== undefined || wizard.problem !== undefined);

const hasEnded = ({ state }: ScriptJob): boolean => ["succeeded", "failed", "stopped"].includes(state);
