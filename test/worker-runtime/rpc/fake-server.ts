import {
  type handleUnaryCall,
  type Metadata,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  status,
} from "@grpc/grpc-js";
import { MasterServiceDefinition } from "../../../protos/generated/tensorflow/master_service.js";
import { WorkerServiceDefinition } from "../../../protos/generated/tensorflow/worker_service.js";
import type { MessageType } from "../../../worker-runtime/rpc/message-type.js";

/** A failure that a handler throws: what the wire carries of it. */
export interface WireFailure {
  readonly code: number;
  readonly details: string;
  readonly metadata?: Metadata;
}

/** Answers to the calls of one service by method name ("RunStep"); what has no answer is UNIMPLEMENTED. */
export type Handlers = Readonly<Record<string, (request: never, signal: AbortSignal) => unknown>>;

interface Method {
  readonly name: string;
  readonly requestType: MessageType<unknown>;
  readonly responseType: MessageType<unknown>;
}

function serviceOf(service: { readonly fullName: string; readonly methods: object }): ServiceDefinition {
  return Object.fromEntries(
    Object.values(service.methods as Record<string, Method>).map(({ name, requestType, responseType }) => [
      name,
      {
        path: `/${service.fullName}/${name}`,
        requestStream: false,
        responseStream: false,
        requestSerialize: (value: unknown) => Buffer.from(requestType.encode(value).finish()),
        requestDeserialize: (bytes: Buffer) => requestType.decode(bytes),
        responseSerialize: (value: unknown) => Buffer.from(responseType.encode(value).finish()),
        responseDeserialize: (bytes: Buffer) => responseType.decode(bytes),
      },
    ]),
  );
}

export interface FakeServer {
  readonly address: string;
  /** Every call in order of arrival. */
  readonly calls: { readonly method: string; readonly request: unknown }[];
  stop(): void;
}

/** A real gRPC server on a free port whose answers the test gives. */
export async function startFakeServer(master: Handlers, worker: Handlers = {}): Promise<FakeServer> {
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  const calls: FakeServer["calls"] = [];
  const add = (
    definition: { readonly fullName: string; readonly methods: object },
    handlers: Handlers,
  ): void => {
    const service = serviceOf(definition);
    const answering = (method: string): handleUnaryCall<unknown, unknown> => {
      const handler = handlers[method];
      return (call, done) => {
        calls.push({ method, request: call.request });
        const controller = new AbortController();
        call.on("cancelled", () => controller.abort());
        Promise.resolve()
          .then(() => {
            if (handler === undefined) {
              throw { code: status.UNIMPLEMENTED, details: "" } satisfies WireFailure;
            }
            return handler(call.request as never, controller.signal);
          })
          .then(
            (value) => done(null, value),
            (failure: WireFailure) => done(failure),
          );
      };
    };
    server.addService(
      service,
      Object.fromEntries(Object.keys(service).map((method) => [method, answering(method)])),
    );
  };
  add(MasterServiceDefinition, master);
  add(WorkerServiceDefinition, worker);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { address: `127.0.0.1:${port}`, calls, stop: () => server.forceShutdown() };
}
