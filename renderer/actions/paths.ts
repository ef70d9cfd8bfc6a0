/** Paths on the machine that runs the application, whose system may differ from the browser's. */

function separatorOf(path: string): "/" | "\\" {
  return /^[A-Za-z]:\\|^\\\\/.test(path) ? "\\" : "/";
}

export interface Crumb {
  readonly name: string;
  readonly path: string;
}

/** The folders of an absolute path, outermost first. */
export function crumbsOf(path: string): readonly Crumb[] {
  if (path === "") return [];
  const separator = separatorOf(path);
  const parts = path.split(separator).filter((part) => part !== "");
  const crumbs: Crumb[] = separator === "/" ? [{ name: "/", path: "/" }] : [];
  let so = separator === "/" ? "" : undefined;
  for (const part of parts) {
    so = so === undefined ? part : `${so}${separator}${part}`;
    // A drive alone means its current folder; with the separator, its root.
    crumbs.push({ name: part, path: /^[A-Za-z]:$/.test(so) ? `${so}\\` : so });
  }
  return crumbs;
}

export function joinPath(folder: string, name: string): string {
  const separator = separatorOf(folder);
  return folder.endsWith(separator) ? folder + name : folder + separator + name;
}

/**
 * The path of a name typed into a dialog: one that is absolute or begins at the home folder (~) unchanged, otherwise
 * relative to the folder shown.
 */
export function resolveName(folder: string, name: string): string {
  const absolute = separatorOf(folder) === "/" ? name.startsWith("/") : /^[A-Za-z]:\\|^\\\\/.test(name);
  return absolute || /^~(?=$|[/\\])/.test(name) ? name : joinPath(folder, name);
}

/** The folder that contains a file. */
export function folderOf(path: string): string {
  const separator = separatorOf(path);
  const at = path.lastIndexOf(separator);
  return at <= 0 ? separator : path.slice(0, /^[A-Za-z]:\\[^\\]*$/.test(path) ? at + 1 : at);
}

/** Appends the first extension to the name, unless it already has one of them. */
export function withExtension(name: string, extensions: readonly string[]): string {
  const [first] = extensions;
  const known = extensions.some((ending) => name.toLowerCase().endsWith(`.${ending.toLowerCase()}`));
  return known || first === undefined ? name : `${name}.${first}`;
}
