/** dpkg removes it with the last package that has files in it, and rpm does not. */
const OPTIONAL = /^(gone: )?opt d /;

/**
 * Lines of `DebianMachine.files` that were not there before a package was installed, or that are gone since.
 */
export function surplusOf(before: readonly string[], after: readonly string[]): readonly string[] {
  const had = new Set(before);
  const has = new Set(after);
  return [
    ...after.filter((line) => !had.has(line)),
    ...before.filter((line) => !has.has(line)).map((line) => `gone: ${line}`),
  ].filter((line) => !OPTIONAL.test(line));
}
