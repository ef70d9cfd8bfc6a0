/** The part of environment.mjs that tests use. */

export function environmentConfiguration(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, unknown>>;
