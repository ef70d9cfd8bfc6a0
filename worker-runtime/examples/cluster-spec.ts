/** The answers of a ClusterSpec. Needs no cluster. */
import { ClusterSpec } from "../index.js";
import { type Program, runIfStarted } from "./program.js";

export const main: Program = async (_, { say }) => {
  const cluster = ClusterSpec.from({
    ps: ["ps0.example.com:2222", "ps1.example.com:2222"],
    // An address without its port is listed as it is; only a server or a session refuses it.
    worker: ["worker0.example.com:2222", "worker1.example.com", "worker2.example.com:2222"],
  });
  const show = (what: string, value: unknown) => say(`${what}: ${JSON.stringify(value)}`);
  show("jobs", cluster.jobs);
  show("as_dict", cluster.asDict());
  for (const job of cluster.jobs) {
    show(`job_tasks(${job})`, cluster.jobTasks(job));
    show(`num_tasks(${job})`, cluster.numTasks(job));
    show(`task_indices(${job})`, cluster.taskIndices(job));
  }
  show("task_address(worker, 1)", cluster.taskAddress("worker", 1));
  const { job } = cluster.asClusterDef();
  show("as_cluster_def", Object.fromEntries(job.map(({ name, tasks }) => [name, [...tasks.values()]])));
};

await runIfStarted(import.meta.url, main);
