/** The firewall wizard. The application owns its state; the window shows it and passes on what the user chose. */
import { create } from "zustand";
import type { Params } from "../../main/api/contract.js";
import type { FirewallScope, FirewallWizard } from "../../main/api/firewall.js";
import { client } from "../transport/client.js";

export interface FirewallStore {
  /** Undefined while no wizard is open. */
  readonly wizard: FirewallWizard | undefined;
}

export const useFirewall = create<FirewallStore>()(() => ({ wizard: undefined }));

export function receiveFirewall(wizard: FirewallWizard | undefined): void {
  useFirewall.setState({ wizard });
}

/** Opens the wizard for a machine's firewall. Rejects with a ProblemError. */
export async function openFirewall(request: Params<"firewall.open">): Promise<void> {
  await client().call("firewall.open", request);
}

/** Changes who may connect, or whether Block rules are removed; omitted values stay. Rejects with a ProblemError. */
export async function configureFirewall(change: {
  readonly scope?: FirewallScope;
  readonly removeBlockRules?: boolean;
}): Promise<void> {
  const { wizard } = useFirewall.getState();
  if (wizard === undefined) return;
  const scope = change.scope ?? wizard.scope;
  const removeBlockRules = change.removeBlockRules ?? wizard.removeBlockRules;
  await client().call("firewall.configure", { scope, removeBlockRules });
}

/** Closes the wizard, immediately in this window. Rejects with a ProblemError. */
export async function closeFirewall(): Promise<void> {
  useFirewall.setState({ wizard: undefined });
  await client().call("firewall.close");
}
