/** Finds the documents in what the system hands to the program: arguments, and links of the scheme "tensordeck". */
import { posix, win32 } from "node:path";
import { OPENED_EXTENSIONS } from "../../api/document-extensions.js";

export const LINK_SCHEME = "tensordeck";

/** Longer ones are no paths of any system. */
const MAX_LENGTH = 4096;

/**
 * The documents that a command line names. Flags, and files of other types, are left out: Chromium and the system add
 * arguments of their own.
 *
 * @param args without the program itself
 * @param folder to which relative paths belong
 */
export function pathsInArguments(
  args: readonly string[],
  folder: string,
  platform: NodeJS.Platform = process.platform,
): string[] {
  const { resolve } = platform === "win32" ? win32 : posix;
  return args.flatMap((arg) => {
    if (arg.startsWith("-") || arg === "") return [];
    if (arg.toLowerCase().startsWith(`${LINK_SCHEME}:`)) return pathOfLink(arg, platform) ?? [];
    const path = resolve(folder, arg);
    return isDocument(path) ? [path] : [];
  });
}

/**
 * The path in "tensordeck://open?path=…", which any web page can offer; undefined where it is not the absolute path of a
 * document on this machine. A path of a network share is refused: Windows would send the account's password hash there.
 */
export function pathOfLink(link: string, platform: NodeJS.Platform = process.platform): string | undefined {
  if (link.length > MAX_LENGTH || !URL.canParse(link)) return undefined;
  const { protocol, host, pathname, searchParams, username, port, hash } = new URL(link);
  if (protocol !== `${LINK_SCHEME}:` || host !== "open" || username !== "" || port !== "" || hash !== "") {
    return undefined;
  }
  if (pathname !== "" && pathname !== "/") return undefined;
  const [name, ...others] = [...searchParams.keys()];
  const path = searchParams.get("path");
  if (name !== "path" || others.length > 0 || path === null) return undefined;
  if (hasControlCharacters(path) || !isDocument(path)) return undefined;
  const isLocal = platform === "win32" ? /^[a-z]:[\\/](?![\\/])/i.test(path) : /^\/(?!\/)/.test(path);
  return isLocal ? (platform === "win32" ? win32 : posix).normalize(path) : undefined;
}

function hasControlCharacters(text: string): boolean {
  return [...text].some((character) => (character.codePointAt(0) ?? 0) < 0x20);
}

function isDocument(path: string): boolean {
  const ending = path.toLowerCase();
  return OPENED_EXTENSIONS.some((extension) => ending.endsWith(`.${extension}`));
}
