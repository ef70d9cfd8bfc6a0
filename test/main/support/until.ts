/** Resolves when the condition holds, looking every few milliseconds; fails with what was waited for. */
export async function until(what: string, holds: () => boolean, millis = 60_000): Promise<void> {
  const end = Date.now() + millis;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`Waited ${millis} ms for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
