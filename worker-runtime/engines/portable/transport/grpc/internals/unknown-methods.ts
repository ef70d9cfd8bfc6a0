import { type StatusObject, status } from "@grpc/grpc-js";

/** How a grpc-js server answers a call without a handler. */
interface ServerInternals {
  _respondWithError(error: Partial<StatusObject>, ...rest: readonly unknown[]): void;
}

/** The service of TensorFlow 2's clients, for which a function runs on a server op by op (eager_service.proto). */
const EAGER_SERVICE = "/tensorflow.eager.EagerService/";

const NO_EAGER_SERVICE =
  "This task runs on Tensordeck's portable engine, which serves graphs and sessions, not TensorFlow 2's eager clients such as " +
  "ParameterServerStrategy and connect_to_cluster. Start the task with --engine tensorflow for those.";

/**
 * Answers unknown methods like TensorFlow's server, without a text, by which its clients recognise them; only a client of the
 * eager service, which shows the answer to its user, is told which engine has it.
 */
export function answerUnknownMethodsPlainly(server: object): void {
  if (hasAnswer(server)) {
    const respond = server._respondWithError.bind(server);
    server._respondWithError = (error, ...rest) =>
      respond(error.code === status.UNIMPLEMENTED ? { ...error, details: textFor(error) } : error, ...rest);
  }
}

/** @param error names the method in its own text */
function textFor({ details = "" }: Partial<StatusObject>): string {
  return details.includes(EAGER_SERVICE) ? NO_EAGER_SERVICE : "";
}

function hasAnswer(server: object): server is ServerInternals {
  return typeof Reflect.get(server, "_respondWithError") === "function";
}
