import { z } from "zod";
import { problemSchema } from "./problem.js";

/**
 * The rights of a paired machine on another one. view: see it, its tasks, logs and metrics. run: also start
 * tasks, stop its own and run graphs, which means acting with that account's rights. manage: also stop all tasks, open its
 * window, change its firewall and install a runtime.
 */
export const roleSchema = z.enum(["view", "run", "manage"]);
export type Role = z.infer<typeof roleSchema>;

/** The SHA-256 of a machine's certificate as 52 characters of unpadded lower-case base32. */
export const deviceIdSchema = z
  .string()
  .regex(/^[a-z2-7]{52}$/, "a device ID is 52 letters a to z and digits 2 to 7");

/**
 * this: the machine that the application runs on. paired: trusted, and watched through its agent. discovered:
 * announced, but unpaired. foreign: a host of TensorFlow servers that were not started by Tensordeck.
 */
export const machineKindSchema = z.enum(["this", "paired", "discovered", "foreign"]);
export type MachineKind = z.infer<typeof machineKindSchema>;

/**
 * online: it answers. connecting: it has not answered yet. offline: it answered before, or was paired, but does not
 * answer now.
 */
export const presenceSchema = z.enum(["online", "connecting", "offline"]);
export type Presence = z.infer<typeof presenceSchema>;

export const gpuSchema = z.object({
  /** As nvidia-smi numbers it, which is also what a task is told with CUDA_VISIBLE_DEVICES; 0 for one of another maker. */
  index: z.number().int().nonnegative(),
  name: z.string(),
  memoryBytes: z.number(),
});
export type Gpu = z.infer<typeof gpuSchema>;

/** Whether the network may reach tasks that other machines start on a machine, without signing in. */
export const exposureSchema = z.object({
  /** The user of that machine allows it. */
  allowed: z.boolean(),
  /** TensorFlow's server, too, can be isolated from the network there. */
  avoidable: z.boolean(),
});
export type Exposure = z.infer<typeof exposureSchema>;

/** The facts about a machine, without its tasks. For a machine that was only discovered, there are few. */
export const machineFactsSchema = z.object({
  /** Its device ID; of a foreign host "foreign:" and the host. */
  id: z.string(),
  name: z.string(),
  kind: machineKindSchema,
  presence: presenceSchema,
  /** "linux", "darwin" or "win32"; empty while it is not known, like the facts below. */
  platform: z.string(),
  /** "Debian GNU/Linux 12", "Windows 11 Pro", … */
  osName: z.string(),
  arch: z.string(),
  cores: z.number().int(),
  memoryBytes: z.number(),
  gpus: z.array(gpuSchema),
  /** Addresses at which others may reach it, the likeliest first. */
  addresses: z.array(z.string()),
  /** Port of its agent. */
  agentPort: z.number().int().optional(),
  /** Version of Tensordeck there. */
  version: z.string(),
  /** Its engines, the preferred one first. */
  engines: z.array(
    z.object({ engine: z.enum(["tensorflow", "portable"]), version: z.string(), gpu: z.boolean() }),
  ),
  /** Absent while unknown, and in versions that allow every task to be exposed. */
  exposure: exposureSchema.optional(),
  /** The rights of this installation there. Absent on this machine and on unpaired ones. */
  role: roleSchema.optional(),
  /** The rights of that machine here. */
  grantedRole: roleSchema.optional(),
  /** When it last answered, by the local clock; absent on this machine and while a machine answers. */
  lastSeenAt: z.number().optional(),
  /** Addresses ("host:port") of other machines with the same identity; absent if there are none. */
  clones: z.array(z.string()).optional(),
  /** A problem of the machine as a whole, e.g. why it cannot be reached. */
  problem: problemSchema.optional(),
});
export type MachineFacts = z.infer<typeof machineFactsSchema>;

/** The tasks and scripts of one machine on another. */
export const hostedSchema = z.object({
  /** "worker/1" */
  tasks: z.array(z.string()),
  /** Paths of the scripts within their folders. */
  scripts: z.array(z.string()),
});
export type Hosted = z.infer<typeof hostedSchema>;

/** Whether other machines can be found, and why not. */
export const discoveryStateSchema = z.object({
  /** off: disabled by choice. searching: just started. on: works. unavailable: `problem` says why. */
  state: z.enum(["off", "searching", "on", "unavailable"]),
  problem: problemSchema.optional(),
});
export type DiscoveryState = z.infer<typeof discoveryStateSchema>;

/** The facts by which the user of another machine recognises this one. */
export const identitySchema = z.object({
  deviceId: deviceIdSchema,
  name: z.string(),
  /** Absent while the agent does not listen. */
  agentPort: z.number().int().optional(),
});
export type Identity = z.infer<typeof identitySchema>;

export const machineIdSchema = z.object({ machineId: z.string() });

export const addMachineSchema = z.object({
  /** "host", "host:port" or a device ID. */
  address: z.string().trim().min(1).max(300),
});

/** A pairing in progress, seen from the side that types the code or from the side that shows it. */
export const pairingStateSchema = z.object({
  id: z.string(),
  /** enter: this user types the code. show: the other machine asked; this window shows the code. */
  side: z.enum(["enter", "show"]),
  machine: z.object({ id: z.string(), name: z.string(), address: z.string() }),
  /** Device ID of this machine, for the user of the other one to compare. */
  ownId: z.string(),
  /**
   * connecting: the other machine is dialled. code: the code is shown and awaited. checking: it was typed. wrong: it did
   * not match, the other machine shows a new one. paired, failed: over.
   */
  step: z.enum(["connecting", "code", "checking", "wrong", "paired", "failed"]),
  /** Six digits, on the side that shows them. */
  code: z.string().optional(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
  triesLeft: z.number().int().nonnegative(),
  /** The rights that the other machine will have here. */
  grantedRole: roleSchema,
  /** Once paired: what this machine may do there. */
  role: roleSchema.optional(),
  problem: problemSchema.optional(),
});
export type PairingState = z.infer<typeof pairingStateSchema>;
