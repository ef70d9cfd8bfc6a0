/** In what order the palette lists what it found. Pure. */
import type { Action, CommandGroup } from "../commands/command.js";

/** A command with one of the targets that it applies to. */
export interface Offer {
  readonly key: string;
  readonly group: CommandGroup;
  readonly text: string;
  readonly keywords: string;
  readonly action: Action;
}

/** Above every score. */
const MEANT_RANK = 3;

/**
 * 0 unless every word that was typed is part of the offer's text; more, the more of them words begin with, and most if they
 * stand there as they were typed.
 */
export function score({ text, keywords }: Pick<Offer, "text" | "keywords">, wanted: string): number {
  const label = `${text} ${keywords}`.toLowerCase();
  const typed = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  if (!typed.every((word) => label.includes(word))) return 0;
  const ofWords = typed.map((word) => (label.startsWith(word) ? 1 : label.includes(` ${word}`) ? 0.8 : 0.5));
  const isPhrase = typed.length > 1 && text.toLowerCase().includes(typed.join(" "));
  return ofWords.reduce((sum, one) => sum + one, 0) / Math.max(1, ofWords.length) + (isPhrase ? 1 : 0);
}

/**
 * The offer whose text has what was typed, if it cannot be run now and none that can be run has it too: Enter must not run
 * another one that only has the same words.
 */
export function meantOffer(offers: readonly Offer[], wanted: string): Offer | undefined {
  const isEnabled = ({ action }: Offer) => action.reason === undefined;
  if (wanted === "" || !offers.some(isEnabled)) return undefined;
  const named = offers.filter(({ text }) => text.toLowerCase().includes(wanted.toLowerCase()));
  return named.some(isEnabled) ? undefined : named[0];
}

/**
 * The offers by group. Where something is wanted, the best group comes first, and in it what can be done now and fits
 * best; what fits equally keeps its order.
 *
 * @param meant comes before all others
 */
export function groupsOf(
  offers: readonly Offer[],
  groups: readonly CommandGroup[],
  wanted: string,
  meant?: Offer,
): readonly (readonly [group: CommandGroup, offers: readonly Offer[]])[] {
  // One that cannot be done now is below all that can.
  const rank = (offer: Offer) =>
    offer === meant
      ? MEANT_RANK
      : score(offer, wanted) - (offer.action.reason === undefined ? 0 : MEANT_RANK);
  const listed = groups.map((group) => {
    const own = offers.filter((offer) => offer.group === group);
    return [group, wanted === "" ? own : own.toSorted((one, other) => rank(other) - rank(one))] as const;
  });
  const filled = listed.filter(([, own]) => own.length > 0);
  if (wanted === "") return filled;
  const best = ([, [first]]: (typeof filled)[number]) => (first === undefined ? 0 : rank(first));
  return filled.toSorted((one, other) => best(other) - best(one));
}
