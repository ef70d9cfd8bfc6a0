/** Where files of each kind were chosen last, in this browser or window. */

const STORAGE_KEY = "tensordeck.folders";

function folders(): Readonly<Record<string, unknown>> {
  try {
    const stored: unknown = JSON.parse(globalThis.localStorage?.getItem(STORAGE_KEY) ?? "{}");
    return typeof stored === "object" && stored !== null ? { ...stored } : {};
  } catch {
    // A damaged entry is ignored: the folders are a convenience.
    return {};
  }
}

/** The first extension names the kind: more kinds of files can be opened as a graph than a graph is saved as. */
const kindOf = ([first = ""]: readonly string[]): string => first;

/** @param extensions the file name extensions of the kind */
export function lastFolder(extensions: readonly string[]): string | undefined {
  const folder = folders()[kindOf(extensions)];
  return typeof folder === "string" ? folder : undefined;
}

export function rememberFolder(extensions: readonly string[], folder: string): void {
  const all = { ...folders(), [kindOf(extensions)]: folder };
  globalThis.localStorage?.setItem(STORAGE_KEY, JSON.stringify(all));
}
