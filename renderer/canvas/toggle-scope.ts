/** A double click opens a closed scope, and closes an open one on its title. */
import type { MouseEvent } from "react";
import { closedScopeCommands, openScopeCommands } from "../commands/scope-commands.js";
import { currentMap } from "../viewport/current-map.js";
import type { PicturePointer } from "./use-picture-pointer.js";

export function toggleScopeAt({ target, clientX, clientY }: MouseEvent, picture: PicturePointer): void {
  if (!(target instanceof Element) || target.closest("button")) return;
  const element = target.closest<HTMLElement>(".react-flow__node");
  const onPane = target.closest(".react-flow__pane") !== null;
  const id = element ? element.dataset.id : onPane ? picture.hit({ x: clientX, y: clientY }).node : undefined;
  const map = currentMap();
  const item = id === undefined ? undefined : map.items[map.indexOf.get(id) ?? -1];
  if (item?.kind === "box") closedScopeCommands.open.on([item.scope]).run();
  if (item?.kind === "frame") openScopeCommands.close.on([item.scope]).run();
}
