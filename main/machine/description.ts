import type { MachineFacts } from "../api/machines.js";

/** What a machine says of itself: the same whoever asks. */
export type MachineDescription = Pick<
  MachineFacts,
  | "name"
  | "platform"
  | "osName"
  | "arch"
  | "cores"
  | "memoryBytes"
  | "gpus"
  | "addresses"
  | "agentPort"
  | "version"
  | "engines"
>;
