import type { Bridge } from "../../main/api/bridge.js";
import type { ApplicationClient, MethodName, Params, Result } from "../../main/api/contract.js";
import { ProblemError } from "../../main/api/wire.js";
import { Emitter } from "./emitter.js";

declare global {
  interface Window {
    /** Present in Electron's window only. */
    readonly tensordeck?: Bridge;
  }
}

/** The application over Electron's IPC. The connection lives as long as the window does. */
export class BridgeClient implements ApplicationClient {
  readonly #bridge: Bridge;
  readonly #emitter = new Emitter();

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
    bridge.onEvent((event) => this.#emitter.receive(event));
    this.#emitter.setConnected(true);
  }

  async call<M extends MethodName>(
    method: M,
    ...params: Params<M> extends undefined ? [] : [params: Params<M>]
  ): Promise<Result<M>> {
    const answer = await this.#bridge.request(method, params[0]);
    if (!answer.ok) throw new ProblemError(answer.problem);
    return answer.result as Result<M>;
  }

  async catchUp(): Promise<void> {
    await this.#emitter.catchUp((known) => this.call("events.missed", known));
  }

  readonly on: ApplicationClient["on"] = (event, listener) => this.#emitter.on(event, listener);
  readonly onConnection: ApplicationClient["onConnection"] = (listener) =>
    this.#emitter.onConnection(listener);
}
