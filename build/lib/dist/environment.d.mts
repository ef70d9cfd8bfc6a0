/** What the tests take of environment.mjs. */

export function environmentConfiguration(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, unknown>>;
