import { describe, expect, it } from "vitest";
import {
  assignGpus,
  clusterFlags,
  clusterOf,
  taskVariables,
} from "../../../main/scripts/task-environment.js";

const tasks = [
  { job: "ps", index: 0, port: 2222 },
  { job: "worker", index: 0, port: 2223 },
  { job: "worker", index: 1, port: 2224 },
  { job: "evaluator", index: 0, port: 0 },
];
const cluster = { ps: ["localhost:2222"], worker: ["localhost:2223", "localhost:2224"] };

describe("the environment of a task", () => {
  it("has the cluster without evaluators, and the task itself", () => {
    expect(clusterOf(tasks)).toEqual(cluster);
    const { TF_CONFIG = "", PYTHONUNBUFFERED } = taskVariables(
      { job: "worker", index: 1 },
      cluster,
      undefined,
    );
    expect(JSON.parse(TF_CONFIG)).toEqual({ cluster, task: { type: "worker", index: 1 } });
    expect(PYTHONUNBUFFERED).toBe("1");
  });

  it("has no TF_CONFIG for a script of one task", () => {
    expect(taskVariables({ job: "worker", index: 0 }, {}, "0")).not.toHaveProperty("TF_CONFIG");
  });

  it("has the cluster of one task for it and for its evaluator", () => {
    const alone = clusterOf([
      { job: "chief", index: 0, port: 2222 },
      { job: "evaluator", index: 0, port: 0 },
    ]);
    for (const type of ["chief", "evaluator"]) {
      const { TF_CONFIG = "{}" } = taskVariables({ job: type, index: 0 }, alone, undefined);
      expect(JSON.parse(TF_CONFIG)).toEqual({
        cluster: { chief: ["localhost:2222"] },
        task: { type, index: 0 },
      });
    }
  });

  it("names the GPUs only where they are known", () => {
    const worker = { job: "worker", index: 0 };
    expect(taskVariables(worker, cluster, "1")).toMatchObject({ CUDA_VISIBLE_DEVICES: "1" });
    expect(taskVariables(worker, cluster, undefined)).not.toHaveProperty("CUDA_VISIBLE_DEVICES");
  });

  it("gives workers a GPU each in turn, and a ps none", () => {
    expect([...assignGpus(tasks, [0, 1]).values()]).toEqual(["-1", "0", "1", "0"]);
    expect([...assignGpus(tasks, []).values()]).toEqual(["-1", undefined, undefined, undefined]);
  });

  it("is repeated by flags for scripts that read these", () => {
    expect(clusterFlags({ job: "ps", index: 0 }, cluster)).toEqual([
      "--job_name=ps",
      "--task_index=0",
      "--ps_hosts=localhost:2222",
      "--worker_hosts=localhost:2223,localhost:2224",
    ]);
  });
});
