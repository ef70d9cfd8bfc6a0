/**
 * Isolated tasks. TensorFlow's server listens on all addresses of its machine and does not authenticate clients; in a
 * network namespace of their own, tasks have a loopback interface only, so nothing outside of this machine reaches them
 * but through a tunnel. What the namespace cuts off is reconnected here:
 *
 * - programs of this machine find an isolated task at its port on 127.0.0.1, as if it were not isolated;
 * - an isolated task finds the other tasks of the cluster at their ports on localhost: those behind tunnels and those
 *   of this machine that are not isolated. Isolated ones share one namespace and reach each other by themselves.
 *
 * An isolated task has no other network: a graph that reads from a web address or a cloud store cannot.
 */
import type { Socket } from "node:net";
import { inBackground } from "../../../worker-runtime/faults.js";
import { errnoOf, messageOf, problem } from "../../shared/problems.js";
import { connectLoopback, LoopbackServer } from "../../shared/sockets/loopback.js";
import { join, reset } from "../../shared/sockets/relay.js";
import { cannotShutOff } from "../exposure.js";
import type { LaunchTask, TaskProcess } from "../launcher.js";
import { IsolatedProcess, type Place } from "./isolated-process.js";
import { Namespace } from "./namespace.js";
import { findNamespaceCommand, type NamespaceCommand, type NamespaceSupport } from "./namespace-command.js";

export interface IsolationCollaborators {
  /** Carries a connection to a task elsewhere; false if no tunnel has the port. */
  readonly carry: (port: number, client: Socket) => boolean;
  /** How namespaces are created here; detected unless given. */
  readonly namespaces?: () => Promise<NamespaceSupport>;
}

export type IsolationSupport =
  | { readonly ok: true }
  /** Why tasks cannot be isolated here, as a sentence for the user. */
  | { readonly ok: false; readonly reason: string };

interface IsolatedTask {
  readonly host: LoopbackServer;
  /** Called when the namespace is gone, and with it the task, as seen from outside. */
  readonly lost: () => void;
}

export class Isolation {
  readonly #collaborators: IsolationCollaborators;
  #command: Promise<NamespaceCommand> | undefined;
  /** Present while a task is in it. */
  #namespace: Promise<Namespace> | undefined;
  /** Tasks that are in the namespace or being started in it. */
  #occupants = 0;
  readonly #isolated = new Map<number, IsolatedTask>();
  /** Ports of this machine's other tasks, those outside of the namespace. */
  readonly #reachable = new Set<number>();
  #tunnels: readonly number[] = [];
  /** Ports on which the namespace listens for tasks outside of it. */
  #bridged = new Set<number>();
  #queue: Promise<void> = Promise.resolve();

  constructor(collaborators: IsolationCollaborators) {
    this.#collaborators = collaborators;
  }

  /** Whether tasks can be isolated here. The first answer takes about ten milliseconds. */
  async available(): Promise<IsolationSupport> {
    try {
      await this.#namespaceCommand();
      return { ok: true };
    } catch (error) {
      return { ok: false, reason: messageOf(error) };
    }
  }

  /**
   * Wraps the launcher so that tasks are isolated if their plan requires it and it is possible. The process reports
   * whether it is isolated. The portable engine keeps to the loopback interface by itself and needs no namespace.
   */
  launcher(launch: LaunchTask): LaunchTask {
    return (request) => {
      const { isolate, port, mayBeExposed } = request.plan;
      if (!isolate && !mayBeExposed) throw cannotShutOff("It was started without isolation.");
      return isolate && request.engine !== "portable"
        ? new IsolatedProcess(request, { launch, enter: (lost) => this.enter(port, lost) })
        : this.#outside(port, launch(request));
    };
  }

