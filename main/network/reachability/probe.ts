/** Dialling an address from this machine, layer by layer. */

import { delay } from "../../../worker-runtime/cancellation/delay.js";
import { LinkedAbortController } from "../../../worker-runtime/cancellation/linked-abort-controller.js";
import { addressProblem, parseHostPort } from "../../../worker-runtime/cluster/address.js";
import type { Layer, LayerResult } from "../../api/reachability.js";
import { problem } from "../../shared/problems.js";
import { probeHttp2 } from "./layers/http2.js";
import { probeName } from "./layers/name.js";
import { probePing } from "./layers/ping.js";
import { skipped } from "./layers/result.js";
import { probeStatus } from "./layers/status.js";
import { probeTcp, type TcpRequest } from "./layers/tcp.js";
import { probeTls } from "./layers/tls.js";

/** The expected server behind an address: a TensorFlow server, or the agent of a machine. */
export type ProbeKind = "task" | "agent";

export interface ProbeRequest {
  /** "host:port" */
  readonly address: string;
  readonly kind: ProbeKind;
  /** How often a silent address is dialled. */
  readonly tries?: number;
  /** Time between two tries to connect. */
  readonly timeoutMillis?: number;
  readonly signal?: AbortSignal;
}

/** Dials from one machine, this one or another one through its agent. */
export type Prober = (request: ProbeRequest) => Promise<LayerResult[]>;

const DEFAULT_TRIES = 3;
const MAX_TRIES = 10;
const DEFAULT_TIMEOUT_MILLIS = 1000;
/**
 * Time limit for an answer on an open connection; a server answers in about a millisecond unless all its cores are
 * busy.
 */
const ANSWER_MILLIS = 2500;

/** How much longer than the connection a ping may take before it is not worth the wait. */
const PING_GRACE_MILLIS = 200;

/** The layers behind a name that resolves, without the ping, which is sent concurrently. */
const connectionLayers: Readonly<Record<ProbeKind, readonly Layer[]>> = {
  task: ["tcp", "http2", "status"],
  agent: ["tcp", "tls"],
};

/**
 * Tries every layer of a connection from this machine until one fails; the following ones are skipped. Takes at most
 * about eleven seconds with the defaults, and a few milliseconds if everything answers. A ping is a hint and stops
 * nothing.
 *
 * @throws ProblemError INVALID_ARGUMENT when the address is not host:port. Rejects with the signal's reason when it is
 *   aborted; nothing stays open then.
 */
export const probeAddress: Prober = proberUnless(() => undefined);

/**
 * As `probeAddress`, with addresses that are not dialled. A name is resolved once, so that the checked address is the
 * dialled one.
 *
 * @param refusal Given a numeric address, without brackets, and a port: the result in place of a connection; undefined
 *   to dial it.
 */
export function proberUnless(refusal: (host: string, port: number) => LayerResult | undefined): Prober {
  return async ({
    address,
    kind,
    tries = DEFAULT_TRIES,
    timeoutMillis = DEFAULT_TIMEOUT_MILLIS,
    signal = new AbortController().signal,
  }) => {
    const target = parseHostPort(address);
    if (!target) {
      throw problem(
        "INVALID_ARGUMENT",
        `The address '${address}' ${addressProblem(address) ?? "cannot be dialled"}.`,
      );
    }
    signal.throwIfAborted();
    const { port } = target;
    const name = await probeName(target.host, signal);
    const [first] = name.hosts;
    if (first === undefined) {
      return [name.result, skipped("ping", NOT_TRIED), ...untried(kind, 0)];
    }
    for (const host of name.hosts) {
      const refused = refusal(host, port);
      if (refused) return [name.result, skipped("ping", NOT_TRIED), refused, ...untried(kind, 1)];
    }
    const connection = probeConnection(kind, {
      hosts: name.hosts,
      port,
      tries: Math.min(Math.max(tries, 1), MAX_TRIES),
      timeoutMillis,
      signal,
    });
    const [ping, layers] = await Promise.all([pingBeside(first, connection, signal), connection]);
    return [name.result, ping, ...layers];
  };
}

const NOT_TRIED = "not tried";

function untried(kind: ProbeKind, from: number): LayerResult[] {
  return connectionLayers[kind].slice(from).map((layer) => skipped(layer, NOT_TRIED));
}

async function probeConnection(kind: ProbeKind, request: TcpRequest): Promise<LayerResult[]> {
  const { port, signal } = request;
  const { result: tcp, socket, host } = await probeTcp(request);
  if (!socket || host === undefined) return [tcp, ...untried(kind, 1)];
  if (kind === "agent") return [tcp, await probeTls(socket, ANSWER_MILLIS, signal)];
  const http2 = await probeHttp2(socket, ANSWER_MILLIS, signal);
  if (http2.outcome !== "ok") return [tcp, http2, ...untried(kind, 2)];
  return [tcp, http2, await probeStatus({ host, port }, ANSWER_MILLIS, signal)];
}

/** A ping that is given up soon after the connection itself works: hosts that answer none would only cost time. */
async function pingBeside(
  host: string,
  connection: Promise<readonly LayerResult[]>,
  signal: AbortSignal,
): Promise<LayerResult> {
  const late = new LinkedAbortController(signal);
  connection.then(
    async (layers) => {
      if (!layers.every(({ outcome }) => outcome === "ok")) return;
      await delay(PING_GRACE_MILLIS, late.signal);
      late.abort();
    },
    // Reported to the code that awaits the connection.
    () => undefined,
  );
  try {
    return await probePing(host, late.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (late.signal.aborted) return skipped("ping", "not waited for, since the connection works");
    throw error;
  } finally {
    late.abort();
  }
}
