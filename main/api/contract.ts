/**
 * The one contract between application and window. Both transports (Electron's IPC, the WebSocket of the headless
 * host) carry exactly these methods and events, and the application validates every parameter before it acts.
 */
import { z } from "zod";
import { appInfoSchema, pickFileSchema, settingsSchema } from "./app.js";
import {
  accessSchema,
  addForeignSchema,
  addTasksSchema,
  clusterRowSchema,
  clusterStateSchema,
  logLineSchema,
  membershipSchema,
  taskIdSchema,
} from "./cluster.js";
import {
  bytesSchema,
  directorySchema,
  documentSchema,
  exampleSchema,
  saveDocumentSchema,
} from "./documents.js";
import { firewallScopeSchema, firewallWizardSchema, openFirewallSchema } from "./firewall.js";
import { kernelListSchema } from "./kernels.js";
import {
  addMachineSchema,
  identitySchema,
  machineIdSchema,
  pairingStateSchema,
  roleSchema,
} from "./machines.js";
import { linkRequestSchema, linkSpeedSchema, reachabilitySchema } from "./reachability.js";
import { runRequestSchema, runUpdateSchema, tensorPreviewSchema } from "./runs.js";
import { runtimeStateSchema } from "./runtime.js";

interface Method<P extends z.ZodType, R extends z.ZodType> {
  readonly params: P;
  readonly result: R;
}

function method<P extends z.ZodType, R extends z.ZodType>(params: P, result: R): Method<P, R> {
  return { params, result };
}

const nothing = z.undefined();

