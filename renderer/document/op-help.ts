/** Help for ops and their arguments, by their names. */
import { texts } from "../texts/texts.js";

/** What an op does; undefined for ops without a text. */
export function opHelp(op: string): string | undefined {
  return own(texts.opHelp.ops, op);
}

/** What an argument or an attribute of this name means; undefined without a text. */
export function argumentHelp(name: string): string | undefined {
  return own(texts.opHelp.arguments, name);
}

function own(help: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(help, name) ? help[name] : undefined;
}
