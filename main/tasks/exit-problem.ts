import type { LogLine } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";
import { defined } from "../shared/problems.js";
import type { TaskExit } from "./launcher.js";

/** Windows has numbers from here on for the ends of processes that have not ended by themselves. */
const FIRST_WINDOWS_STATUS = 0x80000000;
const DLL_NOT_FOUND = 0xc0000135;

/** The signals that have the meanings of such numbers elsewhere. */
const windowsStatuses = new Map<number, NodeJS.Signals>([
  [0xc0000005, "SIGSEGV"],
  [0xc000001d, "SIGILL"],
  [0xc0000094, "SIGFPE"],
  // From abort(), by which TensorFlow ends when a check fails.
  [0xc0000409, "SIGABRT"],
  [0xc000013a, "SIGINT"],
]);

const signalReasons = new Map<string, string>([
  ["SIGKILL", "The system killed it, probably because memory ran out; or somebody ended it by force."],
  ["SIGTERM", "Another program asked it to stop."],
  ["SIGINT", "Another program asked it to stop."],
  ["SIGHUP", "Its terminal was closed."],
  ["SIGABRT", "TensorFlow hit a fatal error; the last lines of the log name it."],
  ["SIGSEGV", "The library crashed: it accessed invalid memory."],
  ["SIGBUS", "The library crashed, probably because the disk is full or a file was truncated while in use."],
  ["SIGILL", "The library uses instructions that this processor does not have."],
  ["SIGFPE", "The library crashed in an arithmetic operation."],
]);

const memoryTrouble =
  /out of memory|bad_alloc|resource exhausted|OOM when allocating|cannot allocate memory/i;

/** Said by the loader of Linux, before the program itself begins. */
const missingLibrary = /error while loading shared libraries: ([^:\s]+):/;

/** The packages of libraries that the packaged Node needs and small systems lack. */
const LIBRARY_PACKAGES: Readonly<Record<string, string>> = {
  "libatomic.so.1":
    "apt-get install libatomic1 on Debian, Ubuntu and Raspberry Pi OS, dnf install libatomic on Fedora",
};

/** The cause and the remedy if a library is missing; undefined if the output names none. */
function libraryProblem(text: string): Pick<Problem, "reason" | "remedy"> | undefined {
  const library = missingLibrary.exec(text)?.[1];
  if (library === undefined) return undefined;
  const command = LIBRARY_PACKAGES[library];
  return {
    reason: `Its program needs ${library}, which this system lacks.`,
    remedy: `Install the library${command === undefined ? "" : ` (${command})`}, then start the task again.`,
  };
}

/** Why a task ended unexpectedly, with its last output. */
export function exitProblem(task: string, exit: TaskExit, lastLines: readonly LogLine[]): Problem {
  const text = lastLines.map((line) => line.text).join("\n");
  return defined({
    code: exit.signal === "SIGKILL" ? "RESOURCE_EXHAUSTED" : "UNAVAILABLE",
    message: `${task} ended unexpectedly (${howItEnded(exit)}).`,
    reason: reasonOf(exit, text),
    remedy: "Start it again. Variables that it held are lost; the log shows its last lines.",
    details: text === "" ? undefined : text,
    task,
  });
}

/** Why a task failed to start, completed with its exit and its last output. */
export function startProblem(
  task: string,
  problem: Problem,
  exit: TaskExit,
  lastLines: readonly LogLine[],
): Problem {
  const text = lastLines.map((line) => line.text).join("\n");
  const library = libraryProblem(text);
  return defined({
    ...problem,
    message: problem.message.includes(task) ? problem.message : `${task} could not start: ${problem.message}`,
    reason: library?.reason ?? problem.reason ?? (exit.signal === null ? undefined : reasonOf(exit, text)),
    remedy: library?.remedy ?? problem.remedy ?? "Start it again once that is fixed; its log may say more.",
    details: problem.details ?? (text === "" ? undefined : text),
    task,
  });
}

/** "signal SIGKILL", "exit code 1"; "exit code 0xC0000005", as Windows' own messages write it. */
export function howItEnded({ code, signal }: TaskExit): string {
  if (signal !== null) return `signal ${signal}`;
  if (code === null) return "exit code unknown";
  return `exit code ${code < FIRST_WINDOWS_STATUS ? code : `0x${code.toString(16).toUpperCase()}`}`;
}

/** The cause that an exit and the last output tell; undefined for an ordinary exit code. */
export function reasonOf({ code, signal }: TaskExit, text: string): string | undefined {
  if (memoryTrouble.test(text)) return "Memory probably ran out: its last lines mention it.";
  if (signal !== null) return signalReasons.get(signal);
  // A shell or a container reports a signal as 128 plus its number.
  if (code === 137) return signalReasons.get("SIGKILL");
  if (code === 139) return signalReasons.get("SIGSEGV");
  if (code === DLL_NOT_FOUND) return "A library that TensorFlow needs is missing.";
  return signalReasons.get(windowsStatuses.get(code ?? 0) ?? "");
}
