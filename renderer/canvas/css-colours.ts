/** Colours of the style sheet for drawing surfaces, which know none of its variables. */

/** Answers a CSS colour with the values that its variables have at an element; a pair is looked up once. */
export function coloursOf(element: Element): (colour: string) => string {
  const style = getComputedStyle(element);
  const known = new Map<string, string>();
  return (colour) => {
    let value = known.get(colour);
    if (value === undefined) {
      value = colour.replace(/var\((--[\w-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim());
      known.set(colour, value);
    }
    return value;
  };
}
