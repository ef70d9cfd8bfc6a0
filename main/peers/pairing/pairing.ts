import { randomUUID } from "node:crypto";
import type { PairingState, Role } from "../../api/machines.js";
import type { Problem } from "../../api/problem.js";
import { defined } from "../../shared/problems.js";
import type { DisplayerMachine } from "./displayer-machine.js";
import type { InitiatorMachine } from "./initiator-machine.js";
import { MAX_TRIES } from "./pairing-machine.js";
import { pairingProblem } from "./pairing-problems.js";
import type { PairingRun } from "./pairing-run.js";

interface PairingStart {
  readonly machine: PairingState["machine"];
  readonly grantedRole: Role;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** One pairing as the window sees it, from the first click until it is dismissed. */
export abstract class Pairing {
  abstract readonly side: PairingState["side"];
  readonly #id = randomUUID();
  machine: PairingState["machine"];
  grantedRole: Role;
  expiresAt: number;
  /** Errors outside of the protocol: no answer, or the result could not be saved. */
  problem: Problem | undefined;

  constructor({ machine, grantedRole, expiresAt }: PairingStart) {
    this.machine = machine;
    this.grantedRole = grantedRole;
    this.expiresAt = expiresAt;
  }

  abstract readonly run: PairingRun<InitiatorMachine> | PairingRun<DisplayerMachine> | undefined;

  get step(): PairingState["step"] {
    return this.run?.machine.step ?? (this.problem ? "failed" : "connecting");
  }

  get isOver(): boolean {
    return this.step === "paired" || this.step === "failed";
  }

  /** The code to show; absent on the side that types it. */
  protected abstract readonly code: string | undefined;

  /** @param ownId Device ID of this machine. */
  state(ownId: string): PairingState {
    const machine = this.run?.machine;
    const failure = machine?.failure;
    return defined({
      id: this.#id,
      side: this.side,
      machine: this.machine,
      ownId,
      step: this.step,
      code: this.code,
      expiresAt: this.expiresAt,
      triesLeft: machine?.triesLeft ?? MAX_TRIES,
      grantedRole: machine?.grantedRole ?? this.grantedRole,
      role: this.step === "paired" ? machine?.told.role : undefined,
      problem: failure ? pairingProblem(failure, this.machine.name) : this.problem,
    });
  }
}

/** This machine asked, and its user types the code. */
export class InitiatedPairing extends Pairing {
  override readonly side = "enter";
  /** Absent while the other machine is dialled. */
  override run: PairingRun<InitiatorMachine> | undefined;
  /** Aborted when the pairing is cancelled before the other machine has answered. */
  readonly dialling = new AbortController();
  protected override readonly code = undefined;
}

/** Another machine asked, and this one shows the code. */
export class ShownPairing extends Pairing {
  override readonly side = "show";
  override run: PairingRun<DisplayerMachine> | undefined;

  protected override get code(): string | undefined {
    return this.run?.machine.code;
  }
}
