/** The part of python.mjs that tests use. */
export const TENSORFLOW_PACKAGE: string;
export function pythonOf(folder: string): string;
export function fillEnvironment(
  folder: string,
  python: string,
  requirements: readonly string[],
): Promise<string | undefined>;
