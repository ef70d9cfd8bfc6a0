/** What this installation is, and what its host can do. */
import { hostname } from "node:os";
import type { appMethods } from "../api/app.js";
import type { HandlersOf } from "../shared/handlers.js";
import { notOnThisHost } from "../shared/problems.js";
import type { Room } from "../shared/room.js";
import { version } from "../shared/version.js";
import type { Host } from "./host.js";

export interface AppOptions {
  readonly host: Pick<Host, "kind" | "pickFile" | "newWindowUrl">;
}

export function createApp({ host }: AppOptions): Room<HandlersOf<typeof appMethods>> {
  return {
    handlers: {
      "app.info": () => ({
        version: version(),
        host: host.kind,
        platform: process.platform,
        hostname: hostname(),
        fileDialogs: host.pickFile ? "native" : "window",
      }),
      "app.newWindowUrl": () => {
        if (host.newWindowUrl) return host.newWindowUrl();
        throw notOnThisHost("A link to another window", "This window is not a page of a browser.");
      },
    },
    dispose: async () => {},
  };
}
