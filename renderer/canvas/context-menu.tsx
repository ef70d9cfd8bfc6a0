/** The context menu of a node, an edge or the canvas, made of commands as everywhere. */
import type { MouseEvent, ReactElement } from "react";
import { alignCommands } from "../commands/align-commands.js";
import { frameCommands, noteCommands } from "../commands/annotation-commands.js";
import { canvasCommands } from "../commands/canvas-commands.js";
import { clipboardCommands, pasteCommands } from "../commands/clipboard-commands.js";
import { colourCommands } from "../commands/colour-commands.js";
import type { AnyCommand } from "../commands/command.js";
import { edgeCommands } from "../commands/edge-commands.js";
import {
  addBorderCommands,
  borderCommands,
  callCommands,
  extractCommands,
  functionCommands,
  inlineCommands,
  outOfFunctionCommands,
} from "../commands/function-commands.js";
import { graphCommands, selectionCommands } from "../commands/graph-commands.js";
import { joinGroups, menuEntry } from "../commands/menu-entry.js";
import { nodeCommands, nodesCommands } from "../commands/node-commands.js";
import { partialRunCommands } from "../commands/partial-run-commands.js";
import {
  closedScopeCommands,
  openScopeCommands,
  scopesCommands,
  weightCommands,
} from "../commands/scope-commands.js";
import { isLossSelected, trainingCommands } from "../commands/training-commands.js";
import type { Point } from "../document/model.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { shownFunction } from "../stores/function-bodies.js";
import { hasScopes } from "../stores/graph-view-store.js";
import { texts } from "../texts/texts.js";
import { MenuAt, type MenuEntry } from "../ui/menu.js";
import { currentMap, itemShowing } from "../viewport/current-map.js";
import { nodeRect, nodesIn } from "../viewport/graph-map.js";
import { currentView, revealNode, toScreen, viewCentre, visibleArea } from "../viewport/view.js";
import { type CanvasStore, useCanvas } from "../viewport/view-store.js";
import { namesOf, selectEdge } from "./canvas-selection.js";
import type { PicturePointer } from "./use-picture-pointer.js";

const words = texts.canvas.contextMenu;

type MenuOf = NonNullable<CanvasStore["contextMenu"]>["on"];

function alignMenu(): MenuEntry {
  const { across, down, ...edges } = alignCommands;
  const groups = [Object.values(edges), [across, down]];
  return submenu(words.align, groups);
}

function colourMenu(): MenuEntry {
  return submenu(words.colours, [Object.values(colourCommands)]);
}

function submenu(label: string, groups: readonly (readonly AnyCommand[])[]): MenuEntry {
  return { kind: "submenu", label, entries: joinGroups(groups.map(entriesNow)) };
}

/** Commands with their current targets; those that do not apply to them are left out. */
function entriesNow(group: readonly (AnyCommand | MenuEntry)[]): MenuEntry[] {
  return group.flatMap((one): MenuEntry[] => {
    if ("kind" in one) return [one];
    const action = one.now();
    return action.applies ? [menuEntry(action)] : [];
  });
}

function entriesOf(on: MenuOf): readonly MenuEntry[] {
  const groups: Readonly<Record<MenuOf, readonly (readonly (AnyCommand | MenuEntry)[])[]>> = {
    edges: [[edgeCommands.insert], [selectionCommands.delete]],
    nodes: [
      callCommands.open.all().map((action) => menuEntry(action, "named")),
      hasScopes() ? [closedScopeCommands.open, openScopeCommands.close, weightCommands.toggle] : [],
      [nodeCommands.inspect, nodeCommands.rename, nodeCommands.fetch, nodeCommands.connect],
      [borderCommands.forward, borderCommands.back, borderCommands.giveBack],
      [partialRunCommands.to, partialRunCommands.alone],
      isLossSelected() ? [trainingCommands.make] : [],
      [
        ...[nodesCommands.pin, nodesCommands.unpin],
        submenu(words.placement, [[nodesCommands.device], [nodesCommands.colocate, nodesCommands.separate]]),
      ],
      [
        submenu(words.group, [
          [frameCommands.add, nodesCommands.scope],
          [extractCommands.extract, inlineCommands.inline],
        ]),
        ...(useGraph.getState().selection.size > 1 ? [alignMenu()] : []),
      ],
      [
        submenu(words.clipboard, [[clipboardCommands.cut, clipboardCommands.copy, pasteCommands.paste]]),
        nodesCommands.duplicate,
      ],
      [selectionCommands.delete, nodesCommands.bypass],
    ],
    canvas: [
      ...(shownFunction() === undefined
        ? []
        : [
            [outOfFunctionCommands.leave, functionCommands.rename],
            [addBorderCommands.argument, addBorderCommands.result],
          ]),
      [graphCommands.addOp, noteCommands.add, pasteCommands.paste],
      [graphCommands.selectAll, graphCommands.selectUnpinned, graphCommands.arrange],
      [scopesCommands.openAll, scopesCommands.closeAll, scopesCommands.weights],
      [colourMenu()],
      [canvasCommands.fit, canvasCommands.find, canvasCommands.list, canvasCommands.minimap],
    ],
  };
  return joinGroups(groups[on].map(entriesNow));
}

