/** Requests to an API server. Signing in is left to Kubernetes' client; each request can be cancelled. */

import { type IncomingMessage, request as plainRequest } from "node:http";
import { type RequestOptions, request as secureRequest } from "node:https";
import { text } from "node:stream/consumers";
import type { KubeConfig } from "@kubernetes/client-node";
import { WebSocket } from "ws";
import { withDeadline } from "../../worker-runtime/cancellation/deadline.js";
import { problem } from "../shared/problems.js";
import { apiProblem, connectionProblem } from "./api-problem.js";
import { type ContextChoice, chooseContext } from "./kube-config.js";

/** A list becomes several parameters of the same name. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface ApiRequest {
  readonly method?: "GET" | "PATCH" | "POST" | "DELETE" | "PUT";
  /** "/api/v1/namespaces/default/pods" */
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  /** The type of the body; JSON unless given. */
  readonly contentType?: string;
  /** The beginning of the problem if it fails: "The pods cannot be listed". */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
}

/** An answer that takes longer is not worth waiting for: the server is overloaded or gone. */
const ANSWER_MILLIS = 30_000;
/** A silent connection through a router is forgotten after some minutes. */
const KEEP_ALIVE_MILLIS = 30_000;

export class ApiServer {
  readonly #config: KubeConfig;

  private constructor(
    config: KubeConfig,
    /** URL without a slash at its end. */
    readonly server: string,
    readonly context: string,
    /** The namespace of the context. */
    readonly namespace: string,
  ) {
    this.#config = config;
  }

  /** Asks the API server for its version. @throws ProblemError if there is no such context, or no answer */
  static async connect(choice: ContextChoice, signal?: AbortSignal): Promise<ApiServer> {
    const config = await chooseContext(choice);
    const name = config.getCurrentContext();
    const { server = "" } = config.getCurrentCluster() ?? {};
    const namespace = config.getContextObject(name)?.namespace ?? "default";
    const api = new ApiServer(config, server.replace(/\/+$/, ""), name, namespace);
    await api.request({ path: "/version", what: `The API server ${server} refuses to answer`, signal });
    return api;
  }

  /** The answer's JSON. @throws ProblemError, the signal's reason */
  async request(request: ApiRequest): Promise<unknown> {
    return await withDeadline(ANSWER_MILLIS, request.signal, async (signal) => {
      try {
        const body = await text(await this.#open({ ...request, signal }));
        return body === "" ? undefined : JSON.parse(body);
      } catch (error) {
        request.signal?.throwIfAborted();
        if (!signal.aborted) throw error;
        throw problem("DEADLINE_EXCEEDED", `${request.what}.`, {
          reason: `The API server ${this.server} did not answer within ${ANSWER_MILLIS / 1000} s.`,
          remedy: "Try again, and check the cluster if it happens again.",
        });
      }
    });
  }

  /** An answer that goes on until the signal is aborted or the server ends it. @throws as `request` */
  async stream(request: ApiRequest & { readonly signal: AbortSignal }): Promise<IncomingMessage> {
    const answer = await this.#open(request);
    answer.socket.setKeepAlive(true, KEEP_ALIVE_MILLIS);
    return answer;
  }

  /**
   * A WebSocket that is open and paused: what the server sends first waits for the caller's listeners.
   * @throws ProblemError if it is refused, the signal's reason
   */
  async socket(request: ApiRequest & { readonly protocols: readonly string[] }): Promise<WebSocket> {
    const { path, query, protocols, what, signal } = request;
    signal?.throwIfAborted();
    const options = {};
    await this.#config.applyToHTTPSOptions(options);
    const socket = new WebSocket(this.#url(path, query).href.replace(/^http/, "ws"), [...protocols], {
      ...options,
      perMessageDeflate: false,
      handshakeTimeout: ANSWER_MILLIS,
    });
    return new Promise((resolve, reject) => {
      const abort = () => {
        socket.terminate();
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      socket.once("open", () => {
        signal?.removeEventListener("abort", abort);
        socket.pause();
        socket.removeAllListeners("error");
        socket.on("error", () => undefined);
        resolve(socket);
      });
      socket.once("unexpected-response", (_request, answer) => {
        const refused = async () => {
          const body = await text(answer);
          return apiProblem(what, answer.statusCode ?? 0, body);
        };
        refused().then(reject, reject);
        socket.terminate();
      });
      socket.on("error", (error) => reject(connectionProblem(this.server, error)));
    });
  }

  #url(path: string, query: Query = {}): URL {
    const url = new URL(this.server + path);
    for (const [name, value] of Object.entries(query)) {
      const values = Array.isArray(value) ? value : value === undefined ? [] : [value];
      for (const one of values) url.searchParams.append(name, String(one));
    }
    return url;
  }

  /** Resolves with an answer that is no error; its body is not read yet. */
  async #open({ method = "GET", path, query, body, contentType, what, signal }: ApiRequest) {
    signal?.throwIfAborted();
    const url = this.#url(path, query);
    const content = body === undefined ? undefined : JSON.stringify(body);
    const options: RequestOptions = { method, signal };
    await this.#config.applyToHTTPSOptions(options);
    options.headers = {
      ...(options.headers as Record<string, string> | undefined),
      Accept: "application/json",
      ...(content !== undefined && {
        "Content-Type": contentType ?? "application/json",
        "Content-Length": String(Buffer.byteLength(content)),
      }),
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const send = url.protocol === "http:" ? plainRequest : secureRequest;
      const outgoing = send(url, options, resolve);
      outgoing.once("error", (error) =>
        reject(signal?.aborted ? signal.reason : connectionProblem(this.server, error)),
      );
      outgoing.end(content);
    });
    const { statusCode = 0 } = answer;
    if (statusCode >= 200 && statusCode < 300) return answer;
    throw apiProblem(what, statusCode, await text(answer));
  }
}
