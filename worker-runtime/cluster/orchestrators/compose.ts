/** A cluster as a file for Docker Compose: every task a service of one machine. */
import type { ExportResult, ExportTask } from "./export-model.js";
import type { ExportSettings } from "./export-options.js";
import { clusterOfGroups, jobGroups, tfConfigOf } from "./job-groups.js";
import { gpusOf, healthCommand, imageOf, taskCommand } from "./task-program.js";
import { yamlText } from "./yaml-text.js";

/** The health check of a server without a command of its own: whether its port is open. */
function portCheck({ python, port }: ExportSettings): string[] {
  return [python, "-c", `import socket; socket.create_connection(('localhost', ${port}), 2)`];
}

/** Compose replaces $NAME in all values. */
function literal(text: string): string {
  return text.replaceAll("$", "$$$$");
}

/** @throws TensorFlowError INVALID_ARGUMENT for a cluster that cannot be written so. */
export function composeExport(tasks: readonly ExportTask[], settings: ExportSettings): ExportResult {
  const { name, port, cpus, memoryMib, publish, run } = settings;
  const groups = jobGroups(tasks);
  const cluster = clusterOfGroups(groups, ({ index }, label) => `${label}-${index}:${port}`);
  let published = port;
  const services = groups.flatMap(({ label, tasks: members }) =>
    members.map((task): [string, object] => {
      const gpus = gpusOf(task, settings);
      const limits = {
        ...(cpus !== undefined && { cpus: String(cpus) }),
        ...(memoryMib !== undefined && { memory: `${memoryMib}m` }),
      };
      const resources = {
        ...(Object.keys(limits).length > 0 && { limits }),
        ...(gpus > 0 && {
          reservations: { devices: [{ driver: "nvidia", count: gpus, capabilities: ["gpu"] }] },
        }),
      };
      const hostName = `${label}-${task.index}`;
      return [
        hostName,
        {
          image: imageOf(settings, gpus),
          hostname: hostName,
          // Instead of the image's own program.
          entrypoint: taskCommand(task, settings, "container").map(literal),
          environment: { TF_CONFIG: literal(tfConfigOf(cluster, task)) },
          expose: [String(port)],
          ...(publish && { ports: [`127.0.0.1:${published++}:${port}`] }),
          ...(run !== "script" && {
            healthcheck: {
              test: ["CMD", ...(healthCommand(settings) ?? portCheck(settings))],
              interval: "15s",
              timeout: "5s",
              retries: 4,
              start_period: "60s",
            },
          }),
          ...(run === "worker" && {
            cap_drop: ["ALL"],
            security_opt: ["no-new-privileges:true"],
          }),
          ...(Object.keys(resources).length > 0 && { deploy: { resources } }),
          restart: run === "script" ? "no" : "unless-stopped",
        },
      ];
    }),
  );
  const fileName = `${name}.compose.yaml`;
  return {
    file: {
      name: fileName,
      language: "yaml",
      executable: false,
      text: yamlText(
        [
          `TensorFlow cluster of ${tasks.length === 1 ? "one task" : `${tasks.length} tasks`}. Start it with:`,
          `  docker compose -p ${name} -f ${fileName} up`,
        ],
        [{ services: Object.fromEntries(services) }],
      ),
    },
    notes: [
      publish
        ? `The tasks are reached at 127.0.0.1:${port} and the ports after it, in the order of the file. Their ClusterSpec has names that only the containers know: a session from outside has to use one task's master.`
        : "Only containers of the same Compose project reach the tasks.",
    ],
  };
}
