/** How much of a platform is tried. */
import type { Check } from "../check.js";

/** `short` has what breaks first, `full` all that is quick enough to be run often, `long` also what is downloaded. */
export const FORMS = ["short", "full", "long"] as const;
export type Form = (typeof FORMS)[number];

export interface LinuxCheck extends Check {
  /** The shortest form that it belongs to. */
  readonly form: Form;
}

/** The checks of a form. */
export function ofForm(checks: readonly LinuxCheck[], form: Form): readonly LinuxCheck[] {
  return checks.filter((check) => FORMS.indexOf(check.form) <= FORMS.indexOf(form));
}
