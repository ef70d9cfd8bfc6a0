/** What a paired machine has of the Python that a script needs, asked before the job is begun. */
import { inBackground } from "../../worker-runtime/faults.js";
import { agentAddresses } from "../machine/agent-addresses.js";
import { openAgentChannel } from "../peers/agent/agent-channel.js";
import type { Identity } from "../peers/identity/identity.js";
import type { TrustedMachine } from "../peers/trust/trusted-machine.js";
import type { EnvironmentState } from "../scripts/python/environment-state.js";
import { findRequirements, requirementsDigest } from "../scripts/python/requirements.js";
import { MessageReader, reportSchema, toMessage } from "../scripts/remote/script-protocol.js";
import { problem } from "../shared/problems.js";
import { Outbox } from "./outbox.js";

const DIAL_TIMEOUT_MILLIS = 8_000;

export interface MachineSurvey {
  readonly identity: Identity;
  readonly machine: TrustedMachine;
  /** Folder of the script here, which names its requirements. */
  readonly folder: string;
}

/** @throws ProblemError if the machine does not answer, does not let this one run scripts, or is of another version */
export async function surveyMachine(
  { identity, machine, folder }: MachineSurvey,
  signal: AbortSignal,
): Promise<EnvironmentState> {
  const { deviceId, certPem, name } = machine;
  const found = findRequirements(folder);
  const requirements = found && (await requirementsDigest(found));
  const known = { identity, deviceId, certPem, name, addresses: agentAddresses(machine) };
  const channel = await openAgentChannel({ ...known, timeoutMillis: DIAL_TIMEOUT_MILLIS }, signal);
  const outbox = new Outbox<ReturnType<typeof toMessage>>();
  inBackground(outbox.send(toMessage({ kind: "packages", ...(requirements && { requirements }) })));
  try {
    const reader = new MessageReader(channel.conversation("runScript", outbox, signal), reportSchema, signal);
    const report = await reader.next();
    if (report?.kind === "packages") {
      const { ready, python, problem: why } = report;
      return { ready, python, problem: why };
    }
    throw problem("INTERNAL", `${name} gave another answer than expected.`, { details: report?.kind });
  } finally {
    outbox.close();
    channel.close();
  }
}
