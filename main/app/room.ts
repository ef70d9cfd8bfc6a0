/** Facts about this installation, and the abilities of its host. */
import { hostname } from "node:os";
import type { appMethods } from "../api/app.js";
import { GUIDES, pathOf, readGuide, titleOf } from "../help/guides.js";
import type { EmitEvent } from "../shared/events.js";
import type { HandlersOf } from "../shared/handlers.js";
import { log, logFile } from "../shared/log/log.js";
import type { LogFile } from "../shared/log/log-file.js";
import { notOnThisHost, problem } from "../shared/problems.js";
import type { Room } from "../shared/room.js";
import { version } from "../shared/version.js";
import type { Host } from "./host.js";

/** About as much as a person would read; the rest is in the file. */
const SHOWN_LOG_BYTES = 256 * 1024;

export interface AppOptions {
  readonly host: Pick<Host, "kind" | "pickFile" | "newWindowUrl" | "showFile" | "askedDocuments">;
  readonly emit: EmitEvent;
}

export function createApp({ host, emit }: AppOptions): Room<HandlersOf<typeof appMethods>> {
  host.askedDocuments?.onChange((waiting) => emit("askedDocuments", { waiting }));
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
      "app.guides": () =>
        Promise.all(
          GUIDES.map(async (guide) => ({
            name: guide.name,
            group: guide.group,
            title: titleOf(guide, await readGuide(guide.name)),
            path: pathOf(guide),
          })),
        ),
      "app.guide": ({ name }) => readGuide(name),
      "app.log": async () => {
        const file = openedLog();
        return { path: file.path, text: await file.tail(SHOWN_LOG_BYTES) };
      },
      "app.showLog": () => {
        if (host.showFile) return host.showFile(openedLog().path);
        throw notOnThisHost("The folder of the log", "Tensordeck runs without a desktop here.");
      },
      "app.takeAskedDocuments": () => [...(host.askedDocuments?.take() ?? [])],
      "app.reportError": ({ where, text }) => log.error(`${where} of a window failed:`, text),
    },
    dispose: async () => {},
  };
}

function openedLog(): LogFile {
  const file = logFile();
  if (file) return file;
  throw problem("FAILED_PRECONDITION", "This program writes no log.");
}
