/** Windows and a Linux machine on a network of their own, paired; each is once the agent. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Installation, WINDOW_OPENS } from "../../net/support/installation.js";
import { type Host, Network } from "../../net/support/network.js";
import { engineEnvironment } from "../../support/engine-environment.js";
import { repositoryRoot } from "../../support/find-peers.js";
import { environmentWithoutProxies, type PeerProcess } from "../../support/processes.js";
import type { Check } from "../check.js";
import { AGENT_LISTENS, pairAndRun } from "../paired-machines.js";
import { bringPython } from "./python.js";
import { writeScript } from "./submit.js";
import type { WineMachine } from "./wine-machine.js";

const DATA = "/trial/gepaart é";
const PROGRAM = join(repositoryRoot, "build/bin/tensordeck.mjs");
const SUBMITTED = ["train é.py", "--on", "worker:2,ps:1"];
const LAN = { TENSORDECK_NETWORK: "lan" };

export function pairedMachines(machine: WineMachine): readonly Check[] {
  return [
    {
      name: "paired: a PC on Linux finds an agent on Windows, pairs by its code, and runs a graph and a script on both",
      run: () =>
        withNetwork(machine, async (network) => {
          const laptop = network.host("laptop");
          const pc = await Installation.start(laptop);
          const { path, env } = await bringPython(machine);
          const options = { path, env: { ...env, ...dataFolder(machine) } };
          try {
            await pairAndRun(
              pc,
              network.host("gpu-pc"),
              (host) =>
                machine.tensordeck(["agent", "--allow_exposed_tasks", "yes"], {
                  ...options,
                  host,
                  ready: AGENT_LISTENS,
                }),
              async () => {
                const folder = join(pc.folder, "Skript é");
                writeScript(folder);
                const { code, stdout, stderr } = await laptop.exec(
                  process.execPath,
                  [
                    PROGRAM,
                    "submit",
                    ...SUBMITTED,
                    "--machine",
                    "localhost",
                    "--machine",
                    "gpu-pc",
                    "--",
                    "größer & kleiner",
                  ],
                  {
                    cwd: folder,
                    env: {
                      ...environmentWithoutProxies(),
                      ...LAN,
                      TENSORDECK_DATA_DIR: join(pc.folder, "data"),
                    },
                  },
                );
                checkOutput(code, stdout + stderr, folder, "gpu-pc");
              },
            );
          } finally {
            await pc.stop();
          }
        }),
    },
    {
      name: "paired: the application on Windows finds an agent on Linux, pairs by its code, and runs a graph and a script on both",
      run: () =>
        withNetwork(machine, async (network) => {
          const host = network.host("gpu-pc");
          const start = (port: number) =>
            machine.node(
              [machine.windowsPath("/tensordeck/build/out/program/headless/main.js"), "--port", String(port)],
              { host, env: dataFolder(machine), ready: WINDOW_OPENS },
            );
          const pc = await Installation.start(host, { start });
          const folder = mkdtempSync(join(tmpdir(), "tensordeck-agent-"));
          try {
            await pairAndRun(
              pc,
              network.host("laptop"),
              (laptop) => startAgent(laptop, folder),
              async () => {
                const cwd = `${DATA}/Skript é`;
                writeScript(machine.file(cwd));
                const { path, env } = await bringPython(machine);
                const { code, output } = await machine.runTensordeck(
                  [
                    "submit",
                    ...SUBMITTED,
                    "--machine",
                    "localhost",
                    "--machine",
                    "laptop",
                    "--",
                    "größer & kleiner",
                  ],
                  { cwd, host, path, env: { ...env, ...dataFolder(machine) } },
                );
                checkOutput(code, output, machine.file(cwd), "laptop");
              },
            );
          } finally {
            await pc.stop();
            rmSync(folder, { recursive: true, force: true });
          }
        }),
    },
  ];
}

/** The tasks of a script on two machines, the other one's second, reached each other; what it has written there came back. */
function checkOutput(code: number | null, output: string, folder: string, other: string): void {
  assert.equal(code, 0, output);
  assert.match(output, /^worker\/\d \| sum 3$/m, output);
  for (const task of ["ps/0", "worker/0", "worker/1"]) {
    assert.match(output, new RegExp(`^${task} +\\| told .*"größer & kleiner".*"Größe 7"`, "m"), output);
  }
  const [run = ""] = readdirSync(join(folder, "runs")).filter((name) => name !== ".gitignore");
  const [written = ""] = readdirSync(join(folder, "runs", run, other, "Ergebnis"));
  assert.equal(readFileSync(join(folder, "runs", run, other, "Ergebnis", written), "utf8"), "fertig é\n");
}

/** Wine's server has the network that it was started on: it is ended before and afterwards. */
async function withNetwork(machine: WineMachine, use: (network: Network) => Promise<void>): Promise<void> {
  await machine.close();
  rmSync(machine.file(DATA), { recursive: true, force: true });
  mkdirSync(machine.file(DATA), { recursive: true });
  const network = await Network.create(2, { names: ["laptop", "gpu-pc"] });
  try {
    await use(network);
  } finally {
    await machine.close();
    await network.dispose();
  }
}

const dataFolder = (machine: WineMachine) => ({ ...LAN, TENSORDECK_DATA_DIR: machine.windowsPath(DATA) });

function startAgent(host: Host, folder: string): Promise<PeerProcess> {
  return host.spawn(process.execPath, [PROGRAM, "agent"], {
    env: {
      ...environmentWithoutProxies(),
      TMPDIR: folder,
      TENSORDECK_DATA_DIR: folder,
      ...engineEnvironment("portable", folder),
      ...LAN,
    },
    ready: AGENT_LISTENS,
  });
}
