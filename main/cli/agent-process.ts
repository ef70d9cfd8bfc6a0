/** The agent as a process: the application without a window, and its output. */
import { inBackground } from "../../worker-runtime/faults.js";
import type { Identity, PairingState } from "../api/machines.js";
import type { Application } from "../application.js";
import { startHeadlessProcess } from "../hosts/headless/headless-process.js";
import { defined } from "../shared/problems.js";

export interface AgentProcessOptions {
  readonly dataDir: string;
  readonly agentPort?: number;
  /** The name under which other machines show this one from now on. */
  readonly name?: string;
  /** Whether the network may reach tasks that other machines start here, from now on. */
  readonly allowExposedTasks?: boolean;
}

/**
 * Runs until the process is told to end. Prints "device ID …", "agent listening on port …" once it does, the code of each
 * pairing that another machine asks for, and on SIGUSR2 a one-time link to the window.
 *
 * @throws ProblemError FAILED_PRECONDITION when another process has the data folder.
 */
export async function runAgentProcess({
  name,
  allowExposedTasks,
  ...options
}: AgentProcessOptions): Promise<void> {
  const { host, application: loading } = await startHeadlessProcess({ ...options, port: 0 });
  if (process.platform !== "win32") process.on("SIGUSR2", () => say(`open ${host.newWindowUrl()}`));
  const application = await loading;
  tellPairings(application);
  const changes = defined({ machineName: name, allowExposedTasks });
  if (Object.keys(changes).length > 0) await application.handle("settings.set", changes);
  const identity = await identityOf(application);
  say(`device ID ${identity.deviceId}`);
  say(`agent listening on port ${identity.agentPort ?? (await portOf(application))}`);
  // Signals end the process.
  await new Promise<never>(() => undefined);
}

async function identityOf(application: Application): Promise<Identity> {
  return (await application.handle("machines.identity", undefined)) as Identity;
}

/** Resolves when the agent listens; it starts by itself and reports this with an event. */
async function portOf(application: Application): Promise<number> {
  return await new Promise((resolve) => {
    const look = () =>
      inBackground(
        identityOf(application).then(({ agentPort }) => {
          if (agentPort === undefined) return;
          stop();
          resolve(agentPort);
        }),
      );
    const stop = application.onEvent(look, { background: true });
  });
}

function tellPairings(application: Application): void {
  let told = "";
  application.onEvent(
    (event, data) => {
      if (event !== "pairing") return;
      const line = data && lineOf(data as PairingState);
      if (line === undefined || line === told) return;
      told = line;
      say(line);
    },
    { background: true },
  );
}

/** The output for a pairing that another machine started; undefined while there is nothing to print. */
function lineOf({ side, step, code, machine, grantedRole, problem }: PairingState): string | undefined {
  if (side !== "show") return undefined;
  const who = `${machine.name} (${machine.address})`;
  if (step === "paired") return `paired with ${who}, which has the role ${grantedRole} here`;
  if (step === "failed") return `the pairing with ${who} failed: ${problem?.message ?? "it was cancelled"}`;
  return code === undefined ? undefined : `${who} asks to pair; type this code there: ${code}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
