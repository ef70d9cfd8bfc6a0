/** For steps of tests that have no time limit of their own: a test must say what it waited for in vain. */

const DEADLINE_MILLIS = 120_000;

/** @throws Error that names what was waited for, if it takes longer than that. */
export async function withDeadline<T>(
  what: string,
  promise: Promise<T>,
  millis = DEADLINE_MILLIS,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${millis / 1000} s.`)), millis);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
