import { ConfigProto } from "../../../../protos/generated/tensorflow/config.js";

/**
 * The configuration of a session: the server's default merged with the client's, as protobuf merges messages: lists are
 * concatenated, and a value that is not its type's default wins.
 */
export function sessionConfig(
  serverDefault: ConfigProto | undefined,
  asked: ConfigProto | undefined,
): ConfigProto {
  if (serverDefault === undefined || asked === undefined) {
    return asked ?? serverDefault ?? ConfigProto.create();
  }
  return merge(serverDefault, asked) as ConfigProto;
}

/** The task that leads the groups of collectives: as the server's own configuration has it, or the session's; "" for none. */
export function groupLeaderOf(serverDefault: ConfigProto | undefined, config: ConfigProto): string {
  const own = serverDefault?.experimental?.collectiveGroupLeader ?? "";
  return own === "" ? (config.experimental?.collectiveGroupLeader ?? "") : own;
}

function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) {
    return base;
  }
  if (Array.isArray(base) && Array.isArray(over)) {
    return [...base, ...over];
  }
  if (base instanceof Map && over instanceof Map) {
    return new Map([...base, ...over]);
  }
  if (isMessage(base) && isMessage(over)) {
    return mergeFields(base, over);
  }
  return isScalarDefault(over) ? base : over;
}

function mergeFields(
  base: Readonly<Record<string, unknown>>,
  over: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [field, value] of Object.entries(over)) {
    merged[field] = merge(base[field], value);
  }
  return merged;
}

/** A message, but not a oneof: the client's choice replaces a oneof as a whole. */
function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array) && !("$case" in value);
}

function isScalarDefault(value: unknown): boolean {
  return value === 0 || value === 0n || value === "" || value === false;
}
