/** Calls with any bytes for a message, as no client of ours would send them. */
import { Client, credentials, type ServiceError, type status } from "@grpc/grpc-js";

export type Answer =
  | { readonly kind: "response"; readonly bytes: Uint8Array }
  | { readonly kind: "error"; readonly code: status };

export const masterMethods = [
  "CreateSession",
  "ExtendSession",
  "PartialRunSetup",
  "RunStep",
  "CloseSession",
  "ListDevices",
  "Reset",
  "MakeCallable",
  "RunCallable",
  "ReleaseCallable",
] as const;

export const workerMethods = [
  "GetStatus",
  "CreateWorkerSession",
  "DeleteWorkerSession",
  "RegisterGraph",
  "DeregisterGraph",
  "RunGraph",
  "CleanupGraph",
  "CleanupAll",
  "RecvTensor",
  "MarkRecvFinished",
  "Logging",
  "Tracing",
  "RecvBuf",
  "CompleteGroup",
  "CompleteInstance",
  "GetStepSequence",
] as const;

export const methods: readonly string[] = [
  ...masterMethods.map((name) => `/tensorflow.MasterService/${name}`),
  ...workerMethods.map((name) => `/tensorflow.WorkerService/${name}`),
];

/** A connection that sends what it is given. */
export class RawClient {
  readonly #client: Client;

  /** @param target "grpc://host:port" */
  constructor(target: string) {
    this.#client = new Client(target.replace("grpc://", ""), credentials.createInsecure());
  }

  /** One unary call. A call that is not answered in time ends with DEADLINE_EXCEEDED. */
  call(method: string, message: Uint8Array, timeoutMillis = 30_000): Promise<Answer> {
    return new Promise((resolve) => {
      this.#client.makeUnaryRequest(
        method,
        (bytes: Uint8Array) => Buffer.from(bytes),
        (bytes: Buffer) => bytes,
        message,
        { deadline: Date.now() + timeoutMillis },
        (error: ServiceError | null, bytes?: Buffer) => {
          resolve(
            error === null
              ? { kind: "response", bytes: bytes ?? Buffer.alloc(0) }
              : { kind: "error", code: error.code },
          );
        },
      );
    });
  }

  /** Breaks the connection, and with it whatever is in progress. */
  close(): void {
    this.#client.close();
  }
}
