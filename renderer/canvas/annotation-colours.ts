/** The colours of frames and notes: how they are called, and their values in style sheets. */
import type { AnnotationColour } from "../document/model.js";

interface NamedColour {
  readonly label: string;
  readonly value: string;
}

export const COLOURS: Readonly<Record<AnnotationColour, NamedColour>> = {
  none: { label: "None", value: "var(--line-3)" },
  blue: { label: "Blue", value: "var(--t1)" },
  yellow: { label: "Yellow", value: "var(--t2)" },
  green: { label: "Green", value: "var(--t3)" },
  pink: { label: "Pink", value: "var(--t4)" },
  orange: { label: "Orange", value: "var(--t6)" },
  violet: { label: "Violet", value: "var(--t7)" },
};
