/** Help for ops, in our own words: for those that are used most. TensorFlow's own pages have the rest. */
import { ARGUMENT_HELP } from "./arguments.js";
import { ARRAY_HELP } from "./arrays.js";
import { MATH_HELP } from "./math.js";
import { MEDIA_HELP } from "./media.js";
import { NETWORK_HELP } from "./networks.js";
import { STATE_HELP } from "./state.js";

const HELP: ReadonlyMap<string, string> = new Map(
  [MATH_HELP, ARRAY_HELP, NETWORK_HELP, STATE_HELP, MEDIA_HELP].flatMap((texts) => Object.entries(texts)),
);

/** Every op with a text. */
export const explainedOps: readonly string[] = [...HELP.keys()];

/** What an op does; undefined for ops without a text. */
export function opHelp(op: string): string | undefined {
  return HELP.get(op);
}

/** What an argument or an attribute of this name means; undefined without a text. */
export function argumentHelp(name: string): string | undefined {
  return Object.hasOwn(ARGUMENT_HELP, name) ? ARGUMENT_HELP[name] : undefined;
}
