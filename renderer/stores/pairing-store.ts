/** The application's current pairing: every window shows the same one. */
import { create } from "zustand";
import type { PairingState, Role } from "../../main/api/machines.js";
import { client } from "../transport/client.js";

export interface PairingStore {
  /** Undefined while there is no pairing. */
  readonly state: PairingState | undefined;
}

export const usePairing = create<PairingStore>()(() => ({ state: undefined }));

/** How long a pairing stays open, for the countdown's bar. */
export const PAIRING_MILLIS = 120_000;

/** The default role of a machine: without it, its tasks cannot take part in a run. */
const DEFAULT_ROLE: Role = "run";

/** The pairing that was dismissed in this window; later events about it do not show it again. */
let closedId: string | undefined;

export function receivePairing(state: PairingState | undefined): void {
  usePairing.setState({ state: state?.id === closedId ? undefined : state });
}

/** Begins a pairing; the dialog opens with the application's first event. Rejects with a ProblemError. */
export async function startPairing(machineId: string, grantedRole: Role = DEFAULT_ROLE): Promise<void> {
  await client().call("pairing.start", { machineId, grantedRole });
}

/** Sends the typed code; the result arrives as an event. Rejects with a ProblemError. */
export async function enterCode(code: string): Promise<void> {
  await client().call("pairing.enterCode", { code });
}

/**
 * Sets what the other machine may do here. Until it is paired this belongs to the pairing, afterwards to the machine.
 * Rejects with a ProblemError.
 */
export async function grantRole(role: Role): Promise<void> {
  const { state } = usePairing.getState();
  if (state === undefined) return;
  usePairing.setState({ state: { ...state, grantedRole: role } });
  if (state.step === "paired") await client().call("machines.setRole", { machineId: state.machine.id, role });
  else await client().call("pairing.setGrantedRole", { role });
}

/** Ends the pairing, or closes a finished one, immediately in this window. Rejects with a ProblemError. */
export async function closePairing(): Promise<void> {
  closedId = usePairing.getState().state?.id;
  usePairing.setState({ state: undefined });
  await client().call("pairing.close");
}
