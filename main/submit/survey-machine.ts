/** The state of the Python that a script needs on a paired machine, asked before the job is begun. */
import { basename } from "node:path";
import { inBackground } from "../../worker-runtime/faults.js";
import type { MachinePackages } from "../api/scripts.js";
import { agentAddresses } from "../machine/agent-addresses.js";
import { openAgentChannel } from "../peers/agent/agent-channel.js";
import type { Identity } from "../peers/identity/identity.js";
import type { TrustedMachine } from "../peers/trust/trusted-machine.js";
import { shownState } from "../scripts/python/environment-state.js";
import { importedModules } from "../scripts/python/imported-modules.js";
import { findRequirements, requirementsDigest } from "../scripts/python/requirements.js";
import { MessageReader, reportSchema, toMessage } from "../scripts/remote/script-protocol.js";
import { defined, problem } from "../shared/problems.js";
import { Outbox } from "./outbox.js";

const DIAL_TIMEOUT_MILLIS = 8_000;

export interface MachineSurvey {
  readonly identity: Identity;
  readonly machine: TrustedMachine;
  /** Folder of the script here, which names its requirements. */
  readonly folder: string;
  /** Path of the script within the folder. */
  readonly script: string;
  /** The Python that the user chose. */
  readonly python?: string | undefined;
}

/** @throws ProblemError if the machine does not answer, does not let this one run scripts, or is of another version */
export async function surveyMachine(
  { identity, machine, folder, script, python: chosen }: MachineSurvey,
  signal: AbortSignal,
): Promise<MachinePackages> {
  const { deviceId, certPem, name } = machine;
  const found = chosen === undefined ? findRequirements(folder) : undefined;
  const requirements = found && (await requirementsDigest(found));
  const known = { identity, deviceId, certPem, name, addresses: agentAddresses(machine) };
  const channel = await openAgentChannel({ ...known, timeoutMillis: DIAL_TIMEOUT_MILLIS }, signal);
  const outbox = new Outbox<ReturnType<typeof toMessage>>();
  const modules = await importedModules(folder, script);
  const asked = { requirements, python: chosen, modules };
  inBackground(outbox.send(toMessage({ kind: "packages", ...defined(asked) })));
  try {
    const reader = new MessageReader(channel.conversation("runScript", outbox, signal), reportSchema, signal);
    const report = await reader.next();
    if (report?.kind === "packages") {
      const { ready, python, missing, problem: why } = report;
      return shownState(
        { ready, python, missing, problem: why },
        { requirements: found && basename(found.file) },
      );
    }
    throw problem("INTERNAL", `${name} gave another answer than expected.`, { details: report?.kind });
  } finally {
    outbox.close();
    channel.close();
  }
}
