/** Which nodes must be on the same device: groups in the `_class` attribute. */

import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { stringListAttr } from "../../../worker-runtime/graph/attr-values.js";
import {
  COLOCATION_ATTR,
  colocationGroup,
  colocationGroups,
  nodeOfGroup,
} from "../../../worker-runtime/graph/colocation-groups.js";
import { texts } from "../../texts/texts.js";
import type { GraphDocument } from "../model.js";
import { replaceNodes } from "../operations.js";
import { type EditResult, edit, nodesText, refused } from "./types.js";

const words = texts.document.edits.colocate;

/** The node with these groups; without the attribute if there are none. */
export function withColocationGroups(node: NodeDef, groups: readonly string[]): NodeDef {
  const attr = new Map(node.attr);
  if (groups.length === 0) attr.delete(COLOCATION_ATTR);
  else attr.set(COLOCATION_ATTR, stringListAttr(groups));
  return { ...node, attr };
}

/** Puts nodes on the device of another one, wherever that is placed. What they were colocated with stays. */
export function colocate(document: GraphDocument, names: readonly string[], keeper: string): EditResult {
  if (!document.nodes.has(keeper)) return refused(words.noKeeper({ keeper }));
  const group = colocationGroup(keeper);
  const nodes = names.flatMap((name) => document.nodes.get(name) ?? []).filter(({ name }) => name !== keeper);
  if (nodes.length === 0) return refused(words.onOwnDevice({ keeper }));
  const changed = nodes.filter(({ attr }) => !colocationGroups(attr).includes(group));
  if (changed.length === 0) return refused(words.already({ keeper }));
  return edit({
    label: words.label({ nodes: nodesText(changed.map(({ name }) => name)), keeper }),
    operations: replaceNodes(
      changed.map(
        (node) => [node, withColocationGroups(node, [...colocationGroups(node.attr), group])] as const,
      ),
    ),
  });
}

/** Lets nodes be on other devices than those that they are colocated with. */
export function separate(document: GraphDocument, names: readonly string[]): EditResult {
  const nodes = names.flatMap((name) => document.nodes.get(name) ?? []);
  const changed = nodes.flatMap((node) => {
    const groups = colocationGroups(node.attr);
    const others = groups.filter((group) => nodeOfGroup(group) === undefined);
    return others.length === groups.length ? [] : [[node, withColocationGroups(node, others)] as const];
  });
  if (changed.length === 0) return refused(words.nothingToRelease);
  return edit({
    label: words.release({ nodes: nodesText(changed.map(([{ name }]) => name)) }),
    operations: replaceNodes(changed),
  });
}
