import { create } from "zustand";
import { DEFAULT_SETTINGS } from "../../main/api/default-settings.js";
import type { Settings } from "../../main/api/settings.js";
import { client } from "../transport/client.js";

export interface SettingsStore {
  readonly settings: Settings;
  /** The current meaning of `theme: "system"`. */
  readonly systemTheme: "dark" | "light";
}

const THEME_KEY = "tensordeck.theme";

function rememberedTheme(): Settings["theme"] {
  const theme = globalThis.localStorage?.getItem(THEME_KEY);
  return theme === "light" || theme === "dark" ? theme : "system";
}

function systemQuery(): MediaQueryList | undefined {
  return globalThis.matchMedia?.("(prefers-color-scheme: light)");
}

export const useSettings = create<SettingsStore>()(() => ({
  settings: { ...DEFAULT_SETTINGS, theme: rememberedTheme() },
  systemTheme: systemQuery()?.matches ? "light" : "dark",
}));

/** The theme that is shown: never "system". */
export function shownTheme({ settings, systemTheme }: SettingsStore): "dark" | "light" {
  return settings.theme === "system" ? systemTheme : settings.theme;
}

/** Keeps the root element's theme in sync with the settings. Called once, before the first paint. */
export function applyTheme(): void {
  systemQuery()?.addEventListener("change", (event) =>
    useSettings.setState({ systemTheme: event.matches ? "light" : "dark" }),
  );
  const apply = (store: SettingsStore) => {
    document.documentElement.dataset.theme = shownTheme(store);
    // Known before the application responds at the next start, so the window never flashes in the other theme.
    localStorage.setItem(THEME_KEY, store.settings.theme);
  };
  apply(useSettings.getState());
  useSettings.subscribe(apply);
}

export function receiveSettings(settings: Settings): void {
  useSettings.setState({ settings });
}

/** Changes settings here immediately and in the application permanently. */
export async function changeSettings(change: Partial<Settings>): Promise<void> {
  useSettings.setState((store) => ({ settings: { ...store.settings, ...change } }));
  receiveSettings(await client().call("settings.set", change));
}
