/** Errors about the shapes of a node's inputs, in words that name the nodes that they come from. Pure. */
import { type Shape, shapeLabel } from "../../worker-runtime/graph/shape.js";
import { texts } from "../texts/texts.js";
import { listText } from "../ui/format.js";

const words = texts.document.problems.shapesDiffer;

/** A tensor that a node reads: "split:1". */
export interface ReadTensor {
  readonly source: string;
  readonly shape: Shape | undefined;
}

/** More would hide what is wrong. */
const MOST_NAMED = 4;

/**
 * The message of a rule, which knows inputs by their positions alone, with those that it is about: of each shape that
 * differs, one at least.
 */
export function withInputs(message: string, inputs: readonly ReadTensor[]): string {
  const known = inputs.filter(({ shape }) => shape !== undefined);
  if (known.length === 0 || inputs.some(({ source }) => message.includes(`(${source})`))) return message;
  const mentioned = known.filter(({ shape }) => message.includes(shapeLabel(shape)));
  const concerned = oneOfEachFirst(mentioned.length > 0 ? mentioned : known);
  const named = concerned.slice(0, MOST_NAMED).map(({ source, shape }) => `${source} ${shapeLabel(shape)}`);
  const others = concerned.length - named.length;
  const text =
    others > 0
      ? words.readsMore({ inputs: named.join(", "), count: others })
      : words.reads({ inputs: listText(named) });
  return `${message} ${text}`;
}

function oneOfEachFirst(inputs: readonly ReadTensor[]): readonly ReadTensor[] {
  const seen = new Set<string>();
  const first: ReadTensor[] = [];
  const rest: ReadTensor[] = [];
  for (const input of inputs) {
    const label = shapeLabel(input.shape);
    (seen.has(label) ? rest : first).push(input);
    seen.add(label);
  }
  return [...first, ...rest];
}
