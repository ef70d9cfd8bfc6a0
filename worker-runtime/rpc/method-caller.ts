import type { CancellationSignal } from "../cancellation/cancellation-signal.js";
import type { UnaryMethod } from "./message-type.js";

export interface CallOptions {
  /** Ends the call with DEADLINE_EXCEEDED; none when left out. */
  readonly deadlineMillis?: number | undefined;
  /** Cancels the call, here and on the server. */
  readonly signal?: CancellationSignal | undefined;
  /** Request headers. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Carries the calls of one service to one server. */
export interface MethodCaller {
  /** "host:port". */
  readonly address: string;
  /** @throws TensorFlowError with the server's code, message and payloads; UNAVAILABLE when there is no connection. */
  call<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    options?: CallOptions,
  ): Promise<Response>;
}
