/** A cluster as a group of Marathon: every task an app with one instance, on the machine and port of its address. */
import { invalidArgument } from "../../protocol/status.js";
import { isLoopback } from "../host.js";
import { clusterWithAddresses, requireAddress } from "./addresses.js";
import type { ExportResult, ExportTask } from "./export-model.js";
import type { ExportSettings } from "./export-options.js";
import { jobGroups, tfConfigOf } from "./job-groups.js";
import { shellCommand } from "./shell-words.js";
import { gpusOf, healthCommand, imageOf, taskCommand } from "./task-program.js";

const DEFAULT_CPUS = 1;
const DEFAULT_MEMORY_MIB = 2048;

/** @throws TensorFlowError INVALID_ARGUMENT for a cluster that cannot be written so. */
export function marathonExport(tasks: readonly ExportTask[], settings: ExportSettings): ExportResult {
  const { name, run, cpus = DEFAULT_CPUS, memoryMib = DEFAULT_MEMORY_MIB } = settings;
  const cluster = clusterWithAddresses(tasks, "Marathon").asDict();
  const apps = jobGroups(tasks).flatMap(({ label, tasks: members }) =>
    members.map((task) => {
      const { host, port } = requireAddress(task, "Marathon");
      if (isLoopback(host)) {
        throw invalidArgument(
          `Marathon starts each task on the machine that its address names, and ${task.address} is any machine itself. Write the name of one of its agents.`,
        );
      }
      const gpus = gpusOf(task, settings);
      const health = healthCommand({ ...settings, port });
      return {
        id: `${label}-${task.index}`,
        instances: 1,
        cmd: shellCommand(taskCommand(task, settings, "container")),
        cpus,
        mem: memoryMib,
        ...(gpus > 0 && { gpus }),
        env: { TF_CONFIG: tfConfigOf(cluster, task) },
        container: { type: "MESOS", docker: { image: imageOf(settings, gpus) } },
        networks: [{ mode: "host" }],
        // The ClusterSpec names the port, so no other will do.
        portDefinitions: [{ name: "grpc-tf", port, protocol: "tcp" }],
        requirePorts: true,
        constraints: [["hostname", "CLUSTER", host]],
        // Where the task is bound to its machine, a second one beside it could not have the port.
        upgradeStrategy: { minimumHealthCapacity: 0, maximumOverCapacity: 0 },
        ...(run !== "script" && {
          healthChecks: [
            {
              ...(health === undefined
                ? { protocol: "MESOS_TCP", portIndex: 0 }
                : { protocol: "COMMAND", command: { value: shellCommand(health) } }),
              gracePeriodSeconds: 300,
              intervalSeconds: 30,
              timeoutSeconds: 10,
              maxConsecutiveFailures: 4,
            },
          ],
        }),
      };
    }),
  );
  return {
    file: {
      name: `${name}.marathon.json`,
      language: "json",
      executable: false,
      text: `${JSON.stringify({ id: `/${name}`, apps }, undefined, 2)}\n`,
    },
    notes: [
      `Create the group with: curl -X POST -H 'Content-Type: application/json' -d @${name}.marathon.json http://MARATHON:8080/v2/groups`,
      "Each host in the cluster has to be the hostname under which its Mesos agent is registered, and the agent has to offer the port.",
    ],
  };
}
