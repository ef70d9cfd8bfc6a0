/** The generated description of the Agent service as types, and in the form that grpc-js expects. */
import type { MethodDefinition } from "@grpc/grpc-js";
import { AgentDefinition } from "../../../protos/generated/tensordeck/agent.js";
import type { MessageType } from "../../../worker-runtime/rpc/message-type.js";

type Methods = typeof AgentDefinition.methods;

/** "describe", "watch", … */
export type AgentMethodName = keyof Methods;

type Message<T> = T extends MessageType<infer M> ? M : never;
export type RequestOf<N extends AgentMethodName> = Message<Methods[N]["requestType"]>;
export type ResponseOf<N extends AgentMethodName> = Message<Methods[N]["responseType"]>;

type NamesOf<Shape> = { [N in AgentMethodName]: Methods[N] extends Shape ? N : never }[AgentMethodName];
/** Unary. */
export type UnaryName = NamesOf<{ requestStream: false; responseStream: false }>;
/** Server streaming. */
export type ServerStreamName = NamesOf<{ requestStream: false; responseStream: true }>;
/** Bidirectional streaming. */
export type DuplexName = NamesOf<{ requestStream: true; responseStream: true }>;

export const agentMethodNames = Object.keys(AgentDefinition.methods) as AgentMethodName[];

/** The facts about a method that grpc-js needs on both sides. */
export function methodDefinition<N extends AgentMethodName>(
  name: N,
): MethodDefinition<RequestOf<N>, ResponseOf<N>> {
  const method = AgentDefinition.methods[name];
  // The table's types, which TypeScript loses when indexing.
  const requestType = method.requestType as unknown as MessageType<RequestOf<N>>;
  const responseType = method.responseType as unknown as MessageType<ResponseOf<N>>;
  return {
    path: `/${AgentDefinition.fullName}/${method.name}`,
    requestStream: method.requestStream,
    responseStream: method.responseStream,
    requestSerialize: (value) => Buffer.from(requestType.encode(value).finish()),
    requestDeserialize: (bytes) => requestType.decode(bytes),
    responseSerialize: (value) => Buffer.from(responseType.encode(value).finish()),
    responseDeserialize: (bytes) => responseType.decode(bytes),
  };
}

/** "StartTask" */
export function wireName(name: AgentMethodName): string {
  return AgentDefinition.methods[name].name;
}
