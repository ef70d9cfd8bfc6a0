/** The pointer as WebDriver and WebDriver BiDi know it: https://www.w3.org/TR/webdriver2/#actions */
import { type Point, wayTo } from "./driven-page.js";

const MOVE_MILLIS = 10;

/** A mouse whose actions a function performs. It stays where it was between them. */
export class PointerActions {
  readonly #perform: (actions: readonly object[]) => Promise<unknown>;
  #at: Point = { x: 0, y: 0 };

  /** @param perform Called with the list of sources of input, each with its actions. */
  constructor(perform: (actions: readonly object[]) => Promise<unknown>) {
    this.#perform = perform;
  }

  async moveTo(point: Point): Promise<void> {
    const way = wayTo(this.#at, point);
    this.#at = point;
    await this.#do(way.map((step) => ({ type: "pointerMove", duration: MOVE_MILLIS, ...step })));
  }

  async press(): Promise<void> {
    await this.#do([{ type: "pointerDown", button: 0 }]);
  }

  async release(): Promise<void> {
    await this.#do([{ type: "pointerUp", button: 0 }]);
  }

  async #do(actions: readonly object[]): Promise<void> {
    await this.#perform([{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }]);
  }
}
