import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { withDeadline } from "../../../../worker-runtime/cancellation/deadline.js";
import { unlessAborted } from "../../../../worker-runtime/cancellation/unless-aborted.js";
import type { LayerResult } from "../../../api/reachability.js";
import { errnoOf, messageOf } from "../../../shared/problems.js";
import { durationText, failed, skipped, stopwatch, succeeded } from "./result.js";

const DEADLINE_MILLIS = 3000;

export interface NameOutcome {
  readonly result: LayerResult;
  /** Addresses in the system's order of preference; empty if the name does not resolve. */
  readonly hosts: readonly string[];
}

/** Asks this machine's own resolver, as TensorFlow does. Rejects when the signal is aborted. */
export async function probeName(host: string, signal: AbortSignal): Promise<NameOutcome> {
  if (isIP(host.replace(/%.*$/, "")) !== 0) {
    return { result: skipped("name", "an address, not a name"), hosts: [host] };
  }
  const elapsed = stopwatch();
  return await withDeadline(DEADLINE_MILLIS, signal, async (ends) => {
    try {
      const found = await unlessAborted(lookup(host, { all: true }), ends);
      const hosts = [...new Set(found.map(({ address }) => address))];
      return { result: succeeded("name", elapsed(), hosts.join(", ")), hosts };
    } catch (error) {
      signal.throwIfAborted();
      return { result: nameFailure(error, host, elapsed(), ends.aborted), hosts: [] };
    }
  });
}

function nameFailure(error: unknown, host: string, millis: number, late: boolean): LayerResult {
  if (late) {
    return failed(
      "name",
      "timed-out",
      millis,
      `the name service did not answer within ${durationText(DEADLINE_MILLIS)}`,
    );
  }
  switch (errnoOf(error)) {
    case "ENOTFOUND":
      return failed("name", "not-found", millis, `no machine named ${host} is known`);
    case "EAI_AGAIN":
      return failed("name", "no-name-server", millis, "the name service cannot be asked");
    default:
      return failed("name", "unknown", millis, messageOf(error));
  }
}

/** The addresses that a successful name layer found; none of another layer. */
export function addressesOfName(layers: readonly LayerResult[]): string[] {
  const name = layers.find(({ layer }) => layer === "name");
  return name?.outcome === "ok" && name.detail ? name.detail.split(", ") : [];
}