export const methods = {
  "app.info": method(nothing, appInfoSchema),
  /** A fresh one-time address of this window for another browser tab; headless host only. */
  "app.newWindowUrl": method(nothing, z.string()),
  "settings.get": method(nothing, settingsSchema),
  "settings.set": method(settingsSchema.partial(), settingsSchema),

  "cluster.get": method(nothing, clusterStateSchema),
  /** Adds tasks to a job on a machine and starts them. Answers when they are listed, not when they are up. */
  "cluster.addTasks": method(addTasksSchema, z.array(z.string())),
  /** Takes in a TensorFlow server that runs already; answers its task id once the server answered. */
  "cluster.addForeign": method(addForeignSchema, z.string()),
  /** Makes the tasks what the table says: removes, adds and restarts. Asked for after the window showed what changes. */
  "cluster.applyTable": method(z.object({ rows: z.array(clusterRowSchema).max(512) }), nothing),
  /** Opening a cluster is confirmed in the window first. Restarts the tasks whose addresses change. */
  "cluster.setAccess": method(z.object({ access: accessSchema }), nothing),
  /** Forgets a task's variables, queues and sessions (Reset of all containers). */
  "cluster.clearState": method(taskIdSchema, nothing),
  "cluster.startTask": method(taskIdSchema, nothing),
  "cluster.stopTask": method(taskIdSchema, nothing),
  "cluster.restartTask": method(taskIdSchema, nothing),
  /** Stops a task and takes it off the list. */
  "cluster.removeTask": method(taskIdSchema, nothing),
  /** Restarts every task under the new membership. */
  "cluster.setMembership": method(z.object({ membership: membershipSchema }), nothing),
  "cluster.taskLog": method(
    z.object({ taskId: z.string(), afterSequence: z.number().int().min(-1) }),
    z.array(logLineSchema),
  ),

  "machines.identity": method(nothing, identitySchema),
  /** Asks for a machine by address, or for one that was announced by device ID; answers its id once it answered. */
  "machines.add": method(addMachineSchema, z.string()),
  /** Takes a machine off the list: unpairs it, or forgets the address that was added. */
  "machines.forget": method(machineIdSchema, nothing),
  /** Says what a paired machine may do here. */
  "machines.setRole": method(z.object({ machineId: z.string(), role: roleSchema }), nothing),
  /** Asks the network again who is there. */
  "machines.search": method(nothing, nothing),
  /**
   * Has this machine be a new one from its next start on, for a copy of another machine: it forgets whom it is paired with.
   */
  "machines.newIdentity": method(nothing, nothing),
  /** A one-time address of the window of a paired machine that has none of its own. */
  "machines.openWindow": method(machineIdSchema, z.string()),

  "pairing.get": method(nothing, pairingStateSchema.optional()),
  /** Begins a pairing with a machine that was discovered or added; everything else comes as `pairing` events. */
  "pairing.start": method(z.object({ machineId: z.string(), grantedRole: roleSchema }), nothing),
  "pairing.enterCode": method(
    z.object({ code: z.string().regex(/^\d{6}$/, "a code is six digits") }),
    nothing,
  ),
  /** What the other machine will be allowed here, on either side; until the code was proved. */
  "pairing.setGrantedRole": method(z.object({ role: roleSchema }), nothing),
  /** Ends a pairing on either side, or puts a finished one away. */
  "pairing.close": method(nothing, nothing),

  "reachability.get": method(nothing, reachabilitySchema),
  /** Tests every route; results come as `reachability` events. */
  "reachability.check": method(nothing, nothing),
  "reachability.measureLink": method(linkRequestSchema, linkSpeedSchema),

  "firewall.get": method(nothing, firewallWizardSchema.optional()),
  /** Opens the wizard; tests and facts come as `firewall` events. */
  "firewall.open": method(openFirewallSchema, nothing),
  "firewall.configure": method(
    z.object({ scope: firewallScopeSchema, removeBlockRules: z.boolean() }),
    nothing,
  ),
  "firewall.goTo": method(z.object({ step: z.enum(["blocked", "change"]) }), nothing),
  /** Tests again, in whatever step it is. */
  "firewall.test": method(nothing, nothing),
  /** Asks for the rights and changes the rules as the plan shows. */
  "firewall.apply": method(nothing, nothing),
  "firewall.undo": method(nothing, nothing),
  "firewall.close": method(nothing, nothing),

  "runtime.get": method(nothing, runtimeStateSchema),
  /** Looks for a libtensorflow again. */
  "runtime.refresh": method(nothing, runtimeStateSchema),
  /** Starts the installation; its progress and end come as `runtime` events. */
  "runtime.install": method(nothing, nothing),
  "runtime.cancelInstall": method(nothing, nothing),

  /** The engine's own op list, a serialized OpList without descriptions. */
  "ops.list": method(nothing, z.object({ source: z.string(), opList: bytesSchema })),
  /** What the portable engine has a kernel for. Takes some tenths of a second the first time. */
  "kernels.list": method(nothing, kernelListSchema),

  "documents.examples": method(nothing, z.array(exampleSchema)),
  "documents.openExample": method(z.object({ id: z.string() }), documentSchema),
  "documents.open": method(z.object({ path: z.string().min(1) }), documentSchema),
  /** Reads a file whose content the browser holds (dropped onto the window). */
  "documents.read": method(z.object({ name: z.string(), bytes: bytesSchema }), documentSchema),
  "documents.save": method(saveDocumentSchema, documentSchema.omit({ metaGraph: true })),

  "files.list": method(
    z.object({ path: z.string().optional(), extensions: z.array(z.string()) }),
    directorySchema,
  ),
  /** The system's own dialog; Electron host only. Answers undefined when the user cancels. */
  "files.pick": method(pickFileSchema, z.string().optional()),

  /** Starts a run and answers its id; everything else comes as `run` events. */
  "runs.start": method(runRequestSchema, z.object({ runId: z.string() })),
  /** Finishes the current step, then stops; with `abort` the step is cancelled too. */
  "runs.stop": method(z.object({ runId: z.string(), abort: z.boolean() }), nothing),
  "runs.latest": method(nothing, runUpdateSchema.optional()),
  /** Elements [offset, offset + count) of a fetched tensor of the newest run, in row-major order. */
  "runs.tensor": method(
    z.object({
      runId: z.string(),
      name: z.string(),
      offset: z.number().int().nonnegative(),
      count: z.number().int().min(1).max(100_000),
    }),
    tensorPreviewSchema,
  ),
  /** The Chrome trace (JSON) of the newest traced step. */
  "runs.chromeTrace": method(z.object({ runId: z.string() }), z.string()),
} as const;

export const events = {
  /** The whole state, after every change of it and with every sample of the metrics (once a second). */
  cluster: clusterStateSchema,
  taskLog: z.object({ taskId: z.string(), lines: z.array(logLineSchema) }),
  runtime: runtimeStateSchema,
  /** Absent when there is none, or no longer. */
  pairing: pairingStateSchema.optional(),
  reachability: reachabilitySchema,
  firewall: firewallWizardSchema.optional(),
  run: runUpdateSchema,
  settings: settingsSchema,
} as const;

export type MethodName = keyof typeof methods;
export type Params<M extends MethodName> = z.infer<(typeof methods)[M]["params"]>;
export type Result<M extends MethodName> = z.infer<(typeof methods)[M]["result"]>;
export type EventName = keyof typeof events;
export type EventData<E extends EventName> = z.infer<(typeof events)[E]>;

/** What the window holds of the application, over either transport. */
export interface ApplicationClient {
  /** Rejects with a ProblemError. `params` is left out where a method takes none. */
  call<M extends MethodName>(
    method: M,
    ...params: Params<M> extends undefined ? [] : [params: Params<M>]
  ): Promise<Result<M>>;
  /** Calls the listener for every event of that name until the returned function is called. */
  on<E extends EventName>(event: E, listener: (data: EventData<E>) => void): () => void;
  /** Calls the listener at once and whenever the connection comes or goes. */
  onConnection(listener: (connected: boolean) => void): () => void;
}