const LABELS: Readonly<Record<MenuOf, string>> = {
  nodes: words.selectedNodes,
  edges: words.selectedEdges,
  canvas: words.canvas,
};

export function CanvasMenu(): ReactElement | null {
  const menu = useCanvas((state) => state.contextMenu);
  if (!menu) return null;
  const { on, screen } = menu;
  return (
    <MenuAt
      key={`${on} ${screen.x} ${screen.y}`}
      at={screen}
      label={LABELS[on]}
      entries={entriesOf(on)}
      onClose={() => useCanvas.setState({ contextMenu: undefined })}
    />
  );
}

/** A row of the list that has made its nodes the selection. */
const SELECTED_ROW = "[data-menu-selection]";
const ROW_MENU_INSET = 32;

/** The row of a tree that its keys are for. */
function currentRowOf(tree: Element): Element | null {
  return document.getElementById(tree.getAttribute("aria-activedescendant") ?? "");
}

/** A right click, or the equivalent key, somewhere on the canvas. */
export function openCanvasMenu(event: MouseEvent<HTMLElement>, picture: PicturePointer): void {
  const { target, currentTarget, clientX, clientY } = event;
  if (!(target instanceof Element)) return;
  const screen = { x: clientX, y: clientY };
  const node = target.closest<HTMLElement>(".react-flow__node");
  const edge = target.closest<HTMLElement>(".react-flow__edge");
  const row =
    target.closest('[role="tree"]') === target ? currentRowOf(target) : target.closest(SELECTED_ROW);
  const onPane = target.closest(".react-flow__pane") !== null;
  if (row?.matches(SELECTED_ROW)) {
    const { left, bottom } = row.getBoundingClientRect();
    const byKey = !row.contains(target);
    const at = byKey ? { x: left + ROW_MENU_INSET, y: bottom } : screen;
    useCanvas.setState({ contextMenu: { on: "nodes", screen: at, pointer: false } });
  } else if (target === currentTarget || target.closest('[role="tree"]') === target) {
    openByKey();
  } else if (node) {
    openOnNode(node.dataset.id ?? "", screen);
  } else if (edge) {
    openOnEdge(edge.dataset.id ?? "", screen);
  } else if (onPane) {
    const hit = picture.hit(screen);
    if (hit.node !== undefined) openOnNode(hit.node, screen);
    else if (hit.edge !== undefined) openOnEdge(hit.edge, screen);
    else useCanvas.setState({ contextMenu: { on: "canvas", screen, pointer: true } });
  } else {
    return;
  }
  event.preventDefault();
}

function openOnNode(name: string, screen: Point): void {
  // An existing selection is kept, so that the menu can apply to several elements.
  const names = namesOf(name);
  const { selection } = useGraph.getState();
  if (!names.every((one) => selection.has(one))) documentActions.select(names);
  useCanvas.setState({ contextMenu: { on: "nodes", screen, pointer: true } });
}

function openOnEdge(id: string, screen: Point): void {
  if (!useCanvas.getState().selectedEdges.has(id)) selectEdge(id, false);
  useCanvas.setState({ contextMenu: { on: "edges", screen, pointer: true } });
}

/** Beside a selected node, if there is one in view, or else one that is brought into view; otherwise in the middle. */
function openByKey(): void {
  const { selection } = useGraph.getState();
  const frame = document.querySelector("[data-canvas]")?.getBoundingClientRect();
  if (!frame) return;
  if (selection.size === 0) {
    useCanvas.setState({ contextMenu: { on: "canvas", screen: toScreen(viewCentre()), pointer: false } });
    return;
  }
  const map = currentMap();
  const inView = nodesIn(map, visibleArea(currentView(), frame)).flatMap(
    (index) => map.items[index]?.id ?? [],
  );
  const shown =
    inView.findLast((one) => selection.has(one)) ?? itemShowing([...selection].at(-1) ?? "") ?? "";
  revealNode(shown, 0);
  const { left, bottom } = nodeRect(map, map.indexOf.get(shown) ?? 0);
  useCanvas.setState({
    contextMenu: { on: "nodes", screen: toScreen({ x: left, y: bottom }), pointer: false },
  });
}
