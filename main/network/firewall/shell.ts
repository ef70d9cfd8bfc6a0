/** Shell scripts for an administrator's rights: whole lines, shown to the user as they are run. */

/** Exit status of a script that found nothing to change. */
export const ALREADY = 10;

/** Quotes a word for a shell command, with any content. */
export function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export interface ShellScript {
  readonly script: string;
  /** The same script for pasting into a terminal. */
  readonly command: string;
}

/**
 * @param title What the script does, as a comment at its head.
 * @param lines Each a complete command (no line ends within a compound one), without comments.
 */
export function shellScript(title: string, lines: readonly string[]): ShellScript {
  const all = ["set -eu", "export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C", ...lines];
  return { script: `# ${title}\n${all.join("\n")}\n`, command: `sudo sh -c ${quote(all.join("; "))}` };
}

/**
 * Lines that make a script end with ALREADY when it changed nothing that counts.
 *
 * @param listing Command that prints Tensordeck's own rules, and may find none.
 */
export function unlessUnchanged(listing: string, lines: readonly string[]): string[] {
  return [
    `own() { ${listing} | sort; }`,
    "before=$(own)",
    ...lines,
    "after=$(own)",
    `if [ "$before" = "$after" ]; then exit ${ALREADY}; fi`,
  ];
}
