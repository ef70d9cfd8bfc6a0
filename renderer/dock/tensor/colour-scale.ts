/** Colours of the theme, read where a picture is drawn pixel by pixel. */
import { useSyncExternalStore } from "react";

export type Rgb = readonly [red: number, green: number, blue: number];

export interface HeatColours {
  readonly negative: Rgb;
  readonly zero: Rgb;
  readonly positive: Rgb;
  /** NaN, and cells without a finite element. */
  readonly missing: Rgb;
}

function rgbOf(style: CSSStyleDeclaration, variable: string): Rgb {
  const hex = /^#([0-9a-f]{6})$/i.exec(style.getPropertyValue(variable).trim())?.[1] ?? "000000";
  const number = Number.parseInt(hex, 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

let known: { readonly theme: string | undefined; readonly colours: HeatColours } | undefined;

function coloursNow(): HeatColours {
  const { theme } = document.documentElement.dataset;
  if (known?.theme === theme && known !== undefined) return known.colours;
  const style = getComputedStyle(document.documentElement);
  const colours = {
    negative: rgbOf(style, "--hn"),
    zero: rgbOf(style, "--hz"),
    positive: rgbOf(style, "--hp"),
    missing: rgbOf(style, "--err"),
  };
  known = { theme, colours };
  return colours;
}

function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

/** The colours of heat maps in the current theme. */
export function useHeatColours(): HeatColours {
  return useSyncExternalStore(onThemeChange, coloursNow);
}

/** Writes the colour of a value into RGBA bytes; `largest` is the absolute value of the strongest colour. */
export function putColour(
  rgba: Uint8ClampedArray,
  at: number,
  value: number,
  largest: number,
  { negative, zero, positive, missing }: HeatColours,
): void {
  const share = largest > 0 ? Math.min(1, Math.abs(value) / largest) : 0;
  const strong = value < 0 ? negative : positive;
  for (let channel = 0; channel < 3; channel += 1) {
    const from = zero[channel] ?? 0;
    rgba[at + channel] = Number.isNaN(value)
      ? (missing[channel] ?? 0)
      : from + ((strong[channel] ?? 0) - from) * share;
  }
  rgba[at + 3] = 255;
}
