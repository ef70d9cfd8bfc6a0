/** The settings: kept in a file, and told to the rooms that go by them. */
import type { settingsMethods } from "../api/settings.js";
import type { EmitEvent } from "../shared/events.js";
import type { HandlersOf } from "../shared/handlers.js";
import type { Room } from "../shared/room.js";
import { SettingsService } from "./settings-service.js";

export interface SettingsOptions {
  readonly file: string;
  readonly emit: EmitEvent;
}

/** What rooms go by that a user chose. */
export type SettingsPort = Pick<SettingsService, "now" | "onChange">;

export interface SettingsRoom extends Room<HandlersOf<typeof settingsMethods>>, SettingsPort {
  /** Puts a document at the head of the recent ones. Never rejects. */
  addRecentDocument(path: string): Promise<void>;
}

/** Resolves when the settings are known. */
export async function createSettings({ file, emit }: SettingsOptions): Promise<SettingsRoom> {
  const service = new SettingsService(file, emit);
  emit("settings", await service.get());
  return {
    handlers: {
      "settings.get": () => service.get(),
      "settings.set": (changes) => service.set(changes),
    },
    now: () => service.now(),
    onChange: (listener) => service.onChange(listener),
    addRecentDocument: (path) => service.addRecentDocument(path),
    dispose: () => service.dispose(),
  };
}
