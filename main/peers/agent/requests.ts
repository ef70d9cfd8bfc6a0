/** Validates the requests of paired machines: being paired does not make their content trustworthy. */
import { z } from "zod";
import * as wire from "../../../protos/generated/tensordeck/agent.js";
import { parseHostPort } from "../../../worker-runtime/cluster/address.js";
import { firewallScopeSchema } from "../../api/firewall.js";
import { deviceIdSchema } from "../../api/machines.js";
import type { FirewallChange, FirewallQuestion } from "../../network/firewall/tool.js";
import type { ProbeRequest } from "../../network/reachability/probe.js";
import { printableText } from "../../shared/printable.js";
import { defined, problem } from "../../shared/problems.js";
import type { TunnelRequest } from "./tunnel-request.js";

const portSchema = z.number().int().min(1).max(65_535);
const portsSchema = z.array(portSchema).max(64);
const hostPortSchema = z
  .string()
  .max(300)
  .refine((address) => parseHostPort(address) !== undefined, "must be host:port");
/** Addresses of one agent that are worth trying. */
const agentAddressesSchema = z.array(hostPortSchema).max(32);

const probeSchema = z.object({
  address: hostPortSchema,
  kind: z.enum(["task", "agent"]),
  tries: z.number().int().min(1).max(10).optional(),
  timeoutMillis: z.number().int().min(100).max(10_000).optional(),
});

const tunnelsSchema = z.object({
  tunnels: z
    .array(z.object({ port: portSchema, deviceId: deviceIdSchema, agentAddresses: agentAddressesSchema }))
    .max(512),
  admissions: z.array(z.object({ deviceId: deviceIdSchema, port: portSchema })).max(8192),
});

const measurementSchema = z.object({ deviceId: deviceIdSchema, agentAddresses: agentAddressesSchema });

const questionSchema = z.object({ peerAddress: z.string().max(64), ports: portsSchema });
const changeSchema = z.object({ ports: portsSchema, removeBlockRules: z.boolean() });

/** A task's log: the task's id, and the sequence number of the last known line, -1 for none. */
const logSchema = z.object({
  taskId: z.string().min(1).max(64),
  afterSequence: z.bigint().min(-1n).max(BigInt(Number.MAX_SAFE_INTEGER)),
});

/** @throws ProblemError INVALID_ARGUMENT, as all functions here. */
export function probeOf(request: wire.ProbeRequest): Omit<ProbeRequest, "signal"> {
  return defined(checked(probeSchema, request, "probe"));
}

export function tunnelsOf(request: wire.SetTunnelsRequest): TunnelRequest {
  return checked(tunnelsSchema, request, "table of tunnels");
}

export function measurementOf(request: wire.MeasureThroughputRequest): z.infer<typeof measurementSchema> {
  return checked(measurementSchema, request, "measurement");
}

export function logOf(request: wire.WatchLogRequest): { taskId: string; afterSequence: number } {
  const { taskId, afterSequence } = checked(logSchema, request, "log");
  return { taskId, afterSequence: Number(afterSequence) };
}

export function taskIdOf(request: wire.TaskCommand): string {
  return checked(z.string().min(1).max(64), request.taskId, "task");
}

export function questionOf(request: wire.InspectFirewallRequest): FirewallQuestion {
  const { peerAddress, ports } = checked(questionSchema, request, "question about the firewall");
  return peerAddress === "" ? { ports } : { peerAddress, ports };
}

export function changeOf(request: wire.PlanFirewallRequest): FirewallChange {
  const what = "change of the firewall";
  const scope = checked(firewallScopeSchema, parseJson(request.scopeJson), what);
  return { scope, ...checked(changeSchema, request, what) };
}

/** The request that `changeOf` reads. */
export function changeToMessage({
  scope,
  ports,
  removeBlockRules,
}: FirewallChange): wire.PlanFirewallRequest {
  return wire.PlanFirewallRequest.create({
    scopeJson: JSON.stringify(scope),
    ports: [...ports],
    removeBlockRules,
  });
}

/** A value of the contract that travels as JSON, checked against its schema. @throws ProblemError INVALID_ARGUMENT */
export function fromJson<T>(schema: z.ZodType<T>, { json }: wire.JsonValue, what: string): T {
  return checked(schema, parseJson(json), what);
}

/** A value of the contract as JSON, which `fromJson` reads. */
export function toJson(value: unknown): wire.JsonValue {
  return wire.JsonValue.create({ json: JSON.stringify(value) });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (_, value: unknown) =>
      typeof value === "string" ? printableText(value) : value,
    );
  } catch {
    return undefined;
  }
}

function checked<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw problem("INVALID_ARGUMENT", `The requested ${what} cannot be understood.`, {
    reason: issue && [issue.path.join("."), issue.message].filter((part) => part !== "").join(": "),
    remedy: "Install the same version of Tensordeck on both machines.",
  });
}
