import { arch, availableParallelism, hostname, platform, totalmem } from "node:os";
import type { Machine } from "../api/cluster.js";

/** What is known of the machine that the application runs on, without its tasks. */
export type MachineFacts = Omit<Machine, "tasks">;

export function describeThisMachine(): MachineFacts {
  return {
    id: "this-machine",
    name: hostname() || `this ${arch()} machine`,
    isThisMachine: true,
    platform: platform(),
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    gpus: [],
  };
}
