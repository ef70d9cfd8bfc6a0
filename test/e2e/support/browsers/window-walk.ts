/** The window in any browser: elements by what a user sees and hears of them, and a hand at the mouse. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "vitest";
import { z } from "zod";
import type { DrivenPage, Point } from "./driven-page.js";

const require = createRequire(import.meta.url);
/** Testing Library's queries, for the page. */
const QUERIES = readFileSync(
  require.resolve("@testing-library/dom/dist/@testing-library/dom.umd.min.js"),
  "utf8",
);

/** A step may start servers, which takes many times as long on a busy machine as on an idle one. */
const POLL = { timeout: 60_000, interval: 100 };
/** A drag begins only after some pixels of movement. */
const DRAG_PIXELS = 12;

const boxSchema = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
export type Box = z.infer<typeof boxSchema>;

const centreOf = ({ x, y, width, height }: Box): Point => ({
  x: Math.round(x + width / 2),
  y: Math.round(y + height / 2),
});

/** Text of code that gives an element of the page, or nothing. */
export type Found = string & { readonly __found?: never };

/** The first visible element of a role with a name. */
export function byRole(role: string, name: string | RegExp): Found {
  const wanted = typeof name === "string" ? JSON.stringify(name) : String(name);
  return `TestingLibraryDom.queryAllByRole(document.body, "${role}", { name: ${wanted} })[0]`;
}

/** A node of the graph, or a part of it. */
export function ofNode(name: string, part = ""): Found {
  return `document.querySelector('.react-flow__node[data-id="${name}"] ${part}')`;
}

export class WindowWalk {
  readonly page: DrivenPage;

  constructor(page: DrivenPage) {
    this.page = page;
  }

  async open(link: string): Promise<void> {
    await this.page.open(link);
    await this.page.evaluate(QUERIES);
  }

  /** Waits until an element is there and stays where it is; where that is. */
  async box(found: Found): Promise<Box> {
    let last: unknown;
    let box: Box | undefined;
    const look = async () => {
      const now = await this.page.evaluate(
        `const box = (${found})?.getBoundingClientRect();
         return box && { x: box.x, y: box.y, width: box.width, height: box.height };`,
      );
      const isStill = now !== undefined && JSON.stringify(now) === JSON.stringify(last);
      last = now;
      if (isStill) box = boxSchema.parse(now);
      return isStill;
    };
    await expect.poll(look, { ...POLL, message: found }).toBe(true);
    if (box === undefined) throw new Error(`There is no ${found}.`);
    return box;
  }

  /** Boxes of all elements that a selector finds, in the order of the page. */
  async boxes(selector: string): Promise<Box[]> {
    const found = await this.page.evaluate(
      `return [...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => {
         const { x, y, width, height } = element.getBoundingClientRect();
         return { x, y, width, height };
       });`,
    );
    return z.array(boxSchema).parse(found);
  }

  async click(found: Found): Promise<void> {
    await this.page.moveTo(centreOf(await this.box(found)));
    await this.page.press();
    await this.page.release();
  }

  /** Takes what is in the middle of an element; it is held until `drop`. */
  async take(found: Found): Promise<void> {
    const { x, y } = centreOf(await this.box(found));
    await this.page.moveTo({ x, y });
    await this.page.press();
    await this.page.moveTo({ x: x + DRAG_PIXELS, y: y + DRAG_PIXELS });
  }

  async moveOnto(found: Found): Promise<void> {
    await this.page.moveTo(centreOf(await this.box(found)));
  }

  async drop(): Promise<void> {
    await this.page.release();
  }

  /** Waits until an element has this text. */
  async see(found: Found, text: string | RegExp): Promise<void> {
    const seen = () => this.page.evaluate(`return (${found})?.textContent ?? "";`);
    const expected = expect.poll(seen, { ...POLL, message: found });
    await (typeof text === "string" ? expected.toBe(text) : expected.toMatch(text));
  }
}
