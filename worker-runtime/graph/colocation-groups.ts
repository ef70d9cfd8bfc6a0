/** How graphs note that nodes must share a device: a list of groups, each named after one of its nodes, "loc:@v". */
import { getTextEncoding } from "@bufbuild/protobuf/wire";
import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";

/** The attribute of a node that lists its groups. */
export const COLOCATION_ATTR = "_class";
const PREFIX = "loc:@";

/** The group named after a node. */
export function colocationGroup(node: string): string {
  return PREFIX + node;
}

/** The node that a group is named after; undefined for other texts. */
export function nodeOfGroup(group: string): string | undefined {
  return group.startsWith(PREFIX) ? group.slice(PREFIX.length) : undefined;
}

/** The groups among a node's attributes. */
export function colocationGroups(attrs: ReadonlyMap<string, AttrValue>): string[] {
  const value = attrs.get(COLOCATION_ATTR)?.value;
  return value?.$case === "list" ? value.value.s.map((bytes) => getTextEncoding().decodeUtf8(bytes)) : [];
}

/** The nodes that a node's groups are named after. */
export function colocatedNodes(attrs: ReadonlyMap<string, AttrValue>): string[] {
  const groups = colocationGroups(attrs);
  return groups.length === 0 ? groups : groups.flatMap((group) => nodeOfGroup(group) ?? []);
}
