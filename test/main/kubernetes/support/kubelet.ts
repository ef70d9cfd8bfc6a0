/** The services of a kubelet for the pods of its node: logs, commands, and port forwarding, by v4.channel.k8s.io. */
import { type ChildProcess, spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { loopbackCertificate } from "./certificate.js";

const PROTOCOL = "v4.channel.k8s.io";

/** A container as a process of this machine. */
export interface ContainerProcess {
  readonly process: ChildProcess;
  readonly env: NodeJS.ProcessEnv;
}

export class Kubelet {
  readonly #lines = new Map<string, string[]>();
  readonly #followers = new Map<string, Set<ServerResponse>>();
  /** Ports of 127.0.0.1, by pod and its port: "lab-worker-0:2222". */
  readonly ports = new Map<string, number>();
  /** The resources that pods take, as the metrics API says it; empty: the cluster has none. */
  readonly usage = new Map<string, { readonly cpu: string; readonly memory: string }>();
  /** By pod. */
  readonly #containers = new Map<string, ContainerProcess>();
  /** Pods whose container has ended: their logs do, too. */
  readonly #ended = new Set<string>();
  readonly #sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  });
  #server: Server | undefined;

  /** Serves the API that API servers use. Resolves to its port. */
  async listen(): Promise<number> {
    const server = createServer(await loopbackCertificate(), (request, response) => {
      const [, pod] = /^\/containerLogs\/[^/]+\/([^/]+)\//.exec(request.url ?? "") ?? [];
      if (pod === undefined) response.writeHead(404).end();
      else this.log(pod, queryOf(request), response);
    });
    server.on("upgrade", (request, socket, head) => {
      const [, what, pod = ""] = /^\/(portForward|exec)\/[^/]+\/([^/?]+)/.exec(request.url ?? "") ?? [];
      if (what === "exec") this.exec(pod, request, socket, head);
      else this.forward(pod, request, socket, head);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    return typeof address === "object" ? (address?.port ?? 0) : 0;
  }

  close(): void {
    for (const pod of this.#containers.keys()) this.kill(pod, "SIGKILL");
    for (const follower of [...this.#followers.values()].flatMap((followers) => [...followers]))
      follower.end();
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  /** Adds a line to the log of a pod. */
  write(pod: string, line: string): void {
    const stamped = `${new Date().toISOString()} ${line}\n`;
    this.#lines.set(pod, [...(this.#lines.get(pod) ?? []), stamped]);
    for (const follower of this.#followers.get(pod) ?? []) follower.write(stamped);
  }

  /** Runs a container as a process of this machine, whose output is the pod's log. Resolves to its exit code. */
  async run(pod: string, command: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
    const [program = "", ...args] = command;
    // A group of its own, as a container ends with all that it has started.
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    this.#containers.set(pod, { process: child, env });
    for (const output of [child.stdout, child.stderr]) {
      createInterface(output).on("line", (line) => this.write(pod, line));
    }
    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
      child.once("close", (...exit) => resolve(exit)),
    );
    this.#containers.delete(pod);
    this.#ended.add(pod);
    for (const follower of this.#followers.get(pod) ?? []) follower.end();
    this.#followers.delete(pod);
    return code ?? (signal === "SIGKILL" ? 137 : 143);
  }

  /** Ends a container. */
  kill(pod: string, signal: NodeJS.Signals): void {
    const { pid } = this.#containers.get(pod)?.process ?? {};
    if (pid !== undefined) process.kill(signal === "SIGKILL" ? -pid : pid, signal);
  }

  exec(pod: string, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const query = queryOf(request);
    const hasInput = query.get("stdin") === "true" || query.get("input") === "1";
    this.#sockets.handleUpgrade(request, socket, head, (remote) => {
      const [program = "", ...args] = query.getAll("command");
      const container = this.#containers.get(pod);
      const say = (channel: number, content: Buffer | string) =>
        remote.send(Buffer.concat([Buffer.from([channel]), Buffer.from(content)]));
      if (container === undefined) {
        say(3, JSON.stringify({ status: "Failure", message: "container not found" }));
        remote.close();
        return;
      }
      const child = spawn(program, args, { env: container.env, stdio: "pipe" });
      child.stdin.on("error", () => undefined);
      if (!hasInput) child.stdin.end();
      remote.on("message", (message: Buffer) => {
        if (message[0] === 0) child.stdin.write(message.subarray(1));
      });
      remote.on("close", () => child.stdin.end());
      child.stdout.on("data", (piece: Buffer) => say(1, piece));
      child.stderr.on("data", (piece: Buffer) => say(2, piece));
      child.on("close", (code) => {
        const causes = [{ reason: "ExitCode", message: String(code) }];
        const failure = { status: "Failure", reason: "NonZeroExitCode", details: { causes } };
        say(3, JSON.stringify(code === 0 ? { status: "Success" } : failure));
        remote.close();
      });
    });
  }

  log(pod: string, query: URLSearchParams, response: ServerResponse): void {
    response.writeHead(200, { "Content-Type": "text/plain" });
    for (const line of (this.#lines.get(pod) ?? []).slice(-Number(query.get("tailLines") ?? 10_000))) {
      response.write(line);
    }
    if (query.get("follow") !== "true" || this.#ended.has(pod)) {
      response.end();
      return;
    }
    response.flushHeaders();
    const followers = this.#followers.get(pod) ?? new Set();
    this.#followers.set(pod, followers.add(response));
    response.once("close", () => followers.delete(response));
  }

  forward(pod: string, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const port = Number(queryOf(request).get("ports") ?? queryOf(request).get("port"));
    this.#sockets.handleUpgrade(request, socket, head, (remote) => this.#carry(pod, port, remote));
  }

  #carry(pod: string, port: number, remote: WebSocket): void {
    const portBytes = [port & 0xff, port >> 8];
    for (const channel of [0, 1]) remote.send(Buffer.from([channel, ...portBytes]));
    const target = this.ports.get(`${pod}:${port}`);
    if (target === undefined) {
      remote.send(Buffer.concat([Buffer.from([1]), Buffer.from(`nothing listens on ${port}`)]));
      return;
    }
    const task = connect(target, "127.0.0.1");
    task.on("data", (bytes) => remote.send(Buffer.concat([Buffer.from([0]), bytes])));
    task.on("error", () => remote.terminate());
    task.on("close", () => remote.close());
    remote.on("message", (message: Buffer) => {
      if (message[0] === 0) task.write(message.subarray(1));
    });
    remote.on("close", () => task.destroy());
  }
}

function queryOf({ url = "" }: IncomingMessage): URLSearchParams {
  return new URL(url, "https://kubelet").searchParams;
}
