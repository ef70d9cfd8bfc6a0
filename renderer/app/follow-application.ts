/** Keeps the window's stores in sync with its application. */
import type { ApplicationClient } from "../../main/api/contract.js";
import { receiveAsked } from "../actions/asked-documents.js";
import { tellLostRoles } from "../actions/machine-actions.js";
import { receiveRun, reviewOffers } from "../actions/run-actions.js";
import { wayOutOffer } from "../commands/kernel-commands.js";
import { initialiseOffer } from "../commands/run-commands.js";
import { attempt, useApp } from "../stores/app-store.js";
import { machinesOf, receiveCluster, useCluster } from "../stores/cluster-store.js";
import { receiveExamples } from "../stores/example-store.js";
import { receiveFirewall } from "../stores/firewall-store.js";
import { receiveKubernetes } from "../stores/kubernetes-store.js";
import { catchUpLog, receiveLog } from "../stores/logs-store.js";
import { loadOps } from "../stores/ops-store.js";
import { receivePairing } from "../stores/pairing-store.js";
import { receiveReachability } from "../stores/reachability-store.js";
import { useRun } from "../stores/run-store.js";
import { receiveRuntime, useRuntime } from "../stores/runtime-store.js";
import { forgetSamples, receiveSamples } from "../stores/samples-store.js";
import { receiveScriptLog, receiveScripts } from "../stores/script-store.js";
import { receiveSettings } from "../stores/settings-store.js";
import { started } from "../ui/after-start.js";

/** Handles every event, including those that happened while the connection was down. */
export function follow(client: ApplicationClient): void {
  client.on("askedDocuments", receiveAsked);
  client.on("cluster", (state) => {
    const before = machinesOf(useCluster.getState());
    receiveCluster(state);
    tellLostRoles(before, state.machines);
    reviewOffers();
    forgetSamples(state.machines);
    fetchNewLogs();
  });
  client.on("samples", receiveSamples);
  client.on("taskLog", ({ taskId, lines }) => attempt(() => receiveLog(taskId, lines)));
  client.on("runtime", (state) => {
    const before = useRuntime.getState().state?.runtime?.path;
    receiveRuntime(state);
    // Another library has different ops.
    if (state.runtime !== undefined && state.runtime.path !== before) void loadOps();
  });
  client.on("run", (run) => receiveRun(run, { otherKernel: wayOutOffer, firstValues: initialiseOffer }));
  client.on("runQueue", (queue) => useRun.setState({ queue }));
  client.on("scripts", receiveScripts);
  client.on("scriptLog", ({ jobId, task, lines }) => attempt(() => receiveScriptLog(jobId, task, lines)));
  client.on("kubernetes", (state) => {
    receiveKubernetes(state);
    reviewOffers();
    fetchNewLogs();
  });
  client.on("settings", receiveSettings);
  client.on("pairing", receivePairing);
  client.on("reachability", receiveReachability);
  client.on("firewall", receiveFirewall);
  client.onConnection((connected) => {
    if (connected) {
      useApp.setState({ connection: "connected" });
      attempt(() => synchronise(client));
    } else if (useApp.getState().connection === "connected") {
      useApp.setState({ connection: "lost", lostAt: Date.now() });
    }
  });
}

/** After every connection: events that were sent meanwhile were lost. */
async function synchronise(client: ApplicationClient): Promise<void> {
  await Promise.all([
    client.catchUp(),
    client.call("app.info").then((info) => useApp.setState({ info })),
    // The first window starts the search for the runtime; its result arrives as an event.
    started().then(() => client.call("runtime.get")),
    client.call("documents.examples").then(receiveExamples),
  ]);
  knownLogs.clear();
  fetchNewLogs();
}

const knownLogs = new Set<string>();

/**
 * A task may have written lines before the window knew it, and while the window was away. Those of a machine that is away
 * are fetched when it is back.
 */
function fetchNewLogs(): void {
  const { nodes = [], ...cluster } = useCluster.getState();
  const reachable = [...machinesOf(cluster), ...nodes].filter(({ presence }) => presence === "online");
  for (const { id } of reachable.flatMap(({ tasks }) => tasks)) {
    if (knownLogs.has(id)) continue;
    knownLogs.add(id);
    attempt(() => catchUpLog(id));
  }
}
