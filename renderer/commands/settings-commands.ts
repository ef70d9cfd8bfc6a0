import { changeSettings, shownTheme, useSettings } from "../stores/settings-store.js";
import { uiActions } from "../stores/ui-store.js";
import { defineCommands, when } from "./command.js";
import { noTarget } from "./target-kinds.js";

const settings = () => useSettings.getState().settings;
const otherTheme = () => (shownTheme(useSettings.getState()) === "dark" ? "light" : "dark");

export const settingsCommands = defineCommands(noTarget, {
  open: {
    id: "settings.open",
    group: "Settings",
    label: "Settings…",
    keywords: "machine name, visible on this network, stop ps with the last worker",
    run: () => uiActions.open({ kind: "settings" }),
  },
  visible: {
    id: "settings.visible",
    group: "Settings",
    label: "Make this machine visible on the network",
    short: () => "Make visible",
    needsApplication: true,
    isEnabled: () => when(!settings().visible, "It is already visible."),
    run: () => changeSettings({ visible: true }),
  },
  otherTheme: {
    id: "settings.theme.other",
    group: "Settings",
    label: "Change to the other theme",
    labelNow: () => `Change to the ${otherTheme()} theme`,
    short: () => "Theme",
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
    label: "Dark theme",
    icon: "moon",
    needsApplication: true,
    isOn: () => settings().theme === "dark",
    run: () => changeSettings({ theme: "dark" }),
  },
  light: {
    id: "settings.theme.light",
    group: "Settings",
    label: "Light theme",
    icon: "sun",
    needsApplication: true,
    isOn: () => settings().theme === "light",
    run: () => changeSettings({ theme: "light" }),
  },
  system: {
    id: "settings.theme.system",
    group: "Settings",
    label: "Theme of the system",
    icon: "desktop",
    needsApplication: true,
    isOn: () => settings().theme === "system",
    run: () => changeSettings({ theme: "system" }),
  },
});
