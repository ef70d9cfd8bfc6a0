/** Colours of the style sheet for canvases, which do not resolve its variables. */

/** Resolves a CSS colour with the values of its variables at an element; each pair is resolved once. */
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
