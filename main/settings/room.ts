/** The settings: kept in a file, and passed on to the rooms that depend on them. */
import type { settingsMethods } from "../api/settings.js";
import type { EmitEvent } from "../shared/events.js";
import type { HandlersOf } from "../shared/handlers.js";
import type { Room } from "../shared/room.js";
import { SettingsService } from "./settings-service.js";

export interface SettingsOptions {
  readonly file: string;
  readonly emit: EmitEvent;
}

/** The user's settings, as the other rooms read them. */
export type SettingsPort = Pick<SettingsService, "now" | "onChange">;

export interface SettingsRoom extends Room<HandlersOf<typeof settingsMethods>>, SettingsPort {
  /** Moves a document to the head of the recent ones. Never rejects. */
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
