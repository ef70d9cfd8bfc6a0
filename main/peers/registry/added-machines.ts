/**
 * Machines that the user added by address because their announcements do not arrive here, until they are paired.
 */

import { z } from "zod";
import { delay } from "../../../worker-runtime/cancellation/delay.js";
import { parseHostPort } from "../../../worker-runtime/cluster/address.js";
import { inBackground } from "../../../worker-runtime/faults.js";
import { deviceIdSchema } from "../../api/machines.js";
import { JsonFile } from "../../storage/json-file.js";

/** Probing takes a whole TLS handshake, and the other side limits those of unpaired machines. */
const ASK_AGAIN_MILLIS = 15_000;

/** The facts that a machine reveals to any caller of its agent's port. */
export interface AgentHello {
  readonly deviceId: string;
  /** Empty if it does not say. */
  readonly name: string;
}

/**
 * Asks the agent at an address, "host:port", for its identity.
 * @throws ProblemError UNAVAILABLE when none answers.
 */
export type AskAgent = (address: string, signal: AbortSignal) => Promise<AgentHello>;

export interface AddedMachine extends AgentHello {
  /** "host:port" */
  readonly address: string;
  readonly host: string;
  readonly port: number;
  readonly answers: boolean;
  /** Milliseconds since the epoch. */
  readonly lastSeenAt: number | undefined;
}

const storedSchema = z.array(z.object({ deviceId: deviceIdSchema, name: z.string(), address: z.string() }));
type StoredMachines = z.infer<typeof storedSchema>;

export class AddedMachines {
  readonly #ask: AskAgent;
  readonly #file: JsonFile<StoredMachines> | undefined;
  readonly #onChange: () => void;
  readonly #machines = new Map<string, AddedMachine>();
  readonly #closed = new AbortController();
  #writing: Promise<void> | undefined;

  /** @param path File that keeps them across restarts; without it they are not saved. */
  constructor(ask: AskAgent, path: string | undefined, onChange: () => void) {
    this.#ask = ask;
    this.#file = path === undefined ? undefined : new JsonFile(path, storedSchema, "The machines by address");
    this.#onChange = onChange;
    inBackground(this.#watch());
  }

  list(): AddedMachine[] {
    return [...this.#machines.values()];
  }

  get(deviceId: string): AddedMachine | undefined {
    return this.#machines.get(deviceId);
  }

  /** Asks which machine is at an address. @throws ProblemError UNAVAILABLE when nothing answers. */
  async find(address: string): Promise<AddedMachine> {
    const hello = await this.#ask(address, this.#closed.signal);
    const { host, port } = parseHostPort(address) ?? { host: address, port: 0 };
    return { ...hello, address, host, port, answers: true, lastSeenAt: Date.now() };
  }

  put(machine: AddedMachine): void {
    this.#machines.set(machine.deviceId, machine);
    this.#onChange();
    this.#save();
  }

  /** Returns false if there is none. */
  remove(deviceId: string): boolean {
    const removed = this.#machines.delete(deviceId);
    if (removed) {
      this.#onChange();
      this.#save();
    }
    return removed;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#writing;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closed;
    for (const { deviceId, name, address } of (await this.#file?.load()) ?? []) {
      const { host, port } = parseHostPort(address) ?? { host: address, port: 0 };
      if (this.#machines.has(deviceId)) continue;
      this.#machines.set(deviceId, {
        deviceId,
        name,
        address,
        host,
        port,
        answers: false,
        lastSeenAt: undefined,
      });
    }
    if (this.#machines.size > 0) this.#onChange();
    while (!signal.aborted) {
      await Promise.all(this.list().map((machine) => this.#askAgain(machine)));
      await delay(ASK_AGAIN_MILLIS, signal);
    }
  }

  async #askAgain(machine: AddedMachine): Promise<void> {
    const found = await this.find(machine.address).catch(() => undefined);
    const { deviceId } = machine;
    if (this.#closed.signal.aborted || this.#machines.get(deviceId) !== machine) return;
    // Another machine at the address is not the one that the user added.
    const isThere = found?.deviceId === deviceId;
    this.#machines.set(deviceId, isThere ? found : { ...machine, answers: false });
    this.#onChange();
  }

  #save(): void {
    const kept = this.list().map(({ deviceId, name, address }) => ({ deviceId, name, address }));
    this.#writing = this.#file?.save(kept);
  }
}
