/**
 * The ports of a script job on one machine. Each task has one port, the same on every machine: here its tasks listen on
 * theirs, and connections to those of other machines are carried there. TensorFlow's servers listen on all addresses,
 * so the tasks get a network namespace of their own where the system allows it.
 */
import type { Socket } from "node:net";
import { LoopbackServer } from "../shared/sockets/loopback.js";
import { cannotShutOff } from "../tasks/exposure.js";
import type { Place } from "../tasks/isolation/isolated-process.js";
import { Isolation } from "../tasks/isolation/isolation.js";

export interface JobNetworkOptions {
  /** Ports of the tasks on other machines. */
  readonly elsewhere: readonly number[];
  /** Takes over a connection to one of them. */
  readonly carry: (port: number, client: Socket) => void;
  /** Whether to cut the tasks off from the network, where that is possible. */
  readonly isolate: boolean;
  /** Whether they may start if the network reaches them. */
  readonly mayBeExposed: boolean;
}

/** A script has no engine to choose. @param why As a sentence. */
const scriptIsExposed = (why: string) => cannotShutOff(why, "Run the script on another machine");

export class JobNetwork {
  readonly #options: JobNetworkOptions;
  readonly #isolation: Isolation;
  readonly #entrances: LoopbackServer[] = [];
  /** Why the tasks cannot be isolated; undefined if they are. */
  readonly #obstacle: string | undefined;

  private constructor(options: JobNetworkOptions, isolation: Isolation, obstacle: string | undefined) {
    this.#options = options;
    this.#isolation = isolation;
    this.#obstacle = obstacle;
  }

  /** @throws ProblemError PERMISSION_DENIED if the network would reach the tasks and must not. */
  static async open(options: JobNetworkOptions): Promise<JobNetwork> {
    const { elsewhere, carry, isolate, mayBeExposed } = options;
    const isolation = new Isolation({
      carry: (port, client) => {
        if (!elsewhere.includes(port)) return false;
        carry(port, client);
        return true;
      },
    });
    const support = isolate
      ? await isolation.available()
      : { ok: false as const, reason: "It was started with access to the network." };
    if (!support.ok && !mayBeExposed) throw scriptIsExposed(support.reason);
    const network = new JobNetwork(options, isolation, support.ok ? undefined : support.reason);
    try {
      if (support.ok) await isolation.setTunnelPorts(elsewhere);
      else await network.#listen();
    } catch (error) {
      await network.close();
      throw error;
    }
    return network;
  }

  /** Whether the tasks have no network but the ports of their job. */
  get isIsolated(): boolean {
    return this.#obstacle === undefined;
  }

  /** Why the network reaches the tasks, as a sentence. */
  get obstacle(): string | undefined {
    return this.#obstacle;
  }

  /** A place for a task that listens on a port; undefined if it needs none. @param lost Called if the place is gone. */
  async enter(port: number, lost: () => void): Promise<Place | undefined> {
    if (!this.isIsolated) return undefined;
    const place = await this.#isolation.enter(port, lost);
    if (typeof place !== "string") return place;
    if (!this.#options.mayBeExposed) throw scriptIsExposed(place);
    return undefined;
  }

  /** A connection to a task of this machine. @throws Error when it accepts none. */
  async connect(port: number): Promise<Socket> {
    return await this.#isolation.connectTask(port);
  }

  async close(): Promise<void> {
    for (const entrance of this.#entrances.splice(0)) entrance.close();
    await this.#isolation.close();
  }

  async #listen(): Promise<void> {
    const { elsewhere, carry } = this.#options;
    for (const port of elsewhere) {
      this.#entrances.push(await LoopbackServer.listen(port, (client) => carry(port, client)));
    }
  }
}
