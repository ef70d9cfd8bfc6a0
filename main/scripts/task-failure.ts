/** Why a task of a script failed, from its exit and the last lines that it wrote. */
import type { TaskName } from "../../worker-runtime/cluster/device-name.js";
import { shortTaskText } from "../../worker-runtime/cluster/device-name.js";
import type { Problem } from "../api/problem.js";
import { defined } from "../shared/problems.js";
import { howItEnded, reasonOf } from "../tasks/exit-problem.js";
import type { TaskExit } from "../tasks/launcher.js";
import { moduleRemedy } from "./python/missing-modules.js";

export interface FailedTask {
  readonly task: TaskName;
  readonly exit: TaskExit;
  /** The other machine that it ran on; undefined for this one. */
  readonly machine?: string | undefined;
  /** The last lines that it wrote, oldest first. */
  readonly lines: readonly string[];
  /** The given requirements, "requirements.txt"; undefined for none. */
  readonly requirements?: string | undefined;
  /** Whether it had no network besides its cluster. */
  readonly isolated?: boolean | undefined;
}

/** "worker/1 on pi failed (exit code 1)" with the error of the script, what it means, and what to do. */
export function taskFailure({ task, exit, machine, lines, requirements, isolated }: FailedTask): Problem {
  const error = lastError(lines);
  const module = /^ModuleNotFoundError: No module named '([^']+)'/.exec(error ?? "")?.[1];
  const name = shortTaskText(task);
  const advice =
    module === undefined
      ? (networkAdvice(lines, isolated) ?? memoryAdvice(name, lines) ?? {})
      : { remedy: moduleRemedy([module], { requirements }) };
  return defined({
    code: "ABORTED",
    message: `${name}${machine === undefined ? "" : ` on ${machine}`} failed (${howItEnded(exit)}).`,
    reason: error ?? reasonOf(exit, lines.join("\n")),
    ...advice,
    details: placeOf(lines),
    task: name,
  });
}

const networkErrors =
  /Temporary failure in name resolution|Network is unreachable|\[Errno -3\]|URL fetch failure/;

function networkAdvice(
  lines: readonly string[],
  isolated: boolean | undefined,
): Pick<Problem, "remedy"> | undefined {
  if (!isolated || !lines.some((line) => networkErrors.test(line))) return undefined;
  return {
    remedy: `The script runs cut off from the network, because TensorFlow's servers would be open to it. Download the data before, or let it use the network ("The script may use the network" in the dialog, --network on the command line).`,
  };
}

const memoryErrors =
  /ResourceExhaustedError|OOM when allocating|CUDA_ERROR_OUT_OF_MEMORY|^MemoryError\b|std::bad_alloc/;

function memoryAdvice(name: string, lines: readonly string[]): Pick<Problem, "remedy"> | undefined {
  if (!lines.some((line) => memoryErrors.test(line))) return undefined;
  return {
    remedy: `Use smaller batches, run ${name} on a device or machine with more memory, or end what else uses it.`,
  };
}

/** The message with which Python's last traceback ends, "ValueError: …". Lines after it are a library's or its own. */
function lastError(lines: readonly string[]): string | undefined {
  const start = lines.findLastIndex((line) => /^Traceback \(most recent call last\):/.test(line));
  // A syntax error has no traceback.
  const from = start === -1 ? lines.findLastIndex((line) => /^ {2}File ".*", line \d+$/.test(line)) : start;
  if (from === -1) return undefined;
  return lines.slice(from + 1).find((line) => /^[A-Za-z_][\w.]*(?::|$)/.test(line));
}

/** Where in the script it happened: the innermost line of the traceback that is no library's. */
function placeOf(lines: readonly string[]): string | undefined {
  const start = lines.findLastIndex((line) => /^Traceback \(most recent call last\):/.test(line));
  const frames = lines.slice(Math.max(start, 0)).flatMap((line) => {
    const [, file = "", number = ""] = /^ {2}File "([^"]+)", line (\d+)/.exec(line) ?? [];
    return file === "" ? [] : [{ file, number }];
  });
  const own = frames.findLast(
    ({ file }) => !/[\\/](?:site|dist)-packages[\\/]|[\\/]lib[\\/]python|^</.test(file),
  );
  return own && `${own.file}, line ${own.number}`;
}
