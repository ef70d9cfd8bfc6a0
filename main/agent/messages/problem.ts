/** Problems between the contract and the wire. */
import * as wire from "../../../protos/generated/tensordeck/agent.js";
import type { Problem } from "../../api/problem.js";
import { defined } from "../../problems.js";

export function problemToMessage(problem: Problem): wire.Problem {
  return wire.Problem.create(problem);
}

export function problemFromMessage(message: wire.Problem): Problem {
  const { code, message: text, reason, remedy, details, node, task } = message;
  return defined({ code, message: text, reason, remedy, details, node, task });
}
