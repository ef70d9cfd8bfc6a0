/** Where a file is that the user dropped: the desktop window is told, a browser is not. */
export function pathOfFile(file: File): string | undefined {
  const path = window.tensordeck?.pathOf?.(file);
  return path === undefined || path === "" ? undefined : path;
}
