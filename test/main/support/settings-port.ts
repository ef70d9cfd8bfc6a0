import { DEFAULT_SETTINGS } from "../../../main/api/default-settings.js";
import type { Settings } from "../../../main/api/settings.js";
import type { SettingsPort } from "../../../main/settings/room.js";
import type { SettingsChange } from "../../../main/settings/settings-service.js";

/** Settings that a test changes. */
export class TestSettings implements SettingsPort {
  readonly listeners = new Set<(change: SettingsChange) => Promise<void> | void>();
  #now: Settings = DEFAULT_SETTINGS;

  now(): Settings {
    return this.#now;
  }

  onChange(listener: (change: SettingsChange) => Promise<void> | void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async set(wanted: Partial<Settings>): Promise<void> {
    const before = this.#now;
    this.#now = { ...before, ...wanted };
    for (const listener of [...this.listeners]) await listener({ before, now: this.#now, wanted });
  }
}
