/** Keeping the window's stores in step with its application. */
import type { ApplicationClient } from "../../main/api/contract.js";
import { receiveRun, reviewOffers } from "../actions/run-actions.js";
import { attempt, useApp } from "../stores/app-store.js";
import { machinesOf, receiveCluster, useCluster } from "../stores/cluster-store.js";
import { receiveExamples } from "../stores/example-store.js";
import { receiveFirewall } from "../stores/firewall-store.js";
import { catchUpLog, receiveLog } from "../stores/logs-store.js";
import { loadOps } from "../stores/ops-store.js";
import { receivePairing } from "../stores/pairing-store.js";
import { receiveReachability } from "../stores/reachability-store.js";
import { receiveRuntime, useRuntime } from "../stores/runtime-store.js";
import { receiveSettings } from "../stores/settings-store.js";

/** Takes every event, and after each connection the whole state. */
export function follow(client: ApplicationClient): void {
  client.on("cluster", (state) => {
    receiveCluster(state);
    reviewOffers();
    fetchNewLogs();
  });
  client.on("taskLog", ({ taskId, lines }) => receiveLog(taskId, lines));
  client.on("runtime", (state) => {
    const before = useRuntime.getState().state?.runtime?.path;
    receiveRuntime(state);
    // Another library has other ops.
    if (state.runtime !== undefined && state.runtime.path !== before) void loadOps();
  });
  client.on("run", receiveRun);
  client.on("settings", receiveSettings);
  client.on("pairing", receivePairing);
  client.on("reachability", receiveReachability);
  client.on("firewall", receiveFirewall);
  client.onConnection((connected) => {
    if (connected) {
      useApp.setState({ connection: "connected" });
      attempt(() => synchronise(client));
    } else if (useApp.getState().connection === "connected") {
      useApp.setState({ connection: "lost" });
    }
  });
}

/**
 * After every connection: what happened meanwhile came as events to nobody. Each answer is taken when it comes, in its
 * place among the events; one that waited for the others would put back what events have changed since.
 */
async function synchronise(client: ApplicationClient): Promise<void> {
  await Promise.all([
    client.call("app.info").then((info) => useApp.setState({ info })),
    client.call("settings.get").then(receiveSettings),
    client.call("cluster.get").then(receiveCluster),
    client.call("runtime.get").then(receiveRuntime),
    client.call("documents.examples").then(receiveExamples),
    client.call("runs.latest").then((run) => run && receiveRun(run)),
  ]);
  knownLogs.clear();
  fetchNewLogs();
  // What lies over the window waits for what the window itself needs.
  await Promise.all([
    client.call("pairing.get").then(receivePairing),
    client.call("reachability.get").then(receiveReachability),
    client.call("firewall.get").then(receiveFirewall),
  ]);
}

const knownLogs = new Set<string>();

/**
 * A task that this window did not know may have written lines before the window listened. Those of a machine that is away
 * are fetched when it is back.
 */
function fetchNewLogs(): void {
  const reachable = machinesOf(useCluster.getState()).filter(({ presence }) => presence === "online");
  for (const { id } of reachable.flatMap(({ tasks }) => tasks)) {
    if (knownLogs.has(id)) continue;
    knownLogs.add(id);
    attempt(() => catchUpLog(id));
  }
}
