/** The application's side of a namespace: a network namespace with nothing in it but a loopback interface. */
import type { ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import { compiledModule, nodeCommand } from "../../../worker-runtime/engines/package-root.js";
import { inBackground } from "../../../worker-runtime/faults.js";
import { neutralFolder, startProgram } from "../../../worker-runtime/programs/run-program.js";
import { problem } from "../../shared/problems.js";
import type { NamespaceCommand } from "./namespace-command.js";
import { type NamespaceRequest, namespaceMessageSchema } from "./namespace-messages.js";

/** Creating it takes a tenth of a second; somewhat longer on a loaded Pi. */
const START_TIMEOUT_MILLIS = 15_000;

interface Waiting {
  readonly resolve: (socket: Socket | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** A request without its number. */
type PortRequest = Pick<Exclude<NamespaceRequest, { kind: "admit" }>, "kind" | "port">;

export class Namespace {
  /** Resolves when its process has ended for any reason. Never rejects. */
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  readonly #command: NamespaceCommand;
  readonly #onClient: (port: number, client: Socket) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ready: Promise<void>;
  #lastId = 0;

  private constructor(command: NamespaceCommand, onClient: (port: number, client: Socket) => void) {
    this.#command = command;
    this.#onClient = onClient;
    const node = nodeCommand();
    const [program = "", ...args] = [
      ...command.make,
      node.command,
      compiledModule("tasks/isolation/namespace-process.js"),
    ];
    this.#child = startProgram(program, args, {
      cwd: neutralFolder(),
      env: { ...process.env, ...node.env },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.exited = new Promise((resolve) => {
      // Also emitted when something could not be sent, which the sender handles.
      this.#child.on("error", () => {
        if (this.#child.pid === undefined) resolve();
      });
      this.#child.once("exit", () => resolve());
    });
    this.#ready = this.#awaitReady();
    inBackground(
      this.exited.then(() => {
        for (const { reject } of this.#waiting.values()) reject(ended());
        this.#waiting.clear();
      }),
    );
  }

  /**
   * Creates a namespace and brings up its loopback interface.
   *
   * @param onClient Given every connection of a program in the namespace to a port that `listen` was called for.
   * @throws ProblemError FAILED_PRECONDITION when the system does not allow it; DEADLINE_EXCEEDED.
   */
  static async start(
    command: NamespaceCommand,
    onClient: (port: number, client: Socket) => void,
  ): Promise<Namespace> {
    const namespace = new Namespace(command, onClient);
    try {
      await namespace.#ready;
    } catch (error) {
      await namespace.close();
      throw error;
    }
    // The application may end without closing it; it then ends by itself.
    namespace.#child.unref();
    namespace.#child.channel?.unref();
    return namespace;
  }

  /**
   * The prefix of a command line whose program then runs in the namespace, under the process ID with which it was
   * started.
   */
  get enter(): readonly string[] {
    return this.#command.enter(this.#child.pid ?? 0);
  }

  /** Listens on the namespace's loopback addresses. @throws ProblemError UNAVAILABLE. */
  async listen(port: number): Promise<void> {
    await this.#ask({ kind: "listen", port });
  }

  /** Frees a port of the namespace; open connections continue. @throws ProblemError UNAVAILABLE. */
  async unlisten(port: number): Promise<void> {
    await this.#ask({ kind: "unlisten", port });
  }

  /** Connects to a program in the namespace. @throws ProblemError UNAVAILABLE when none listens there. */
  async connect(port: number): Promise<Socket> {
    const socket = await this.#ask({ kind: "connect", port });
    if (!socket) throw ended();
    return socket;
  }

  /** Carries a connection, of which nothing was read yet, to a program in the namespace; resets it if none listens. */
  admit(port: number, client: Socket): void {
    const request: NamespaceRequest = { kind: "admit", port };
    this.#child.send(request, client, (error) => {
      if (error) client.destroy();
    });
  }

  /** Ends the process. The namespace itself goes when the last program in it has ended. */
  async close(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exited;
  }

  #ask(command: PortRequest): Promise<Socket | undefined> {
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) {
        reject(ended());
        return;
      }
      const id = ++this.#lastId;
      this.#waiting.set(id, { resolve, reject });
      this.#child.channel?.ref();
      const request: NamespaceRequest = { ...command, id };
      this.#child.send(request, (error) => {
        if (error && this.#waiting.delete(id)) reject(ended());
      });
    });
  }

  #awaitReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      const unusable = (details: string) =>
        problem("FAILED_PRECONDITION", "No network namespace could be created for the tasks.", { details });
      const timer = setTimeout(
        () =>
          reject(problem("DEADLINE_EXCEEDED", "Creating a network namespace for the tasks took too long.")),
        START_TIMEOUT_MILLIS,
      );
      this.#child.on("message", (received, handle) => {
        const { success, data: message } = namespaceMessageSchema.safeParse(received);
        if (!success) return;
        // A socket whose peer is gone already may arrive as nothing.
        const socket = handle instanceof Socket ? handle : undefined;
        switch (message.kind) {
          case "ready":
            clearTimeout(timer);
            resolve();
            break;
          case "unusable":
            reject(unusable(message.message));
            break;
          case "accepted":
            if (socket) this.#onClient(message.port, socket);
            break;
          case "done":
            this.#settle(message.id)?.resolve(socket);
            break;
          case "failed":
            this.#settle(message.id)?.reject(problem("UNAVAILABLE", message.message));
            break;
        }
      });
      inBackground(
        this.exited.then(() => {
          clearTimeout(timer);
          reject(unusable("Its process has ended."));
        }),
      );
    });
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    // Nothing is pending: the namespace alone does not keep the application running.
    if (this.#waiting.size === 0) this.#child.channel?.unref();
    return waiting;
  }
}

function ended(): Error {
  return problem("UNAVAILABLE", "The network namespace of the isolated tasks is gone.");
}
