/**
 * Pairing this machine with others, from either side. One pairing at a time: there is one window to show a code in, and one
 * user to type it.
 */
import { parseHostPort } from "../../../worker-runtime/cluster/address.js";
import { inBackground } from "../../../worker-runtime/faults.js";
import { deviceIdSchema, type PairingState, type Role } from "../../api/machines.js";
import { ProblemError } from "../../api/wire.js";
import { problem, problemOf } from "../../shared/problems.js";
import type { Identity } from "../identity/identity.js";
import { type AgentPeer, Alpn } from "../port/agent-peer.js";
import type { AgentPort } from "../port/agent-port.js";
import { dialUnknownAgent, type UnknownAgent } from "../port/dial-agent.js";
import type { TrustStore } from "../trust/trust-store.js";
import type { TrustedMachine } from "../trust/trusted-machine.js";
import { AttemptLimits } from "./attempt-limits.js";
import { DisplayerMachine } from "./displayer-machine.js";
import { InitiatorMachine } from "./initiator-machine.js";
import { InitiatedPairing, type Pairing, ShownPairing } from "./pairing.js";
import { PairingConnection, type PairingConnectionListener } from "./pairing-connection.js";
import type { PairingSide } from "./pairing-machine.js";
import { pairingProblem } from "./pairing-problems.js";
import { PairingRun } from "./pairing-run.js";
import { attemptKeys, type PairingCaller, Reception } from "./reception.js";

/** How long a pairing stays open. */
const OPEN_MILLIS = 120_000;
/** Time for typing a code; after it another machine that asks is served. */
const HOLD_MILLIS = 30_000;
/** A pairing that was not answered in time counts as three wrong codes. */
const FAILURES_OF_SILENCE = 3;

export interface PairingServiceOptions {
  readonly identity: Identity;
  readonly trust: TrustStore;
  /** The name of this machine as shown elsewhere. */
  readonly name: () => string;
  /** Called on every change; undefined when there is no pairing any more. */
  readonly emit: (state: PairingState | undefined) => void;
  /** Default role of a machine that asks, unless the user chooses another; "run" unless given. */
  readonly defaultRole?: Role;
  /** How long a pairing is open, in milliseconds; two minutes unless given. */
  readonly openMillis?: number;
  /** Milliseconds of a monotonic clock, for pauses after failures. */
  readonly now?: () => number;
}

export interface PairingRequest {
  /** Device ID if known, e.g. from an announcement: only that machine is then accepted. */
  readonly machineId: string;
  /** "host:port", the likeliest first. */
  readonly addresses: readonly string[];
  readonly name: string;
  /** The rights that the other machine will have here. */
  readonly grantedRole: Role;
  /** Whether the user gave the device ID, rather than the network: a code is then not needed if the other side knows ours too. */
  readonly idIsVouchedFor: boolean;
}

export class PairingService {
  readonly #options: PairingServiceOptions;
  readonly #limits = new AttemptLimits();
  readonly #now: () => number;
  readonly #reception: Reception;
  #agentPort: AgentPort | undefined;
  #current: Pairing | undefined;
  /** When the newest code was first shown, by the monotonic clock. */
  #shownAt = 0;

