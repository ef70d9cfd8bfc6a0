/** Numbers that are typed into the settings of a run. */
import { documentActions } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";

const words = texts.dock.runNumbers;

/** The number in a text, undefined for none, or the reason why it is none that can be used. */
export function optionalNumber(text: string, least: number, most: number): number | undefined | string {
  const digits = text.replaceAll(/[\s,_]/g, "");
  if (digits === "") return undefined;
  const number = Number(digits);
  return Number.isInteger(number) && number >= least && number <= most
    ? number
    : words.wrong({ least, most });
}

/** Why an edit was refused; undefined if it was done. */
export function orRefusal(done: boolean): string | undefined {
  return done ? undefined : documentActions.takeRefusal();
}
