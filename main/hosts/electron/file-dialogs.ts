import { join } from "node:path";
import { type BrowserWindow, dialog } from "electron";
import type { PickFile } from "../../api/documents.js";

/** The system's dialog for opening or saving a file; undefined when the user cancels. */
export async function pickFile(
  window: BrowserWindow | undefined,
  request: PickFile,
): Promise<string | undefined> {
  const filters =
    request.extensions.length > 0
      ? [
          {
            name: request.extensions.map((ending) => `.${ending}`).join(", "),
            extensions: request.extensions,
          },
          { name: "All files", extensions: ["*"] },
        ]
      : [];
  if (request.mode === "save") {
    const options = {
      title: request.title,
      filters,
      ...defaultPathOf(request),
    };
    const answer = window
      ? await dialog.showSaveDialog(window, options)
      : await dialog.showSaveDialog(options);
    return answer.canceled || answer.filePath === "" ? undefined : answer.filePath;
  }
  const options = {
    title: request.title,
    filters,
    properties: ["openFile" as const],
    ...defaultPathOf(request),
  };
  const answer = window ? await dialog.showOpenDialog(window, options) : await dialog.showOpenDialog(options);
  return answer.canceled ? undefined : answer.filePaths[0];
}

function defaultPathOf({ folder, suggestedName }: PickFile): { readonly defaultPath?: string } {
  if (folder === undefined) return suggestedName === undefined ? {} : { defaultPath: suggestedName };
  return { defaultPath: suggestedName === undefined ? folder : join(folder, suggestedName) };
}
