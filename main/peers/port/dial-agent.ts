/** Connecting to another machine's agent, by device ID: the certificate decides, not the address. */

import { connect, type TLSSocket } from "node:tls";
import { withDeadline } from "../../../worker-runtime/cancellation/deadline.js";
import { delay } from "../../../worker-runtime/cancellation/delay.js";
import { parseHostPort } from "../../../worker-runtime/cluster/address.js";
import { ProblemError } from "../../api/wire.js";
import { deviceIdOf, shortDeviceId } from "../../machine/device-id.js";
import { problem } from "../../shared/problems.js";
import { certificateProblem } from "../identity/certificate.js";
import type { Identity } from "../identity/identity.js";
import { ADMITTED, Alpn } from "./agent-peer.js";
import { dialFailure, noAnswer, notAdmitted, notPairingNow, Silence, wrongMachine } from "./dial-problems.js";
import { SERVER_NAME, secureContextOf } from "./tls-options.js";

/**
 * How long one address gets before the next is tried concurrently, as RFC 8305 recommends for addresses of one host.
 */
const STAGGER_MILLIS = 250;
const DEFAULT_TIMEOUT_MILLIS = 8000;

export interface DialOptions {
  readonly identity: Identity;
  /** "host:port", "[v6]:port"; the likeliest first. */
  readonly addresses: readonly string[];
  readonly alpn: Alpn;
  /** The machine's name in problems; its device ID unless given. */
  readonly name?: string;
  readonly signal?: AbortSignal;
  /** For all addresses together; 8 s unless given. */
  readonly timeoutMillis?: number;
}

export interface UnknownAgent {
  readonly socket: TLSSocket;
  /** Proved by the handshake. */
  readonly deviceId: string;
  readonly certPem: string;
  /** The one of the addresses that answered. */
  readonly address: string;
}

/**
 * A connection to the machine with a device ID. Addresses are tried in their order, each a moment after the one before;
 * the first at which that machine admits this one is used, the others are closed.
 *
 * The socket is paused. Of a gRPC connection nothing has been read; of the others the byte that says ADMITTED has.
 *
 * @throws ProblemError PERMISSION_DENIED when the machine no longer trusts this one, UNAUTHENTICATED when another
 *   machine or a certificate out of its time answers, UNAVAILABLE when nothing does, CANCELLED by the signal.
 */
export async function dialAgent(options: DialOptions & { readonly deviceId: string }): Promise<TLSSocket> {
  const { socket } = await dialFirst({ ...options, name: options.name ?? shortDeviceId(options.deviceId) });
  return socket;
}

/**
 * A connection to any machine that answers at the addresses, for a pairing; only to the one with the device ID if that
 * is given.
 *
 * @throws ProblemError as `dialAgent`, RESOURCE_EXHAUSTED when the machine accepts no pairing from here now.
 */
export async function dialUnknownAgent(
  options: DialOptions & { readonly deviceId?: string | undefined },
): Promise<UnknownAgent> {
  return await dialFirst({ ...options, name: options.name ?? options.addresses[0] ?? "The machine" });
}

type Dial = DialOptions & { readonly name: string; readonly deviceId?: string | undefined };

async function dialFirst(dial: Dial): Promise<UnknownAgent> {
  const { addresses, signal, name, timeoutMillis = DEFAULT_TIMEOUT_MILLIS } = dial;
  if (addresses.length === 0) {
    throw problem("UNAVAILABLE", `No address of ${name} is known.`, {
      remedy: "Add the machine by its address.",
    });
  }
  try {
    return await withDeadline(timeoutMillis, signal, (ends) =>
      Promise.any(attemptsOf(dial, ends, timeoutMillis)),
    );
  } catch (error) {
    if (signal?.aborted) throw problem("CANCELLED", `The connection to ${name} was cancelled.`);
    throw error instanceof AggregateError ? overall(name, error.errors) : error;
  }
}

/** One for each address; all but the first to succeed end with the signal. */
function attemptsOf(dial: Dial, ends: AbortSignal, timeoutMillis: number): Promise<UnknownAgent>[] {
  let isWon = false;
  const attempts: Promise<UnknownAgent>[] = [];
  for (const [index, address] of dial.addresses.entries()) {
    // When its time has come, or all earlier attempts have failed.
    const turn = Promise.race([delay(index * STAGGER_MILLIS, ends), Promise.allSettled([...attempts])]);
    attempts.push(
      turn.then(async () => {
        const agent = await dialOne(dial, address, ends, timeoutMillis);
        if (isWon) {
          agent.socket.destroy();
          throw problem("CANCELLED", `${dial.name} answered at another address first.`);
        }
        isWon = true;
        return agent;
      }),
    );
  }
  return attempts;
}

