/**
 * A double click opens a closed scope or the function that a node calls, and closes an open scope on its title. On the title
 * of any other node it renames the node, and on the empty canvas it adds one.
 */
import type { MouseEvent } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { callCommands } from "../commands/function-commands.js";
import { nodeCommands } from "../commands/node-commands.js";
import { closedScopeCommands, openScopeCommands } from "../commands/scope-commands.js";
import { callsOf, mainCall } from "../document/library.js";
import { useGraph } from "../stores/document-store.js";
import { currentMap } from "../viewport/current-map.js";
import { openOpMenu } from "../viewport/new-node-place.js";
import type { PicturePointer } from "./use-picture-pointer.js";

/** Opens the function that a node calls; of several the one that matters most. False if it calls none. */
export function openCallOf(node: NodeDef): boolean {
  const call = mainCall(callsOf(node, useGraph.getState().document));
  if (!call) return false;
  callCommands.open.on(call).run();
  return true;
}

/** Called for a double click anywhere on the canvas. */
export function doubleClickAt({ target, clientX, clientY }: MouseEvent, picture: PicturePointer): void {
  if (!(target instanceof Element) || target.closest("button")) return;
  const element = target.closest<HTMLElement>(".react-flow__node");
  // Nodes, edges and annotations lie within the pane.
  const onPane = target.matches(".react-flow__pane");
  const at = { x: clientX, y: clientY };
  const hit = onPane ? picture.hit(at) : undefined;
  const id = element ? element.dataset.id : hit?.node;
  const map = currentMap();
  const item = id === undefined ? undefined : map.items[map.indexOf.get(id) ?? -1];
  if (item?.kind === "box") closedScopeCommands.open.on([item.scope]).run();
  if (item?.kind === "node" && !openCallOf(item.node) && target.closest("[data-node-head]")) {
    nodeCommands.rename.on(item.node).run();
  }
  if (item?.kind === "frame") openScopeCommands.close.on([item.scope]).run();
  if (hit && hit.node === undefined && hit.edge === undefined) openOpMenu(at);
}
