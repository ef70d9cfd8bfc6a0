/** Which machines reach each other, as tested by the application, and what the panel shows of it. */
import { create } from "zustand";
import type { Reachability, Throughput } from "../../main/api/reachability.js";
import { linkKey } from "../cluster/routes.js";
import { client } from "../transport/client.js";

export interface ReachabilityStore {
  /** Undefined until the application has responded. */
  readonly state: Reachability | undefined;
  /** Measured since the window opened, by `linkKey`. */
  readonly speeds: ReadonlyMap<string, Throughput>;
}

export const useReachability = create<ReachabilityStore>()(() => ({ state: undefined, speeds: new Map() }));

export function receiveReachability(state: Reachability): void {
  useReachability.setState({ state });
}

/** Tests every route again; results come as events. Rejects with a ProblemError. */
export async function checkRoutes(): Promise<void> {
  await client().call("reachability.check");
}

/** Measures how fast one machine sends to another. Rejects with a ProblemError. */
export async function measureThroughput(from: string, to: string): Promise<void> {
  const speed = await client().call("reachability.measureThroughput", { from, to });
  useReachability.setState(({ speeds }) => ({ speeds: new Map(speeds).set(linkKey(from, to), speed) }));
}
