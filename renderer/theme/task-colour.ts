const PALETTE_SIZE = 8;

/** The CSS colour of a task, "var(--t1)" to "var(--t8)". From the ninth task on colours repeat, see `isStriped`. */
export function taskColourVar(task: { readonly colour: number } | undefined): string {
  return task === undefined ? "var(--fg-2)" : `var(--t${(task.colour % PALETTE_SIZE) + 1})`;
}

/** True where the swatch of a task is striped because its colour is already another task's. */
export function isStriped(task: { readonly colour: number }): boolean {
  return task.colour >= PALETTE_SIZE;
}
