/** The problem of a failed run for the user: which node of which task, why, and what to do. */
import { shortTaskText, taskOfDevice, tasksInText } from "../../worker-runtime/cluster/device-name.js";
import {
  messageWithoutTask,
  StatusCode,
  TensorFlowError,
  taskOfMessage,
} from "../../worker-runtime/protocol/status.js";
import type { Problem } from "../api/problem.js";
import { ProblemError } from "../api/wire.js";
import { defined, problemOf, shortTaskName } from "../shared/problems.js";
import { explanations } from "./error-explanations.js";

/** Facts about the graph and the cluster that the error came from. */
export interface RunContext {
  /** The user's nodes by name. */
  readonly nodes: ReadonlyMap<string, { readonly op: string; readonly device?: string }>;
  /** The limit that the user set for a step, if any. */
  readonly stepTimeoutMillis: number | undefined;
  /** Name of a task by its listening address. */
  readonly taskAt: (address: string) => string | undefined;
}

/**
 * Workers add the newest warnings and errors of their log to what they report. They may be from earlier steps and
 * are unrelated to this failure.
 */
function withoutOlderLog(text: string): string {
  return text.replace(/\n\s*Recent warning and error logs:[\s\S]*$/, "");
}

/** One sentence is enough for a headline; TensorFlow's errors can carry stack traces and whole graphs. */
const MAX_HEADLINE_CHARACTERS = 300;

export function runProblem(error: unknown, context: RunContext): Problem {
  if (error instanceof ProblemError || !(error instanceof TensorFlowError)) return problemOf(error);
  const { stepTimeoutMillis } = context;
  if (error.code === StatusCode.DEADLINE_EXCEEDED && stepTimeoutMillis) {
    return {
      code: error.codeName,
      message: `The step did not end within its time limit of ${stepTimeoutMillis / 1000} s.`,
      reason: "It takes longer, or a node waits forever, such as for a value in an empty queue.",
      remedy: "Raise the limit, or look for the node that waits.",
      details: error.message,
    };
  }
  const text = withoutOlderLog(messageWithoutTask(error.message));
  const node = nodeOfMessage(text, context);
  const task = pinnedTask(error, node, context) ?? taskOfError(error, context);
  const explanation = explanations.find(({ pattern }) => pattern.test(text));
  const subject = node ?? "The step";
  const place = task === undefined ? "" : ` on ${task}`;
  return defined({
    code: error.codeName,
    message: `${subject} failed${place}: ${headline(text)}`,
    reason: typeof explanation?.reason === "function" ? explanation.reason(text) : explanation?.reason,
    remedy: explanation?.remedy,
    details: error.message,
    node,
    task,
  });
}

/**
 * The task of a failed node that is pinned to one: another task, to which the failure spread, may have reported it. Not
 * for a lost task, which is not the one that the node ran on.
 */
function pinnedTask(
  { code }: TensorFlowError,
  node: string | undefined,
  { nodes }: RunContext,
): string | undefined {
  if (node === undefined || code === StatusCode.UNAVAILABLE || code === StatusCode.ABORTED) return undefined;
  const task = taskOfDevice(nodes.get(node)?.device ?? "");
  return task && shortTaskText(task);
}

function taskOfError(error: TensorFlowError, { taskAt }: RunContext): string | undefined {
  if (error.task !== undefined) return shortTaskName(error.task);
  const [source] = tasksInText(error.message);
  if (source !== undefined) return shortTaskText(source);
  for (const [address] of error.message.matchAll(/[\w.-]+:\d{2,5}\b/g)) {
    const task = taskAt(address);
    if (task !== undefined) return task;
  }
  return undefined;
}

/** The forms in which TensorFlow names a node in its errors. */
const nodePatterns = [
  /\{\{node ([^}\s]+)\}\}/g,
  /\[\[\{?\{?node ([^\]}\s]+)/g,
  /\bnode '?([^\s']+?)'? \(defined at/g,
  /Detected at node '?([^\s']+?)'?[ :]/g,
  /\bInput \d+ of node ([^\s]+) (?:was passed|does not exist)/g,
  /\bFetchOutputs ([^\s:]+)/g,
  /Illegal op name '([^']+)'/g,
  /placeholder tensor '([^']+)'/g,
  /for operation ([^\s:]+):/g,
  /uninitialized value ([^\s[]+)/g,
  /reading resource variable ([^\s]+) from/g,
  /\b[Nn]ode:? '([^']+)'/g,
];

/** The first name that is one of the user's nodes: a master's rewriting creates others. */
function nodeOfMessage(text: string, { nodes }: RunContext): string | undefined {
  for (const pattern of nodePatterns) {
    for (const [, name] of text.matchAll(pattern)) {
      const node = name?.replace(/:\d+$/, "");
      if (node !== undefined && nodes.has(node)) return node;
    }
  }
  // For an unknown op, TensorFlow names only the op.
  const op = /Op type not registered '([^']+)'/.exec(text)?.[1];
  if (op === undefined) return undefined;
  return [...nodes].find(([, node]) => node.op === op)?.[0];
}

/** The first meaningful sentence, without the notes that TensorFlow adds for programmers. */
function headline(text: string): string {
  const line =
    text
      .split("\n")
      .map((part) =>
        part
          .replace(/\s*\[\[\{?\{?node .*$/, "")
          .replace(/:\s*$/, "")
          .replace(/^\s*\{\{(?:function_)?node [^}]*\}\}\s*/, "")
          .trim(),
      )
      .find((part) => part !== "" && !/^=+$/.test(part) && taskOfMessage(`${part}:`) === undefined) ??
    text.trim();
  // The reason follows in our own words, so TensorFlow's further guesses move to the details.
  const sentence = /^.{20,}?[.!?](?=\s+[A-Z])/.exec(line)?.[0] ?? line;
  const short =
    sentence.length > MAX_HEADLINE_CHARACTERS ? `${sentence.slice(0, MAX_HEADLINE_CHARACTERS)} …` : sentence;
  return /[.!?…]$/.test(short) ? short : `${short}.`;
}
