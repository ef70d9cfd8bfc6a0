/** Windows and a Linux machine on a network of their own, paired; each is once the agent. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Installation, WINDOW_OPENS } from "../../net/support/installation.js";
import { type Host, Network } from "../../net/support/network.js";
import { engineEnvironment } from "../../support/engine-environment.js";
import { repositoryRoot } from "../../support/find-peers.js";
import { environmentWithoutProxies, type PeerProcess } from "../../support/processes.js";
import type { Check } from "../check.js";
import { AGENT_LISTENS, pairAndRun } from "../paired-machines.js";
import type { WineMachine } from "./wine-machine.js";

const DATA = "/trial/gepaart é";
const LAN = { TENSORDECK_NETWORK: "lan" };

export function pairedMachines(machine: WineMachine): readonly Check[] {
  return [
    {
      name: "paired: a PC on Linux finds an agent on Windows, pairs by its code, and runs a graph on both",
      run: () =>
        withNetwork(machine, async (network) => {
          const pc = await Installation.start(network.host("laptop"));
          try {
            await pairAndRun(pc, network.host("gpu-pc"), (host) =>
              machine.tensordeck(["agent"], { host, env: dataFolder(machine), ready: AGENT_LISTENS }),
            );
          } finally {
            await pc.stop();
          }
        }),
    },
    {
      name: "paired: the application on Windows finds an agent on Linux, pairs by its code, and runs a graph on both",
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
            await pairAndRun(pc, network.host("laptop"), (laptop) => startAgent(laptop, folder));
          } finally {
            await pc.stop();
            rmSync(folder, { recursive: true, force: true });
          }
        }),
    },
  ];
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
  return host.spawn(process.execPath, [join(repositoryRoot, "build/bin/tensordeck.mjs"), "agent"], {
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
