/**
 * Resolves colours and fonts of the style sheet, such as "color-mix(in srgb, var(--t1) 16%, var(--bg-2))", to what a file
 * can hold that has no style sheet: "#rrggbb" for a colour, the names of fonts as they are. Each is resolved once.
 */
export function solidColours(): (value: string) => string {
  const style = getComputedStyle(document.documentElement);
  const canvas = document.createElement("canvas");
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const known = new Map<string, string>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const plain = value.replace(/var\((--[\w-]+)\)/g, (_, name: string) =>
      style.getPropertyValue(name).trim(),
    );
    const solid = /^(#|rgb|color)/.test(plain) && context ? pixelOf(context, plain) : plain;
    known.set(value, solid);
    return solid;
  };
}

/** The colour as a canvas paints it. */
function pixelOf(context: CanvasRenderingContext2D, colour: string): string {
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
