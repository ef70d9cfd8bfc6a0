import { beforeEach, describe, expect, it } from "vitest";
import {
  type NativeCommandItem,
  type NativeMenuItem,
  nativeMenuSchema,
} from "../../../main/api/native-menu.js";
import { buildNativeMenu, type MenuContext } from "../../../renderer/commands/native-menu.js";
import { allCommands } from "../../../renderer/commands/registry.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { useUi } from "../../../renderer/stores/ui-store.js";
import { clusterOf, machineOf } from "../support/cluster-states.js";

const onCanvas: MenuContext = { typing: false, elsewhere: false, modal: false };
const built = (context: Partial<MenuContext> = {}) => buildNativeMenu({ ...onCanvas, ...context });
const menu = (label: string, context: Partial<MenuContext> = {}) =>
  built(context).menu.menus.find((one) => one.label === label)?.items ?? [];
const commands = (items: readonly NativeMenuItem[]): NativeCommandItem[] =>
  items.flatMap((item) =>
    item.kind === "command" ? [item] : item.kind === "submenu" ? commands(item.items) : [],
  );
const roles = (items: readonly NativeMenuItem[]) =>
  items.flatMap((item) => (item.kind === "role" ? [item.role] : []));

beforeEach(() => {
  useApp.setState({ connection: "connected" });
  receiveCluster(clusterOf([machineOf("gpu-pc"), machineOf("pi", { kind: "paired", role: "view" })]));
});

describe("the native menu", () => {
  it("keeps to the description that the desktop program takes, and every item of it can be chosen", () => {
    const { menu: described, chosen } = built();
    expect(nativeMenuSchema.parse(described)).toEqual(described);
    const items = commands([
      ...described.app,
      ...described.help,
      ...described.menus.flatMap(({ items }) => items),
    ]);
    expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
    expect(items.map(({ key }) => key).sort()).toEqual([...chosen.keys()].sort());
    for (const { key, label, enabled } of items) {
      const { action } = chosen.get(key) ?? {};
      expect(enabled, label).toBe(action?.reason === undefined);
    }
  });

  it("has every command that needs no choice of what is beside the window", () => {
    const { menu: described, chosen } = built();
    const inBar = new Set([...chosen.values()].map(({ command }) => command.id));
    const missing = allCommands
      .filter(({ id, many, byEvent }) => !many && byEvent === undefined && !inBar.has(id))
      .filter((command) => command.now().applies);
    expect(missing.map(({ id }) => id)).toEqual([]);
    expect(described.menus.map(({ label }) => label)).toEqual([
      ...["File", "Edit", "Graph", "Run", "Cluster", "View"],
    ]);
  });

  it("follows the window: what is enabled, what is switched on, and what there is to act on", () => {
    const find = (label: string, items: readonly NativeMenuItem[]) =>
      commands(items).find((item) => item.label === label);
    expect(find("Run one step", menu("Run"))).toMatchObject({
      enabled: true,
      accelerator: "CmdOrCtrl+Enter",
    });
    useApp.setState({ connection: "lost" });
    expect(find("Run one step", menu("Run"))).toMatchObject({ enabled: false });
    useApp.setState({ connection: "connected" });
    useUi.setState({ trace: true });
    expect(find("Trace the next run", menu("Run"))?.checked).toBe(true);
    useUi.setState({ trace: false });
    expect(find("Trace the next run", menu("Run"))?.checked).toBe(false);
    const workers = menu("Cluster").find((item) => item.kind === "submenu" && item.label === "Add worker");
    expect(commands(workers ? [workers] : []).map(({ label, enabled }) => [label, enabled])).toEqual([
      ["Add worker on gpu-pc", true],
      ["Add worker on pi", false],
    ]);
  });

  it("leaves the clipboard, and text editing in a field, to the browser", () => {
    expect(roles(menu("Edit"))).toEqual(["cut", "copy", "paste"]);
    expect(roles(menu("Edit", { typing: true, elsewhere: true }))).toEqual([
      ...["undo", "redo", "cut", "copy", "paste", "selectAll"],
    ]);
  });

  it("gives no key that the focused panel or a field would lose", () => {
    const keys = (context: Partial<MenuContext>) =>
      built(context).menu.menus.flatMap(({ items }) =>
        commands(items).flatMap((one) => one.accelerator ?? []),
      );
    expect(keys({})).toContain("CmdOrCtrl+D");
    expect(keys({ elsewhere: true })).not.toContain("CmdOrCtrl+D");
    expect(keys({}).filter((key) => !/^(CmdOrCtrl\+|Ctrl\+|Shift\+|F6$)/.test(key))).toEqual([]);
  });

  it("runs nothing behind a dialog", () => {
    const { app, menus, help } = built({ modal: true }).menu;
    const items = commands([...app, ...help, ...menus.flatMap(({ items }) => items)]);
    expect(items.filter(({ enabled }) => enabled)).toEqual([]);
  });
});