/** An answer from the machine itself says more than no answer. */
const TELLING = ["PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "UNAUTHENTICATED", "UNAVAILABLE"];

/** The most telling of all results, or that nothing answers. */
function overall(name: string, failures: readonly unknown[]): unknown {
  const answers = failures.filter((failure) => !(failure instanceof Silence));
  if (answers.length === 0) {
    return noAnswer(
      name,
      failures.filter((failure) => failure instanceof Silence),
    );
  }
  const rank = (failure: unknown): number => {
    const at = failure instanceof ProblemError ? TELLING.indexOf(failure.problem.code) : -1;
    return at === -1 ? TELLING.length : at;
  };
  return answers.toSorted((a, b) => rank(a) - rank(b))[0];
}

/** One address: TCP, TLS, whose certificate it is, and whether it lets this machine in. */
function dialOne(
  dial: Dial,
  address: string,
  signal: AbortSignal,
  timeoutMillis: number,
): Promise<UnknownAgent> {
  const { identity, alpn, name } = dial;
  const hostPort = parseHostPort(address);
  return new Promise((resolve, reject) => {
    if (!hostPort) {
      reject(
        problem("INVALID_ARGUMENT", `${address} is not the address of a machine.`, {
          remedy: "Write host:port.",
        }),
      );
      return;
    }
    if (signal.aborted) {
      reject(new Silence(address, `no answer within ${timeoutMillis / 1000} s`));
      return;
    }
    const socket = connect({
      ...hostPort,
      secureContext: secureContextOf(identity),
      servername: SERVER_NAME,
      ALPNProtocols: [alpn],
      // These certificates are self-signed: which one it is matters, and is checked below.
      rejectUnauthorized: false,
    });
    let agent: UnknownAgent | undefined;
    const settle = (): void => {
      signal.removeEventListener("abort", abort);
      socket.off("secureConnect", secured).off("readable", readable).off("close", closed).off("error", fail);
      // The recipient of the socket adds its own listeners; until then an error only closes it.
      socket.on("error", () => socket.destroy());
    };
    const fail = (error: unknown): void => {
      settle();
      socket.destroy();
      const isTold = error instanceof ProblemError || error instanceof Silence;
      reject(isTold ? error : agent ? refusal(dial) : dialFailure(name, address, error));
    };
    const abort = (): void => fail(new Silence(address, `no answer within ${timeoutMillis / 1000} s`));
    const closed = (): void => fail(new Error("the connection ended during the handshake"));
    const secured = (): void => {
      try {
        agent = agentOf(socket, dial, address);
      } catch (error) {
        fail(error);
      }
    };
    const readable = (): void => {
      if (!agent) return;
      if (alpn === Alpn.grpc ? socket.readableLength === 0 : socket.read(1)?.[0] !== ADMITTED) {
        fail(refusal(dial));
        return;
      }
      settle();
      resolve(agent);
    };
    signal.addEventListener("abort", abort, { once: true });
    socket.setNoDelay(true);
    socket.on("secureConnect", secured).on("readable", readable).on("close", closed).on("error", fail);
  });
}

function refusal({ alpn, name }: Dial): ProblemError {
  return alpn === Alpn.pairing ? notPairingNow(name) : notAdmitted(name);
}

/** @throws ProblemError when it is not the intended machine, or not a machine's certificate. */
function agentOf(socket: TLSSocket, dial: Dial, address: string): UnknownAgent {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate || socket.alpnProtocol !== dial.alpn) {
    throw problem("UNAVAILABLE", `What answers at ${address} is not Tensordeck.`, {
      reason: "Another program listens there.",
      remedy: "Check the address and the port.",
    });
  }
  const wrong = certificateProblem(certificate, `The certificate of ${dial.name}`);
  if (wrong) throw wrong;
  const deviceId = deviceIdOf(certificate.raw);
  if (dial.deviceId !== undefined && deviceId !== dial.deviceId) {
    throw wrongMachine(address, dial.deviceId, deviceId);
  }
  if (deviceId === dial.identity.deviceId) {
    throw problem("INVALID_ARGUMENT", `${address} is this machine itself.`);
  }
  return { socket, deviceId, certPem: certificate.toString(), address };
}
