import type { ReactElement } from "react";
import { clusterCommands } from "../commands/cluster-commands.js";
import {
  documentCommands,
  exampleCommands,
  fileCommands,
  pictureCommands,
  recentCommands,
} from "../commands/file-commands.js";
import { helpCommands } from "../commands/help-commands.js";
import { joinGroups, menuEntry } from "../commands/menu-entry.js";
import { runtimeCommands } from "../commands/runtime-commands.js";
import { settingsCommands, themeCommands } from "../commands/settings-commands.js";
import { tabCommands } from "../commands/tab-commands.js";
import { openSessions } from "../stores/document-session.js";
import { texts } from "../texts/texts.js";
import { IconButton } from "../ui/icon-button.js";
import { Menu, type MenuEntry } from "../ui/menu.js";

const words = texts.app.mainMenu;

export function MainMenu(): ReactElement {
  return (
    <Menu
      label={words.mainMenu}
      trigger={<IconButton icon="menu" label={words.menu} />}
      entries={entriesNow}
    />
  );
}

function entriesNow(): readonly MenuEntry[] {
  const newWindow = fileCommands.newWindow.now();
  return joinGroups([
    [
      menuEntry(fileCommands.create.now()),
      menuEntry(fileCommands.open.now()),
      ...recentEntries(),
      menuEntry(fileCommands.examples.now()),
      exampleEntries(),
      menuEntry(fileCommands.runScript.now()),
    ],
    [menuEntry(documentCommands.save.now()), menuEntry(documentCommands.saveAs.now()), exportEntries()],
    [menuEntry(tabCommands.close.now()), ...tabEntries()],
    [
      {
        kind: "submenu",
        label: words.theme,
        icon: "moon",
        entries: Object.values(themeCommands).map((theme) => menuEntry(theme.now())),
      },
      menuEntry(settingsCommands.open.now()),
      menuEntry(runtimeCommands.refresh.now()),
      ...(newWindow.applies ? [menuEntry(newWindow)] : []),
    ],
    [
      menuEntry(helpCommands.tour.now()),
      menuEntry(helpCommands.guides.now()),
      menuEntry(helpCommands.shortcuts.now()),
      menuEntry(helpCommands.log.now()),
      menuEntry(helpCommands.about.now()),
    ],
  ]);
}

function exportEntries(): MenuEntry {
  const { exportPython, exportTypeScript, exportModel, exportSvg, exportPng, download } = documentCommands;
  return {
    kind: "submenu",
    label: words.export,
    icon: "download",
    entries: [
      menuEntry(exportPython.now(), "short"),
      menuEntry(exportTypeScript.now(), "short"),
      menuEntry(exportModel.now(), "short"),
      menuEntry(exportSvg.now(), "short"),
      menuEntry(exportPng.now(), "short"),
      ...[pictureCommands.svg, pictureCommands.png].map((command) => menuEntry(command.now(), "short")),
      menuEntry(download.now()),
      menuEntry(clusterCommands.export.now(), "short"),
    ],
  };
}

function tabEntries(): readonly MenuEntry[] {
  return openSessions().length === 1 ? [] : [menuEntry(tabCommands.closeOthers.now())];
}

function recentEntries(): readonly MenuEntry[] {
  const { label, all } = recentCommands.open;
  const entries = all().map((action) => menuEntry(action, "short"));
  return entries.length === 0 ? [] : [{ kind: "submenu", label, entries }];
}

function exampleEntries(): MenuEntry {
  const { label, now, all } = exampleCommands.open;
  const entries = all().map((action) => menuEntry(action, "short"));
  const { reason } = now();
  return {
    kind: "submenu",
    label,
    icon: "cube",
    entries: entries.length === 0 && reason !== undefined ? [{ kind: "heading", text: reason }] : entries,
  };
}
