/** What a kubelet serves for the pods of its node: logs, and port forwarding by v4.channel.k8s.io. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { loopbackCertificate } from "./certificate.js";

const PROTOCOL = "v4.channel.k8s.io";

export class Kubelet {
  readonly #lines = new Map<string, string[]>();
  readonly #followers = new Map<string, Set<ServerResponse>>();
  /** Ports of 127.0.0.1, by pod and its port: "lab-worker-0:2222". */
  readonly ports = new Map<string, number>();
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
      const [, pod] = /^\/portForward\/[^/]+\/([^/?]+)/.exec(request.url ?? "") ?? [];
      this.forward(pod ?? "", request, socket, head);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    return typeof address === "object" ? (address?.port ?? 0) : 0;
  }

  close(): void {
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

  log(pod: string, query: URLSearchParams, response: ServerResponse): void {
    response.writeHead(200, { "Content-Type": "text/plain" });
    for (const line of (this.#lines.get(pod) ?? []).slice(-Number(query.get("tailLines") ?? 1000))) {
      response.write(line);
    }
    if (query.get("follow") !== "true") {
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
