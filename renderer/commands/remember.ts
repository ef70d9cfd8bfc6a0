import { areSame } from "../stores/keep-equal.js";

/**
 * Caches the latest result of a query about a whole graph: every surface repeats it after each change, and most
 * changes do not affect it.
 */
export function remember<A extends readonly unknown[], R>(work: (...about: A) => R): (...about: A) => R {
  let newest: { readonly about: A; readonly answer: R } | undefined;
  return (...about) => {
    if (newest === undefined || !areSame(newest.about, about)) newest = { about, answer: work(...about) };
    return newest.answer;
  };
}
