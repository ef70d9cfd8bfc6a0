import { type StatusObject, status } from "@grpc/grpc-js";

/** How a grpc-js server answers a call without a handler. */
interface ServerInternals {
  _respondWithError(error: Partial<StatusObject>, ...rest: readonly unknown[]): void;
}

/** Answers unknown methods like TensorFlow's server, without a text: its clients recognise them by that. */
export function answerUnknownMethodsPlainly(server: object): void {
  if (hasAnswer(server)) {
    const respond = server._respondWithError.bind(server);
    server._respondWithError = (error, ...rest) =>
      respond(error.code === status.UNIMPLEMENTED ? { ...error, details: "" } : error, ...rest);
  }
}

function hasAnswer(server: object): server is ServerInternals {
  return typeof Reflect.get(server, "_respondWithError") === "function";
}
