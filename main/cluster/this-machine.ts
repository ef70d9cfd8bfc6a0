import { arch, availableParallelism, hostname, platform, totalmem } from "node:os";
import type { MachineFacts } from "../api/machines.js";

export function describeThisMachine(): MachineFacts {
  return {
    id: "this-machine",
    name: hostname() || `this ${arch()} machine`,
    kind: "this",
    presence: "online",
    platform: platform(),
    osName: "",
    arch: arch(),
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    gpus: [],
    addresses: [],
    version: "",
    engines: [],
    metrics: [],
  };
}
