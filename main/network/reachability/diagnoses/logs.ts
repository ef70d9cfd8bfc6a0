/**
 * Log lines that TensorFlow itself writes when a cluster has a problem. The texts are those of its C++ runtime
 * (master.cc, grpc_server_lib.cc, chttp2 of gRPC) and have hardly changed since its first distributed release.
 */
import type { LogLine } from "../../../api/cluster.js";
import type { Diagnosis } from "../../../api/reachability.js";
import { shortTaskName } from "../../../shared/problems.js";
import { finding, type Rule } from "./diagnosis.js";
import { isUp, type PlacedTask, placedTasks, type Situation } from "./situation.js";

/** An older line is outdated; the wait is logged every ten seconds while it lasts. */
const RECENT_MILLIS = 45_000;
const LOOP_WINDOW_MILLIS = 60_000;
const LOOP_LINES = 20;

/** The last matching line of each task. */
function matching(
  situation: Situation,
  pattern: RegExp,
  withinMillis = Number.POSITIVE_INFINITY,
): { placed: PlacedTask; line: LogLine; match: RegExpExecArray }[] {
  return placedTasks(situation).flatMap((placed) => {
    const line = (situation.logs?.get(placed.task.id) ?? []).findLast(
      ({ text, at }) => situation.now - at <= withinMillis && pattern.test(text),
    );
    const match = line && pattern.exec(line.text);
    return line && match ? [{ placed, line, match }] : [];
  });
}

interface LogRule {
  readonly pattern: RegExp;
  readonly severity: Diagnosis["severity"];
  readonly code?: string;
  /** Applies only while the line is this recent. */
  readonly withinMillis?: number;
  readonly message: (task: string, match: RegExpExecArray) => string;
  readonly reason: string;
  readonly remedy: string;
}

function logRule({ pattern, severity, code, withinMillis, message, reason, remedy }: LogRule): Rule {
  return (situation) =>
    matching(situation, pattern, withinMillis).map(({ placed, line, match }) =>
      finding(
        severity,
        {
          ...(code === undefined ? {} : { code }),
          message: message(placed.name, match),
          reason,
          remedy,
          details: line.text,
        },
        { machineId: placed.machine.id, taskId: placed.task.id, task: placed.name },
      ),
    );
}

/**
 * "CreateSession still waiting for response from worker", repeated forever: with the failing layer, if a route shows
 * it.
 */
export const sessionStillWaiting: Rule = (situation) => {
  const pattern = /CreateSession still waiting for response from worker: (\S+)/;
  return matching(situation, pattern, RECENT_MILLIS).map(({ placed, line, match }) => {
    const awaited = shortTaskName(match[1] ?? "");
    const target = placedTasks(situation).find(({ name }) => name === awaited);
    const route = situation.routes.find(
      ({ from, taskId, outcome }) =>
        from === placed.machine.id && taskId === target?.task.id && outcome === "failed",
    );
    return finding(
      "error",
      {
        code: "UNAVAILABLE",
        message: `A session of ${placed.name} waits for ${awaited}.`,
        reason:
          target && !isUp(target.task)
            ? `${awaited} is ${target.task.state}.`
            : (route?.problem?.message ??
              `Probably ${awaited} is not running, or ${placed.machine.name} cannot reach it; TensorFlow itself waits forever.`),
        remedy:
          route?.problem?.remedy ?? `Start ${awaited}, or exclude it with device filters; then run again.`,
        details: line.text,
      },
      { machineId: placed.machine.id, taskId: placed.task.id, task: placed.name },
    );
  });
};

export const proxyAnswersTask = logRule({
  pattern: /Trying to connect an http1\.x server|unexpected HTTP\/1|HTTP proxy returned response code/i,
  severity: "error",
  code: "UNAVAILABLE",
  withinMillis: RECENT_MILLIS,
  message: (task) => `${task} talks to a proxy instead of its peers.`,
  reason: "The environment that it was started in names a proxy (http_proxy, https_proxy), and gRPC uses it.",
  remedy: "Start it without these variables; Tensordeck starts its own tasks without them.",
});

