/** Installations of a test that pair with each other over loopback. */

import type { PairingState, Role } from "../../../main/api/machines.js";
import { PairingService, type PairingServiceOptions } from "../../../main/peers/pairing/pairing-service.js";
import type { AgentPort } from "../../../main/peers/port/agent-port.js";
import { type Installation, LOOPBACK, makeInstallation } from "./trusting.js";
import { until } from "./until.js";

/** An installation that pairs. */
export interface Machine extends Installation {
  readonly port: AgentPort;
  readonly pairing: PairingService;
  readonly shownCodes: readonly string[];
}

const machines: Machine[] = [];

export async function makeMachine(
  name: string,
  options: Partial<PairingServiceOptions> = {},
): Promise<Machine> {
  const installation = await makeInstallation();
  const { identity, trust } = installation;
  const port = await installation.listen();
  const shownCodes: string[] = [];
  const pairing = new PairingService({
    identity,
    trust,
    name: () => name,
    ...options,
    emit: (state) => {
      const code = state?.code;
      if (code !== undefined && code !== shownCodes.at(-1)) shownCodes.push(code);
      options.emit?.(state);
    },
  });
  pairing.listenAt(port);
  const machine = { ...installation, port, pairing, shownCodes };
  machines.push(machine);
  return machine;
}

/** Ends all that a test made. */
export async function endMachines(): Promise<void> {
  await Promise.all(
    machines.splice(0).map(async (machine) => {
      machine.pairing.close();
      await machine.close();
    }),
  );
}

export const addressOf = (machine: Machine): string => `${LOOPBACK}:${machine.port.port}`;

/** Begins a pairing between two machines; through another address where one is given. */
export async function ask(
  from: Machine,
  to: Machine,
  grantedRole: Role = "view",
  idIsVouchedFor = false,
): Promise<void> {
  await from.pairing.start({
    machineId: to.identity.deviceId,
    addresses: [addressOf(to)],
    name: "the other one",
    grantedRole,
    idIsVouchedFor,
  });
}

export async function reaches(machine: Machine, step: PairingState["step"]): Promise<PairingState> {
  let state: PairingState | undefined;
  await until(`the step "${step}"`, () => {
    state = machine.pairing.state();
    return state?.step === step;
  });
  if (!state) throw new Error("there is no pairing");
  return state;
}

/** Types a code once it is asked for. */
export async function enters(machine: Machine, code: string): Promise<void> {
  await until("a code is asked for", () => {
    const step = machine.pairing.state()?.step;
    return step === "code" || step === "wrong";
  });
  machine.pairing.enterCode(code);
}

/** A code that is not the one shown. */
export function wrongCode(right: string): string {
  return String((Number(right) + 1) % 1_000_000).padStart(6, "0");
}

export async function codeShownBy(machine: Machine): Promise<string> {
  await until("a code", () => machine.pairing.state()?.code !== undefined);
  return machine.pairing.state()?.code ?? "";
}
