/** GPUs that are in use, shared or visible to the wrong task. */
import { listText } from "../explain/evidence.js";
import { bytesText, finding, type Rule } from "./diagnosis.js";
import { holdersOf, isUp, placedTasks } from "./situation.js";

/** A desktop uses a few hundred megabytes; a process of TensorFlow uses nearly everything. */
const MUCH_OF_A_GPU = 0.25;

export const gpuMemoryHeld: Rule = (situation) =>
  situation.machines.flatMap((machine) =>
    machine.gpus.flatMap((gpu) => {
      const others = holdersOf(situation, machine.id, gpu.index).filter(({ taskId }) => taskId === undefined);
      const held = others.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
      if (gpu.memoryBytes <= 0 || held / gpu.memoryBytes < MUCH_OF_A_GPU) return [];
      return [
        finding(
          "warning",
          {
            code: "RESOURCE_EXHAUSTED",
            message: `${listText(others.map(({ name, pid }) => `${name || "a program"} (process ${pid})`))} hold${others.length === 1 ? "s" : ""} ${bytesText(held)} of GPU ${gpu.index} (${gpu.name}) on ${machine.name}.`,
            reason:
              "TensorFlow takes all memory of every GPU that it sees unless told otherwise; an old run may still have it.",
            remedy: "End that program, or use another GPU for the tasks.",
          },
          { machineId: machine.id },
        ),
      ];
    }),
  );

export const psSeesGpu: Rule = (situation) =>
  placedTasks(situation)
    .filter(({ task }) => task.job === "ps" && isUp(task) && task.devices.some(({ type }) => type === "GPU"))
    .map(({ task, machine, name }) =>
      finding(
        "warning",
        {
          message: `${name} sees a GPU.`,
          reason: `Its process takes GPU memory that the workers of ${machine.name} need, and variables do not benefit from it.`,
          remedy: task.foreign
            ? "Start it with CUDA_VISIBLE_DEVICES set to an empty string."
            : "Restart it with no GPU (in the cluster's table).",
        },
        { machineId: machine.id, taskId: task.id, task: name },
      ),
    );

export const gpuShared: Rule = (situation) =>
  situation.machines.flatMap((machine) =>
    machine.gpus.flatMap((gpu) => {
      const processes = holdersOf(situation, machine.id, gpu.index);
      const ids = new Set(processes.flatMap(({ taskId }) => (taskId === undefined ? [] : [taskId])));
      const tasks = machine.tasks.filter(({ id }) => ids.has(id));
      if (tasks.length < 2) return [];
      return [
        finding(
          "warning",
          {
            code: "RESOURCE_EXHAUSTED",
            message: `${listText(tasks.map(({ job, index }) => `${job}/${index}`))} share GPU ${gpu.index} (${gpu.name}) on ${machine.name}.`,
            reason: "They wait for each other, and together their memory may not fit.",
            remedy: "Give each worker its own GPU, or keep one worker for each GPU.",
          },
          { machineId: machine.id, taskId: tasks[1]?.id },
        ),
      ];
    }),
  );

const memoryTrouble = /CUDA_ERROR_OUT_OF_MEMORY|OOM when allocating|failed to allocate .* from device/i;

export const gpuOutOfMemory: Rule = (situation) =>
  placedTasks(situation).flatMap(({ task, machine, name }) => {
    const line = (situation.logs?.get(task.id) ?? []).findLast(({ text }) => memoryTrouble.test(text));
    if (!line || !task.devices.some(({ type }) => type === "GPU")) return [];
    const gpu = machine.gpus[0];
    const processes = gpu ? holdersOf(situation, machine.id, gpu.index) : [];
    const holders = processes.map((one) => `${one.name || "a program"} (process ${one.pid})`);
    return [
      finding(
        "error",
        {
          code: "RESOURCE_EXHAUSTED",
          message: `${name} found no memory left on its GPU.`,
          reason:
            holders.length === 0
              ? "It is full of tensors or used by other programs."
              : `It is held by ${listText(holders.slice(0, 4))}.`,
          remedy: "Use a smaller batch, or end what else uses the GPU.",
          details: line.text,
        },
        { machineId: machine.id, taskId: task.id, task: name },
      ),
    ];
  });
