import { z } from "zod";
import { problemSchema } from "./problem.js";

/**
 * The layers of a connection, in the order in which they are tested: the name is resolved, the host answers a ping (which
 * many do not, so it is a hint only), a TCP connection opens, the other side speaks TLS (agents) or HTTP/2 (tasks), the
 * task answers GetStatus.
 */
export const layerSchema = z.enum(["name", "ping", "tcp", "tls", "http2", "status"]);
export type Layer = z.infer<typeof layerSchema>;

/**
 * Why a layer failed, for programs; `detail` is for people. not-found: no such name. no-name-server: the name server
 * does not answer. timed-out: no answer. refused: an answer that nothing listens, or a firewall's equivalent. reset,
 * closed: the connection was ended by the other side. no-route: no route to that network. host-unreachable: the last
 * router, or the local system, found no such host, or a firewall claims so. prohibited: a firewall on the way reports
 * it. blocked-here: the dialling machine forbids it itself. http1, tls, other-protocol: the answer of another program.
 * not-tensorflow: HTTP/2, but no GetStatus.
 */
export const failureCauseSchema = z.enum([
  "not-found",
  "no-name-server",
  "timed-out",
  "refused",
  "reset",
  "closed",
  "no-route",
  "host-unreachable",
  "prohibited",
  "blocked-here",
  "http1",
  "tls",
  "other-protocol",
  "not-tensorflow",
  "unknown",
]);
export type FailureCause = z.infer<typeof failureCauseSchema>;

export const layerResultSchema = z.object({
  layer: layerSchema,
  /** skipped: not tried, because it does not apply, is not allowed here, or an earlier layer failed. */
  outcome: z.enum(["ok", "failed", "skipped"]),
  millis: z.number().optional(),
  /** Present for a failed layer. */
  cause: failureCauseSchema.optional(),
  /** The observation: "connection refused", "timed out after 3.0 s, 3 of 3 tries", "192.168.1.20". */
  detail: z.string().optional(),
});
export type LayerResult = z.infer<typeof layerResultSchema>;

/** One address, dialled from one machine. */
export const routeSchema = z.object({
  /** Machine that dials. */
  from: z.string(),
  /** Machine that is dialled. */
  to: z.string(),
  /** "gpu-pc:2222" */
  address: z.string(),
  /** The task behind the address; absent for the machine's agent. */
  taskId: z.string().optional(),
  /** tunnelled: the address is a tunnel's end on the dialling machine itself. */
  via: z.enum(["direct", "tunnel"]),
  outcome: z.enum(["ok", "failed", "unknown"]),
  /**
   * Round trip of a working route: of a ping, or of opening the connection if pings are not answered; through a tunnel,
   * whose near end always opens at once, of the first answer of the task.
   */
  roundTripMillis: z.number().optional(),
  layers: z.array(layerResultSchema),
  problem: problemSchema.optional(),
  /** The machine whose firewall the wizard could fix; absent if no firewall is to blame. */
  firewallOf: z.string().optional(),
});
export type Route = z.infer<typeof routeSchema>;

/** A recognised known problem. */
export const diagnosisSchema = z.object({
  /** A stable name: "localhost-with-several-machines", "proxy-in-the-way", "mixed-versions", … */
  id: z.string(),
  severity: z.enum(["error", "warning", "info"]),
  problem: problemSchema,
  machineId: z.string().optional(),
  taskId: z.string().optional(),
});
export type Diagnosis = z.infer<typeof diagnosisSchema>;

export const reachabilitySchema = z.object({
  state: z.enum(["idle", "checking", "done"]),
  /** Milliseconds since the epoch. */
  checkedAt: z.number().optional(),
  routes: z.array(routeSchema),
  diagnoses: z.array(diagnosisSchema),
});
export type Reachability = z.infer<typeof reachabilitySchema>;

export const throughputRequestSchema = z.object({ from: z.string(), to: z.string() });

/** How fast one machine sends to another, over the agents' connection. */
export const throughputSchema = z.object({
  megabytesPerSecond: z.number(),
  /** Median of small round trips. */
  roundTripMillis: z.number(),
  bytes: z.number(),
  seconds: z.number(),
});
export type Throughput = z.infer<typeof throughputSchema>;
