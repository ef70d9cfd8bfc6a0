/** Diagnoses of the newest run: each once where it is right and once where it would be wrong. */
import { type DiagnosisCase, one, session } from "../support/diagnosis-cases.js";
import { NOW } from "../support/situations.js";

export const sessionsCases = {
  "session-waits-for-task": {
    wrong: one(
      { state: "stopped" },
      { session: { ...session, state: "opening", tasks: ["worker/0", "ps/0"] } },
    ),
    message: /^The session cannot open: worker\/0 is stopped and ps\/0 is not in the cluster\.$/,
    severity: "error",
    taskId: "worker/0",
    right: one({}, { session }),
  },
  "close-hangs": {
    wrong: one({}, { session: { ...session, state: "closing", since: NOW - 30_000 } }),
    message: /^The session has been closing for 30 s\.$/,
    severity: "warning",
    right: one({}, { session: { ...session, state: "closing" } }),
  },
  "graph-too-large": {
    wrong: one({}, { session: { ...session, graphBytes: 2.5e9 } }),
    message: /^The graph takes 2\.5 GB, but a message holds 2 GB at most\.$/,
    severity: "error",
    right: one({}, { session: { ...session, graphBytes: 5e6 } }),
  },
  "large-feeds": {
    wrong: one({}, { session: { ...session, feedBytes: 200e6 } }),
    message: /^Every step feeds 200 MB\.$/,
    severity: "warning",
    right: one({}, { session: { ...session, feedBytes: 1000 } }),
  },
  "gpu-options-in-session": {
    wrong: one({}, { session: { ...session, hasGpuOptions: true } }),
    message: /^The session's config has GPU options, which have no effect here\.$/,
    severity: "warning",
    right: one({}, { session }),
  },
  "state-left-behind": {
    wrong: one(
      { startedAt: NOW - 3_600_000 },
      {
        session: {
          ...session,
          problem: {
            code: "INVALID_ARGUMENT",
            message: "Assign requires shapes of both tensors to match. lhs shape= [10] rhs shape= [20]",
          },
        },
      },
    ),
    message: /^worker\/0 may still hold variables of an earlier run\.$/,
    severity: "warning",
    taskId: "worker/0",
    right: one(
      { startedAt: NOW - 10_000 },
      {
        session: {
          ...session,
          problem: { code: "INVALID_ARGUMENT", message: "Assign requires shapes of both tensors to match." },
        },
      },
    ),
  },
} as const satisfies Readonly<Record<string, DiagnosisCase>>;
