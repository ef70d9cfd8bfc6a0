import { changeSettings, shownTheme, useSettings } from "../stores/settings-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands, when } from "./command.js";
import { noTarget } from "./target-kinds.js";

const words = texts.commands.settings;

const settings = () => useSettings.getState().settings;
const otherTheme = () => (shownTheme(useSettings.getState()) === "dark" ? "light" : "dark");

export const settingsCommands = defineCommands(noTarget, {
  open: {
    id: "settings.open",
    group: "Settings",
    label: words.open.label,
    keywords: words.open.keywords,
    run: () => uiActions.open({ kind: "settings" }),
  },
  visible: {
    id: "settings.visible",
    group: "Settings",
    label: words.visible.label,
    short: () => words.visible.short,
    needsApplication: true,
    isEnabled: () => when(!settings().visible, words.visible.reason),
    run: () => changeSettings({ visible: true }),
  },
  otherTheme: {
    id: "settings.theme.other",
    group: "Settings",
    label: words.otherTheme.label,
    labelNow: () => words.otherTheme.labelNow({ otherTheme: otherTheme() }),
    short: () => words.otherTheme.short,
    icon: () => (otherTheme() === "light" ? "moon" : "sun"),
    needsApplication: true,
    run: () => changeSettings({ theme: otherTheme() }),
  },
});

/** One of them is active. */
export const themeCommands = defineCommands(noTarget, {
  dark: {
    id: "settings.theme.dark",
    group: "Settings",
    label: words.theme.dark.label,
    icon: "moon",
    needsApplication: true,
    isOn: () => settings().theme === "dark",
    run: () => changeSettings({ theme: "dark" }),
  },
  light: {
    id: "settings.theme.light",
    group: "Settings",
    label: words.theme.light.label,
    icon: "sun",
    needsApplication: true,
    isOn: () => settings().theme === "light",
    run: () => changeSettings({ theme: "light" }),
  },
  system: {
    id: "settings.theme.system",
    group: "Settings",
    label: words.theme.system.label,
    icon: "desktop",
    needsApplication: true,
    isOn: () => settings().theme === "system",
    run: () => changeSettings({ theme: "system" }),
  },
});
