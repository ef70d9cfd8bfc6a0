import { type ReactElement, useState } from "react";
import type { Example } from "../../main/api/documents.js";
import { listExamples, openDocument, openExample } from "../actions/file-actions.js";
import { commandEntry } from "../commands/menu-entry.js";
import { attempt, useApp } from "../stores/app-store.js";
import { useSettings } from "../stores/settings-store.js";
import { client } from "../transport/client.js";
import { IconButton } from "../ui/button.js";
import { Menu, type MenuEntry } from "../ui/menu.js";

const SEPARATOR: MenuEntry = { kind: "separator" };

/** @param checked whether the command is the one of a group that holds now */
function command(id: string, checked?: boolean): MenuEntry {
  return checked === undefined ? commandEntry(id) : { ...commandEntry(id), hint: undefined, checked };
}

export function MainMenu(): ReactElement {
  const [examples, setExamples] = useState<readonly Example[]>([]);
  const recent = useSettings((state) => state.settings.recentDocuments);
  const theme = useSettings((state) => state.settings.theme);
  const headless = useApp((state) => state.info?.host === "headless");
  // What is enabled is looked at when the menu opens.
  const [, reopen] = useState(0);
  const onOpenChange = (open: boolean) => {
    if (!open) return;
    reopen((count) => count + 1);
    attempt(async () => setExamples(await listExamples()));
  };
  const entries: MenuEntry[] = [
    command("file.new"),
    command("file.open"),
    ...(recent.length > 0 ? [recentEntries(recent)] : []),
    exampleEntries(examples),
    SEPARATOR,
    command("file.save"),
    command("file.saveAs"),
    SEPARATOR,
    {
      kind: "submenu",
      label: "Theme",
      icon: "moon",
      entries: (["dark", "light", "system"] as const).map((name) =>
        command(`settings.theme.${name}`, theme === name),
      ),
    },
    command("settings.open"),
    command("runtime.refresh"),
    ...(headless ? [newWindowEntry] : []),
    SEPARATOR,
    command("help.shortcuts"),
    command("help.log"),
    command("help.about"),
  ];
  return (
    <Menu
      label="Main menu"
      trigger={<IconButton icon="menu" label="Menu" />}
      entries={entries}
      onOpenChange={onOpenChange}
    />
  );
}

const newWindowEntry: MenuEntry = {
  kind: "item",
  label: "New window",
  icon: "external",
  run: () =>
    attempt(async () => {
      // Opened at once, while the click still counts as one; filled when the address is known.
      const opened = window.open("about:blank", "_blank");
      const url = await client().call("app.newWindowUrl");
      if (opened) opened.location.href = url;
      else window.location.assign(url);
    }),
};

function recentEntries(paths: readonly string[]): MenuEntry {
  return {
    kind: "submenu",
    label: "Open recent",
    entries: paths.map((path) => ({
      kind: "item",
      label: path.split(/[\\/]/).at(-1) ?? path,
      note: path,
      icon: "file",
      run: () => attempt(() => openDocument(path)),
    })),
  };
}

function exampleEntries(examples: readonly Example[]): MenuEntry {
  return {
    kind: "submenu",
    label: "Open example",
    icon: "cube",
    entries:
      examples.length === 0
        ? [{ kind: "heading", text: "Reading the examples…" }]
        : examples.map(({ id, title, description }) => ({
            kind: "item",
            label: title,
            note: description,
            run: () => attempt(() => openExample(id)),
          })),
  };
}
