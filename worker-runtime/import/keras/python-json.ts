/** A float of Python that is a whole number, as an argument of a call: an operator computes 1.0 in another dtype than 1. */
export class WholeFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Stands before a whole float in a text that JSON.parse reads. Nothing in a model's configuration begins like that. */
const MARK = "\u0000float ";
/** Strings, which are left as they are, and numbers that Python writes for whole floats. */
const STRINGS_AND_FLOATS = /"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d+(?:\.0|(?:\.\d+)?[eE]\+\d+)(?![\d.eE])/g;

/**
 * Parses what Python's json.dumps wrote. Whole floats in the positional arguments of calls ("args") are `WholeFloat`s; everywhere
 * else they are numbers.
 * @throws SyntaxError
 */
export function parsePythonJson(text: string): unknown {
  const marked = text.replace(STRINGS_AND_FLOATS, (found) =>
    found.startsWith('"') ? found : JSON.stringify(`${MARK}${found}`),
  );
  // The reviver sees what is inside first: the numbers of a list before the object that has it as "args".
  return JSON.parse(marked, (key, value: unknown) => {
    if (typeof value === "string" && value.startsWith(MARK)) {
      const number = Number(value.slice(MARK.length));
      return key === "" ? number : new WholeFloat(number);
    }
    if (Array.isArray(value)) return key === "args" ? value : value.map(numberOf);
    if (typeof value === "object" && value !== null && !(value instanceof WholeFloat)) {
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, numberOf(one)]));
    }
    return value;
  });
}

function numberOf(value: unknown): unknown {
  return value instanceof WholeFloat ? value.value : value;
}
