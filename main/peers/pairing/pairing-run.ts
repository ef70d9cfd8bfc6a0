/**
 * One running pairing: a side's state machine with its connection, its timers and the slow part of its computation.
 */
import { bitsOfCode } from "./code-proof.js";
import type { PairingConnection } from "./pairing-connection.js";
import type { PairingEvent, PairingInstruction, PairingMachine } from "./pairing-machine.js";

/** Between two messages that no user has to wait for: long enough for scrypt on a busy Raspberry Pi. */
const SILENCE_MILLIS = 20_000;

export interface PairingRunListener {
  /** The state has changed. Called before the other side can see a consequence. */
  changed(): void;
  /** Both sides have proved themselves. Trust must be in effect when this returns. */
  trust(): void;
  /** A try failed or was not completed. */
  countTry(): void;
}

export class PairingRun<M extends PairingMachine = PairingMachine> {
  readonly machine: M;
  readonly #connection: PairingConnection;
  readonly #listener: PairingRunListener;
  #expiry: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(machine: M, connection: PairingConnection, listener: PairingRunListener) {
    this.machine = machine;
    this.#connection = connection;
    this.#listener = listener;
  }

  /**
   * Starts with the state machine's first message, or with a message that was already received.
   *
   * @param expiresInMillis When the pairing expires.
   */
  begin(expiresInMillis: number, instructions: readonly PairingInstruction[]): void {
    this.expireIn(expiresInMillis);
    this.#follow(instructions);
  }

  expireIn(millis: number): void {
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.handle({ type: "expired" }), millis);
  }

  handle(event: PairingEvent): void {
    if (this.machine.isOver) return;
    this.#follow(this.machine.handle(event));
  }

  #follow(instructions: readonly PairingInstruction[]): void {
    this.#watchSilence();
    for (const instruction of instructions) this.#do(instruction);
    this.#listener.changed();
  }

  #do(instruction: PairingInstruction): void {
    switch (instruction.type) {
      case "send":
        this.#connection.send(instruction.message);
        break;
      case "derive":
        bitsOfCode(instruction.code, instruction.context).then(
          (bits) => this.handle({ type: "derived", bits }),
          () => this.handle({ type: "lost" }),
        );
        break;
      case "trust":
        this.#listener.trust();
        break;
      case "countTry":
        this.#listener.countTry();
        break;
      case "hangUp":
        this.#connection.hangUp();
    }
  }

  /**
   * While a user types, silence is expected; while only programs communicate, it means that the other one is
   * gone.
   */
  #watchSilence(): void {
    clearTimeout(this.#silence);
    if (this.machine.isOver) {
      clearTimeout(this.#expiry);
      return;
    }
    if (this.machine.step === "code" || this.machine.step === "wrong") return;
    this.#silence = setTimeout(() => this.handle({ type: "lost" }), SILENCE_MILLIS);
  }
}
