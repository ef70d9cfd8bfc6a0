/** The colours of frames and notes: how they are called, and their values in style sheets. */
import type { AnnotationColour } from "../document/model.js";
import { texts } from "../texts/texts.js";

const words = texts.canvas.annotationColours;

interface NamedColour {
  readonly label: string;
  readonly value: string;
}

export const COLOURS: Readonly<Record<AnnotationColour, NamedColour>> = {
  none: { label: words.none, value: "var(--line-3)" },
  blue: { label: words.blue, value: "var(--t1)" },
  yellow: { label: words.yellow, value: "var(--t2)" },
  green: { label: words.green, value: "var(--t3)" },
  pink: { label: words.pink, value: "var(--t4)" },
  orange: { label: words.orange, value: "var(--t6)" },
  violet: { label: words.violet, value: "var(--t7)" },
};
