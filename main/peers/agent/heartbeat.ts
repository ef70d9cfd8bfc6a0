/** Pings a machine repeatedly: a machine that vanishes says nothing, and TCP waits for minutes. */

import { performance } from "node:perf_hooks";
import { delay } from "../../../worker-runtime/cancellation/delay.js";
import { problem } from "../../shared/problems.js";
import type { AgentChannel } from "./agent-channel.js";
import type { ClockEstimate } from "./clock-estimate.js";

const INTERVAL_MILLIS = 2000;
/** Three in a row with the interval before them are six and a half seconds. */
const DEADLINE_MILLIS = 1500;
const MISSES_UNTIL_GONE = 3;

export interface HeartbeatOptions {
  readonly channel: AgentChannel;
  readonly clock: ClockEstimate;
  /** The user's name for the machine. */
  readonly name: string;
  /** It answered. */
  readonly onAnswer: () => void;
  readonly signal: AbortSignal;
}

/**
 * Pings until the machine leaves three requests in a row unanswered or the signal is aborted.
 *
 * @throws ProblemError UNAVAILABLE when it is gone. Resolves when the signal was aborted.
 */
export async function keepAsking({
  channel,
  clock,
  name,
  onAnswer,
  signal,
}: HeartbeatOptions): Promise<void> {
  let misses = 0;
  while (!signal.aborted) {
    const startedAt = performance.now();
    const sentAt = Date.now();
    try {
      const { clockMillis } = await channel.call("ping", {}, { deadlineMillis: DEADLINE_MILLIS, signal });
      clock.add(sentAt, performance.now() - startedAt, clockMillis);
      misses = 0;
      onAnswer();
    } catch (error) {
      if (signal.aborted) return;
      misses++;
      if (misses >= MISSES_UNTIL_GONE) {
        throw problem("UNAVAILABLE", `${name} no longer answers.`, {
          reason: `${misses} requests in a row were left unanswered: it was switched off, sleeps, or the network in between fails.`,
          remedy: "Check whether it is on. It is redialled automatically.",
          details: error instanceof Error ? error.message : undefined,
        });
      }
      // A connection that fails at once would otherwise be pinged three times within a moment; its failure is
      // reported by Watch.
      if (performance.now() - startedAt >= DEADLINE_MILLIS) continue;
    }
    await delay(INTERVAL_MILLIS, signal);
  }
}