  constructor(options: PairingServiceOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#reception = new Reception({
      trust: options.trust,
      limits: this.#limits,
      now: this.#now,
      isBusyFor: (peer) => !this.#yieldTo(peer),
      accept: (caller) => this.#accept(caller),
    });
  }

  /** Accepts pairings on this port from now on, and sends it to machines that this one pairs with. */
  listenAt(agentPort: AgentPort): void {
    this.#agentPort = agentPort;
    agentPort.handle(
      Alpn.pairing,
      (peer) => inBackground(this.#reception.receive(peer)),
      ({ address }) => this.#reception.hasRoomFor(address),
    );
  }

  state(): PairingState | undefined {
    return this.#current?.state(this.#options.identity.deviceId);
  }

  /**
   * Starts a pairing; its progress is reported by `emit`. Resolves when the other machine has answered or could not be
   * reached.
   *
   * @throws ProblemError FAILED_PRECONDITION while another pairing is in progress.
   */
  async start(request: PairingRequest): Promise<void> {
    if (this.#current && !this.#current.isOver) {
      throw problem("FAILED_PRECONDITION", `A pairing with ${this.#current.machine.name} is in progress.`, {
        remedy: "End it first.",
      });
    }
    const { machineId, addresses, name, grantedRole } = request;
    const pairing = new InitiatedPairing({
      machine: { id: machineId, name, address: addresses[0] ?? "" },
      grantedRole,
      expiresAt: Date.now() + this.#openMillis,
    });
    this.#current = pairing;
    this.#tell(pairing);
    try {
      const agent = await dialUnknownAgent({
        identity: this.#options.identity,
        deviceId: deviceIdSchema.safeParse(machineId).data,
        addresses,
        alpn: Alpn.pairing,
        name,
        signal: pairing.dialling.signal,
      });
      const promised = await this.#options.trust.preauthorisation(agent.deviceId);
      if (pairing.dialling.signal.aborted) {
        agent.socket.destroy();
        return;
      }
      const isVouchedFor = (request.idIsVouchedFor && machineId === agent.deviceId) || promised !== undefined;
      this.#initiate(pairing, agent, isVouchedFor);
    } catch (error) {
      pairing.problem = problemOf(error);
      this.#tell(pairing);
    }
  }

  /** Tries a code of six digits. Does nothing unless a code is awaited. */
  enterCode(code: string): void {
    if (this.#current instanceof InitiatedPairing) this.#current.run?.handle({ type: "code", code });
  }

  /** Sets the other machine's role here; possible until the code is proved. */
  setGrantedRole(role: Role): void {
    const pairing = this.#current;
    const machine = pairing?.run?.machine;
    if (!pairing || !machine || machine.isOver) return;
    machine.grantedRole = role;
    this.#tell(pairing);
  }

  /** Cancels a pairing and tells the other side, or dismisses a finished one. */
  close(): void {
    const pairing = this.#current;
    if (!pairing) return;
    this.#current = undefined;
    this.#callOff(pairing);
    this.#options.emit(undefined);
  }

  get #openMillis(): number {
    return this.#options.openMillis ?? OPEN_MILLIS;
  }

  #callOff(pairing: Pairing): void {
    if (pairing instanceof InitiatedPairing) pairing.dialling.abort();
    pairing.run?.handle({ type: "closed" });
  }

  /**
   * Whether a caller can be served. Two machines that request each other at the same moment would both be busy: the one
   * with the lower device ID cancels its own request.
   */
  #yieldTo(peer: AgentPeer): boolean {
    const pairing = this.#current;
    if (!pairing || pairing.isOver) return true;
    if (pairing instanceof ShownPairing) return this.#displace(pairing, peer);
    const crossed = pairing.step === "connecting" && pairing.machine.id === peer.deviceId;
    if (!crossed || this.#options.identity.deviceId > peer.deviceId) return false;
    this.#current = undefined;
    this.#callOff(pairing);
    return true;
  }

  /**
   * There is one slot, which anyone can request: a machine for which no code is typed cannot block it for long, and one
   * that failed before cannot block it at all.
   */
  #displace({ machine: { id, address }, step, run }: ShownPairing, peer: AgentPeer): boolean {
    if (address === peer.address || (step !== "code" && step !== "wrong")) return false;
    const holder = attemptKeys({ address, deviceId: id });
    const isHeldLong = this.#now() - this.#shownAt >= HOLD_MILLIS;
    if (!isHeldLong && !this.#limits.isInArrears(holder)) return false;
    if (this.#limits.isInArrears(attemptKeys(peer))) return false;
    run?.handle({ type: "displaced" });
    return true;
  }

  /** @throws ProblemError when the connection is lost already. */
  #initiate(pairing: InitiatedPairing, agent: UnknownAgent, isVouchedFor: boolean): void {
    const { identity } = this.#options;
    const { socket, deviceId, certPem, address } = agent;
    const connection = new PairingConnection(socket);
    if (!connection.isOpen) throw new ProblemError(pairingProblem({ kind: "lost" }, pairing.machine.name));
    const side = this.#side(pairing.grantedRole, isVouchedFor, {
      initiatorId: identity.deviceId,
      displayerId: deviceId,
      exporter: connection.exporter(),
    });
    const machine = new InitiatorMachine(side);
    pairing.machine = { ...pairing.machine, id: deviceId, address };
    const dialled = parseHostPort(address);
    let isWelcomed = false;
    const run = new PairingRun(machine, connection, {
      changed: () => {
        if (!isWelcomed && machine.expiresInMillis !== undefined) {
          isWelcomed = true;
          pairing.machine = { ...pairing.machine, name: machine.told.name || pairing.machine.name };
          this.#expireIn(pairing, run, Math.min(machine.expiresInMillis, this.#openMillis));
        }
        this.#tell(pairing);
      },
      trust: () => this.#trust(pairing, { certPem, host: dialled?.host, port: dialled?.port ?? 0 }),
      countTry: () => undefined,
    });
    pairing.run = run;
    connection.listen(listenerOf(run));
    run.begin(this.#openMillis, machine.start());
  }

  #accept({ peer, connection, hello, preauthorisation }: PairingCaller): PairingConnectionListener {
    const { identity, defaultRole = "run" } = this.#options;
    const pairing = new ShownPairing({
      machine: { id: peer.deviceId, name: hello.name || peer.address, address: peer.address },
      grantedRole: preauthorisation?.role ?? defaultRole,
      expiresAt: Date.now() + this.#openMillis,
    });
    const side = this.#side(pairing.grantedRole, preauthorisation !== undefined, {
      initiatorId: peer.deviceId,
      displayerId: identity.deviceId,
      exporter: connection.exporter(),
    });
    const machine = new DisplayerMachine(side, this.#openMillis);
    const keys = attemptKeys(peer);
    let tries = 0;
    const run = new PairingRun(machine, connection, {
      changed: () => {
        if (machine.failure && tries === 0) {
          const ignored = machine.failure.kind === "expired" || machine.failure.kind === "closed";
          this.#limits.failed(keys, this.#now(), ignored ? FAILURES_OF_SILENCE : 1);
        }
        this.#tell(pairing);
      },
      trust: () => {
        this.#limits.succeeded(keys);
        this.#trust(pairing, { certPem: peer.certPem, host: peer.address, port: 0 });
      },
      countTry: () => {
        tries++;
        this.#limits.failed(keys, this.#now());
      },
    });
    pairing.run = run;
    this.#current = pairing;
    this.#shownAt = this.#now();
    run.begin(this.#openMillis, machine.handle({ type: "message", message: hello }));
    return listenerOf(run);
  }

  #side(grantedRole: Role, knowsPeer: boolean, binding: PairingSide["binding"]): PairingSide {
    return {
      name: this.#options.name(),
      agentPort: this.#agentPort?.port ?? 0,
      binding,
      knowsPeer,
      grantedRole,
    };
  }

  #expireIn(pairing: Pairing, run: PairingRun, millis: number): void {
    pairing.expiresAt = Date.now() + millis;
    run.expireIn(millis);
  }

  /** From now on the other machine is admitted. */
  #trust(
    pairing: Pairing,
    met: { readonly certPem: string; readonly host: string | undefined; readonly port: number },
  ): void {
    const { trust } = this.#options;
    const machine = pairing.run?.machine;
    if (!machine) return;
    const { name, agentPort, role } = machine.told;
    const deviceId = pairing.machine.id;
    const before = trust.get(deviceId)?.addresses ?? [];
    const trusted: TrustedMachine = {
      deviceId,
      name: name || pairing.machine.name,
      certPem: met.certPem,
      grantedRole: machine.grantedRole,
      role: role ?? "view",
      addresses: [...new Set([...(met.host ? [met.host] : []), ...before])],
      agentPort: agentPort || met.port,
      pairedAt: Date.now(),
    };
    pairing.machine = { ...pairing.machine, name: trusted.name };
    // It is in effect in memory when `put` returns; only writing the file takes time.
    Promise.all([trust.put(trusted), trust.spendPreauthorisation(deviceId)]).catch((error: unknown) => {
      pairing.problem = problemOf(error);
      this.#tell(pairing);
    });
  }

  #tell(pairing: Pairing): void {
    if (this.#current === pairing) this.#options.emit(pairing.state(this.#options.identity.deviceId));
  }
}

function listenerOf(run: PairingRun): PairingConnectionListener {
  return {
    message: (message) => run.handle({ type: "message", message }),
    garbage: (details) => run.handle({ type: "garbage", details }),
    lost: () => run.handle({ type: "lost" }),
  };
}
