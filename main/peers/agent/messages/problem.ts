/** Problems between the contract and the wire. */

import * as wire from "../../../../protos/generated/tensordeck/agent.js";
import type { Problem } from "../../../api/problem.js";
import { printableName, printableText } from "../../../shared/printable.js";
import { defined } from "../../../shared/problems.js";

export function problemToMessage(problem: Problem): wire.Problem {
  return wire.Problem.create(problem);
}

export function problemFromMessage(message: wire.Problem): Problem {
  const { code, message: text, reason, remedy, details, node, task } = message;
  const shown = (words: string | undefined) => (words === undefined ? undefined : printableText(words));
  return defined({
    code: printableName(code),
    message: printableText(text),
    reason: shown(reason),
    remedy: shown(remedy),
    details: shown(details),
    node: shown(node),
    task: shown(task),
  });
}