export const startedBeforePeers = logRule({
  pattern: /Unavailable:? OS Error|UNAVAILABLE: (?:OS Error|failed to connect to all addresses)/i,
  severity: "warning",
  code: "UNAVAILABLE",
  withinMillis: RECENT_MILLIS,
  message: (task) => `${task} gave up because its peers were not up yet.`,
  reason: "Since TensorFlow 1.6 a task that is started first gives up instead of waiting.",
  remedy:
    "Start parameter servers first, then workers, then the script, as Tensordeck does for a fixed cluster.",
});

export const handleNotFound = logRule({
  pattern: /(Graph|Session) handle (?:is )?not found|Worker session .* not found/i,
  severity: "warning",
  code: "ABORTED",
  withinMillis: RECENT_MILLIS,
  message: (task) => `${task} was asked for a session that it does not know.`,
  reason: "It was restarted, or the client still talks to another process at that address.",
  remedy: "Create a new session and restore the variables; end old processes that are still running.",
});

export const barrierTimedOut = logRule({
  pattern: /Barrier timed out|DEADLINE_EXCEEDED: Barrier|Waiting for .* tasks to (?:connect|register)/i,
  severity: "error",
  code: "DEADLINE_EXCEEDED",
  withinMillis: 10 * RECENT_MILLIS,
  message: (task) => `${task} waited for workers that did not register.`,
  reason: "A strategy that spans all workers begins when every task of TF_CONFIG is up.",
  remedy: "Start the missing tasks; the line below names them where TensorFlow does.",
});

export const opNotRegistered = logRule({
  pattern: /Op type not registered '([^']+)'|NodeDef mentions attr '([^']+)' not in Op/,
  severity: "error",
  code: "NOT_FOUND",
  withinMillis: RECENT_MILLIS,
  message: (task, match) =>
    `${task} does not know the ${match[1] ? `op ${match[1]}` : `attribute ${match[2]}`}.`,
  reason:
    "The graph was created by another version of TensorFlow, or has an op from a library that is not loaded there.",
  remedy: "Use one version everywhere, or pin the node to a task that has the op.",
});

export const messageTooLarge = logRule({
  pattern:
    /Received message larger than max|exceeds maximum protobuf size|Cannot serialize protocol buffer of type/i,
  severity: "error",
  code: "RESOURCE_EXHAUSTED",
  withinMillis: RECENT_MILLIS,
  message: (task) => `A message of ${task} is larger than gRPC or protobuf allow.`,
  reason: "A message holds 2 GB at most; constants are part of the graph.",
  remedy: "Keep large values in variables, and initialize them from files.",
});

export const secondServerInProcess = logRule({
  pattern: /Clean shutdown is not currently implemented/,
  severity: "info",
  message: (task) => `The process of ${task} tried to stop its server, which TensorFlow does not support.`,
  reason: "A server keeps its port until the process ends; a second one in the same process fails.",
  remedy: "Run one server in each process, and end the process to stop it.",
});

/** Only if it may mislead: in a cluster whose tasks are to be reached from outside. */
export const localhostInLog: Rule = (situation) =>
  situation.membership === "fixed" && situation.access === "open"
    ? logRule({
        pattern: /Started server with target: (grpc:\/\/localhost:\d+)/,
        severity: "info",
        message: (task, match) => `${task} calls itself ${match[1]}, and still listens on every address.`,
        reason: "TensorFlow writes localhost for its own entry; it is not what it listens on.",
        remedy: "Nothing needs to be done.",
      })(situation)
    : [];

export const unavailableLoop: Rule = (situation) =>
  placedTasks(situation).flatMap(({ task, machine, name }) => {
    const lines = (situation.logs?.get(task.id) ?? []).filter(
      ({ text, at }) => situation.now - at <= LOOP_WINDOW_MILLIS && /\bUNAVAILABLE\b|Unavailable:/.test(text),
    );
    if (lines.length < LOOP_LINES) return [];
    return [
      finding(
        "warning",
        {
          code: "UNAVAILABLE",
          message: `${name} keeps retrying: ${lines.length} failures in the last minute.`,
          reason: "A peer that it needs is gone, and TensorFlow's own clients retry forever.",
          remedy: "Start the peer that the log names, or stop the run.",
          details: lines.at(-1)?.text,
        },
        { machineId: machine.id, taskId: task.id, task: name },
      ),
    ];
  });
