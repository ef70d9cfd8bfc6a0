/** Help for ops and their arguments, by their names. */
import { texts } from "../texts/texts.js";

/** The purpose of an op; undefined for ops without a text. */
export function opHelp(op: string): string | undefined {
  return own(texts.opHelp.ops, op);
}

/** The meaning of an argument or an attribute of this name; undefined without a text. */
export function argumentHelp(name: string): string | undefined {
  return own(texts.opHelp.arguments, name);
}

function own(help: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(help, name) ? help[name] : undefined;
}
