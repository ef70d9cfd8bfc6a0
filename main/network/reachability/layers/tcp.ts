import { connect, type Socket } from "node:net";
import type { FailureCause, LayerResult } from "../../../api/reachability.js";
import { durationText, failed, socketFailure, stopwatch, succeeded } from "./result.js";

/**
 * Extra time for the last try. Linux takes slightly more than three seconds to find that no machine has an address,
 * which is more informative than "timed out".
 */
const LAST_TRY_EXTRA_MILLIS = 250;

export interface TcpRequest {
  /** Numeric addresses of one host. */
  readonly hosts: readonly string[];
  readonly port: number;
  readonly tries: number;
  /** Time between two tries. */
  readonly timeoutMillis: number;
  readonly signal: AbortSignal;
}

export interface TcpOutcome {
  readonly result: LayerResult;
  /** Open, and the caller's to close; absent when no connection was made. */
  readonly socket?: Socket;
  /** The address that answered. */
  readonly host?: string;
}

interface Failure {
  readonly cause: FailureCause;
  readonly words: string;
}

/**
 * Dials all addresses of a host until one connects. An address that answers with an error is not dialled again; one
 * that is silent gets further tries, while the earlier ones may still succeed. Rejects when the signal is aborted;
 * nothing stays open then.
 */
export function probeTcp({ hosts, port, tries, timeoutMillis, signal }: TcpRequest): Promise<TcpOutcome> {
  const elapsed = stopwatch();
  return new Promise((resolve, reject) => {
    const pending = new Set<Socket>();
    const failures = new Map<string, Failure>();
    let tried = 0;
    let timer: NodeJS.Timeout | undefined;

    const finish = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      for (const socket of pending) socket.destroy();
      pending.clear();
      settle();
    };
    const abort = () => finish(() => reject(signal.reason));
    const giveUp = () => {
      const { cause, detail } = summary(hosts, failures, tried, tries, elapsed());
      finish(() => resolve({ result: failed("tcp", cause, elapsed(), detail) }));
    };
    const fail = (host: string, failure: Failure) => {
      failures.set(host, failure);
      if (failures.size === hosts.length) giveUp();
    };
    const dial = (host: string) => {
      const socket = connect({ host, port, noDelay: true });
      pending.add(socket);
      socket.once("connect", () => {
        if (isItself(socket)) {
          pending.delete(socket);
          socket.destroy();
          fail(host, { cause: "refused", words: "connection refused" });
          return;
        }
        pending.delete(socket);
        // The new owner of the socket handles its errors; until then an error must not end the process.
        finish(() => resolve({ result: succeeded("tcp", elapsed(), `connected to ${host}`), socket, host }));
      });
      socket.on("error", (error) => {
        if (pending.delete(socket)) fail(host, socketFailure(error));
      });
    };
    const attempt = () => {
      if (tried === tries) {
        giveUp();
        return;
      }
      tried += 1;
      const wait = tried === tries ? timeoutMillis + LAST_TRY_EXTRA_MILLIS : timeoutMillis;
      timer = setTimeout(attempt, wait);
      for (const host of hosts) {
        if (!failures.has(host)) dial(host);
      }
    };

    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    attempt();
  });
}

/** On loopback a dialled port without a listener may be given to the dialling socket itself, which then connects. */
function isItself(socket: Socket): boolean {
  return socket.localPort === socket.remotePort && socket.localAddress === socket.remoteAddress;
}

/** The most informative result of several addresses: silence hides more than a refusal. */
const telling: readonly FailureCause[] = [
  "timed-out",
  "refused",
  "prohibited",
  "reset",
  "blocked-here",
  "host-unreachable",
  "no-route",
  "unknown",
];

function summary(
  hosts: readonly string[],
  failures: ReadonlyMap<string, Failure>,
  tried: number,
  tries: number,
  millis: number,
): { cause: FailureCause; detail: string } {
  const silence: Failure = {
    cause: "timed-out",
    words: `timed out after ${durationText(millis)}, ${tried} of ${tries} ${tries === 1 ? "try" : "tries"}`,
  };
  const ends = hosts.map((host) => ({ host, ...(failures.get(host) ?? silence) }));
  const cause = telling.find((one) => ends.some((end) => end.cause === one)) ?? "unknown";
  const [first] = ends;
  const same = ends.every(({ words }) => words === first?.words);
  return {
    cause,
    detail: same
      ? (first?.words ?? "no address")
      : ends.map(({ host, words }) => `${host}: ${words}`).join("; "),
  };
}
