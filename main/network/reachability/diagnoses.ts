/**
 * The known problems of a cluster, recognised in one snapshot of everything that is known. Each has a name that does
 * not change, so that scripts can look for it in what `tensordeck doctor --json` prints.
 */
import type { Diagnosis } from "../../api/reachability.js";
import * as addresses from "./diagnoses/addresses.js";
import type { Rule } from "./diagnoses/diagnosis.js";
import { proxyVariables } from "./diagnoses/environment.js";
import * as gpus from "./diagnoses/gpus.js";
import * as health from "./diagnoses/health.js";
import * as logs from "./diagnoses/logs.js";
import * as network from "./diagnoses/network.js";
import * as sessions from "./diagnoses/sessions.js";
import type { Situation } from "./diagnoses/situation.js";

/** Rules by the name of the diagnosis, in the order in which those of equal severity are reported. */
export const rules = {
  "localhost-with-several-machines": addresses.localhostWithSeveralMachines,
  "address-without-port": addresses.addressWithoutPort,
  "two-tasks-on-one-address": addresses.twoTasksOnOneAddress,
  "two-names-for-one-process": addresses.twoNamesForOneProcess,
  "bad-job-name": addresses.badJobName,
  "index-gap": addresses.indexGap,
  "name-resolves-differently": addresses.nameResolvesDifferently,
  "ipv6-only": addresses.ipv6Only,

  "firewall-blocks": network.firewallBlocks,
  "proxy-in-the-way": network.proxyInTheWay,
  "route-broken": network.routeBroken,
  "one-way": network.oneWay,
  "slow-link": network.slowLink,
  "long-round-trip": network.longRoundTrip,
  "discovery-unavailable": network.discoveryUnavailable,
  "raw-port-open": network.rawPortOpen,
  "open-cluster": network.openCluster,
  "proxy-variables": proxyVariables,

  "port-in-use": health.portInUse,
  "task-failed": health.taskFailed,
  "machine-away": health.machineAway,
  "task-hangs": health.taskHangs,
  "task-restarted": health.taskRestarted,
  "task-notice": health.taskNotice,
  "ps-without-workers": health.psWithoutWorkers,
  "worker-finished": health.workerFinished,
  "waits-for-missing-tasks": health.waitsForMissingTasks,
  "cloned-identity": health.clonedIdentity,
  "mixed-versions": health.mixedVersions,
  "mixed-tensordeck-versions": health.mixedTensordeckVersions,
  "clock-offset": health.clockOffset,
  "memory-nearly-full": health.memoryNearlyFull,

  "gpu-memory-held": gpus.gpuMemoryHeld,
  "ps-sees-gpu": gpus.psSeesGpu,
  "gpu-shared": gpus.gpuShared,
  "gpu-out-of-memory": gpus.gpuOutOfMemory,

  "session-still-waiting": logs.sessionStillWaiting,
  "proxy-answers-task": logs.proxyAnswersTask,
  "started-before-peers": logs.startedBeforePeers,
  "handle-not-found": logs.handleNotFound,
  "barrier-timed-out": logs.barrierTimedOut,
  "op-not-registered": logs.opNotRegistered,
  "message-too-large": logs.messageTooLarge,
  "second-server-in-process": logs.secondServerInProcess,
  "localhost-in-log": logs.localhostInLog,
  "unavailable-loop": logs.unavailableLoop,

  "session-waits-for-task": sessions.sessionWaitsForTask,
  "close-hangs": sessions.closeHangs,
  "graph-too-large": sessions.graphTooLarge,
  "large-feeds": sessions.largeFeeds,
  "gpu-options-in-session": sessions.gpuOptionsInSession,
  "state-left-behind": sessions.stateLeftBehind,
} as const satisfies Readonly<Record<string, Rule>>;

export type DiagnosisId = keyof typeof rules;

const ranks: Readonly<Record<Diagnosis["severity"], number>> = { error: 0, warning: 1, info: 2 };

/** All recognised problems, errors first. */
export function diagnose(situation: Situation): Diagnosis[] {
  return bySeverity(
    Object.entries(rules).flatMap(([id, rule]: [string, Rule]) =>
      rule(situation).map((found) => ({ id, ...found })),
    ),
  );
}

/** Errors first, then warnings; otherwise in the order in which they came. */
export function bySeverity(diagnoses: readonly Diagnosis[]): Diagnosis[] {
  return [...diagnoses].sort((a, b) => ranks[a.severity] - ranks[b.severity]);
}
