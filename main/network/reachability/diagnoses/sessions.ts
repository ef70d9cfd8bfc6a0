/** Problems that the newest run shows. */
import { listText } from "../explain/evidence.js";
import { bytesText, finding, type Rule } from "./diagnosis.js";
import { placedTasks } from "./situation.js";

/** protobuf's limit for one message. */
const MAX_MESSAGE_BYTES = 2 ** 31 - 1;
const LARGE_GRAPH_BYTES = 0.75 * MAX_MESSAGE_BYTES;
/** At gigabit Ethernet's speed this takes half a second in every step. */
const LARGE_FEED_BYTES = 64 * 1024 * 1024;
/** TensorFlow's master gives its workers ten seconds to close. */
const CLOSE_MILLIS = 12_000;
/** A server that was up for this long before the session may hold state of another run. */
const OLD_SERVER_MILLIS = 60_000;

export const sessionWaitsForTask: Rule = (situation) => {
  const { session } = situation;
  if (!session?.tasks || session.state === "closing") return [];
  const placed = placedTasks(situation);
  const missing = session.tasks.filter(
    (name) => placed.find((one) => one.name === name)?.task.state !== "running",
  );
  if (missing.length === 0) return [];
  const states = missing.map((name) => {
    const state = placed.find((one) => one.name === name)?.task.state;
    return `${name} is ${state ?? "not in the cluster"}`;
  });
  const one = placed.find(({ name }) => name === missing[0]);
  return [
    finding(
      "error",
      {
        code: "UNAVAILABLE",
        message: `The session ${session.state === "opening" ? "cannot open" : "is stuck"}: ${listText(states)}.`,
        reason:
          "A session needs every task that its ClusterSpec names, and the time limit of a step does not end that wait.",
        remedy: `Start ${listText(missing)}, or take ${missing.length === 1 ? "it" : "them"} out of the cluster.`,
      },
      { machineId: one?.machine.id, taskId: one?.task.id, task: missing[0] },
    ),
  ];
};

export const closeHangs: Rule = ({ session, now }) => {
  if (session?.state !== "closing" || now - session.since < CLOSE_MILLIS) return [];
  return [
    finding("warning", {
      code: "DEADLINE_EXCEEDED",
      message: `The session has been closing for ${Math.round((now - session.since) / 1000)} s.`,
      reason: "A task that no longer answers is still asked to release it.",
      remedy: "Restart the task that does not answer; the session ends with it.",
    }),
  ];
};

export const graphTooLarge: Rule = ({ session }) => {
  const bytes = session?.graphBytes ?? 0;
  if (bytes < LARGE_GRAPH_BYTES) return [];
  const over = bytes > MAX_MESSAGE_BYTES;
  return [
    finding(over ? "error" : "warning", {
      code: "RESOURCE_EXHAUSTED",
      message: over
        ? `The graph takes ${bytesText(bytes)}, but a message holds 2 GB at most.`
        : `The graph takes ${bytesText(bytes)} of the 2 GB that a message holds.`,
      reason: "Constants are sent as part of the graph.",
      remedy: "Keep large values in variables, and initialize them from files or feeds.",
    }),
  ];
};

export const largeFeeds: Rule = ({ session }) => {
  const bytes = session?.feedBytes ?? 0;
  if (bytes < LARGE_FEED_BYTES) return [];
  return [
    finding("warning", {
      message: `Every step feeds ${bytesText(bytes)}.`,
      reason: `Over gigabit Ethernet this alone takes about ${Math.max(1, Math.round(bytes / 110e6))} s a step.`,
      remedy: "Keep the data in a variable, or read it from files on the machine of the worker.",
    }),
  ];
};

export const gpuOptionsInSession: Rule = ({ session }) =>
  session?.hasGpuOptions
    ? [
        finding("warning", {
          message: "The session's config has GPU options, which have no effect here.",
          reason: "A server applies them when it creates its devices at startup; a session comes too late.",
          remedy: "Set memory and growth of the task's GPU in the cluster's table, and restart it.",
        }),
      ]
    : [];

const shapeClash =
  /Assign requires shapes of both tensors to match|incompatible shape|shape of .* does not match|Trying to access resource .* with (?:a )?(?:wrong|different) (?:type|shape)/i;

export const stateLeftBehind: Rule = (situation) => {
  const { session } = situation;
  const text = `${session?.problem?.message ?? ""}\n${session?.problem?.details ?? ""}`;
  if (!session || !shapeClash.test(text)) return [];
  const named = session.problem?.task === undefined ? session.tasks : [session.problem.task];
  return placedTasks(situation)
    .filter(
      ({ task, name }) =>
        (named?.includes(name) ?? true) &&
        task.state === "running" &&
        (task.startedAt === undefined ? task.foreign : session.since - task.startedAt > OLD_SERVER_MILLIS),
    )
    .map(({ task, machine, name }) =>
      finding(
        "warning",
        {
          message: `${name} may still hold variables of an earlier run.`,
          reason:
            "Its server has been up since before this run, and variables live as long as the server: one with the same name has another shape.",
          remedy: `Clear the state of ${name}, or restart it.`,
        },
        { machineId: machine.id, taskId: task.id, task: name },
      ),
    );
};