  /** A connection to a task of this machine, isolated or not. @throws Error when it accepts none. */
  readonly connectTask = async (port: number): Promise<Socket> => {
    if (!this.#isolated.has(port) || !this.#namespace) return await connectLoopback(port);
    return await (await this.#namespace).connect(port);
  };

  /** Sets the ports at which tunnels lead to tasks elsewhere. Resolves when isolated tasks reach them. */
  readonly setTunnelPorts = async (ports: readonly number[]): Promise<void> => {
    this.#tunnels = ports;
    await this.#bridge();
  };

  /**
   * Lets isolated tasks reach a port of this machine: that of a server that was not started by the launcher. Resolves
   * when they do, with a function that ends it.
   */
  async reach(port: number): Promise<() => void> {
    this.#reachable.add(port);
    await this.#bridge();
    return () => {
      this.#reachable.delete(port);
      inBackground(this.#bridge());
    };
  }

  /** Ends the namespace and the tasks in it. */
  async close(): Promise<void> {
    const namespace = await this.#namespace?.catch(() => undefined);
    await namespace?.close();
  }

  #outside(port: number, process: TaskProcess): TaskProcess {
    inBackground(
      this.reach(port).then(async (end) => {
        await process.exited;
        end();
      }),
    );
    return process;
  }

  /** Throws an Error with the reason if there is none. */
  #namespaceCommand(): Promise<NamespaceCommand> {
    const find = this.#collaborators.namespaces ?? (() => findNamespaceCommand());
    this.#command ??= find().then((support) => {
      if (support.ok) return support.command;
      throw new Error(support.reason);
    });
    return this.#command;
  }

  /**
   * Reserves a place for one task in the namespace. Returns the reason, as a sentence, if nothing can be isolated.
   *
   * @param lost Called when the namespace is gone.
   * @throws ProblemError FAILED_PRECONDITION when another program has the port.
   */
  async enter(port: number, lost: () => void): Promise<Place | string> {
    this.#occupants++;
    let namespace: Namespace;
    try {
      namespace = await this.#occupiedNamespace();
    } catch (error) {
      this.#occupants--;
      // A failure would repeat, so it is reported in advance next time.
      this.#command = Promise.reject(error);
      this.#command.catch(() => undefined);
      return messageOf(error);
    }
    try {
      const host = await LoopbackServer.listen(port, (client) => namespace.admit(port, client));
      this.#isolated.set(port, { host, lost });
    } catch (error) {
      await this.#leave();
      const taken = errnoOf(error) === "EADDRINUSE";
      throw problem("FAILED_PRECONDITION", `Port ${port} cannot be listened on.`, {
        reason: taken ? "Another program has it." : undefined,
        remedy: "Choose another port, or end that program.",
        details: messageOf(error),
      });
    }
    await this.#bridge();
    return {
      command: namespace.enter,
      leave: async () => {
        this.#isolated.get(port)?.host.close();
        this.#isolated.delete(port);
        await this.#leave();
      },
    };
  }

  #occupiedNamespace(): Promise<Namespace> {
    if (this.#namespace) return this.#namespace;
    const started = this.#namespaceCommand().then((command) =>
      Namespace.start(command, (port, client) => this.#release(port, client)),
    );
    this.#namespace = started;
    const gone = () => {
      if (this.#namespace !== started) return;
      this.#namespace = undefined;
      this.#bridged = new Set();
      for (const { lost } of this.#isolated.values()) lost();
    };
    started.then((namespace) => namespace.exited.then(gone), gone);
    return started;
  }

  async #leave(): Promise<void> {
    this.#occupants--;
    if (this.#occupants > 0) return;
    const namespace = this.#namespace;
    this.#namespace = undefined;
    this.#bridged = new Set();
    await (await namespace)?.close();
  }

  /** An isolated task wants to reach a task outside. */
  #release(port: number, client: Socket): void {
    client.on("error", () => undefined);
    if (this.#collaborators.carry(port, client)) return;
    connectLoopback(port).then(
      (task) => join(client, task),
      () => reset(client),
    );
  }

  /** Lets the namespace listen on the ports of the tasks outside of it. Never rejects. */
  #bridge(): Promise<void> {
    this.#queue = this.#queue.then(async () => {
      const namespace = await this.#namespace?.catch(() => undefined);
      if (!namespace) return;
      const bridged = this.#bridged;
      const wanted = new Set(
        [...this.#tunnels, ...this.#reachable].filter((port) => !this.#isolated.has(port)),
      );
      for (const port of [...bridged].filter((old) => !wanted.has(old))) {
        bridged.delete(port);
        await namespace.unlisten(port).catch(() => undefined);
      }
      for (const port of [...wanted].filter((added) => !bridged.has(added))) {
        // A program in the namespace may have the port: a task that was told to listen on another task's port.
        const listens = await namespace.listen(port).then(
          () => true,
          () => false,
        );
        if (listens) bridged.add(port);
      }
    });
    return this.#queue;
  }
}
