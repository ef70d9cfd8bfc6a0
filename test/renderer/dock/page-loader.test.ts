import { describe, expect, it } from "vitest";
import { PAGE, PageLoader } from "../../../renderer/dock/page-loader.js";

interface Asked {
  readonly offset: number;
  answer(): Promise<void>;
  refuse(): Promise<void>;
}

function loader() {
  const asked: Asked[] = [];
  const errors: unknown[] = [];
  const seen = { changes: 0 };
  const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0));
  const pages = new PageLoader({
    fetch: (offset, count) =>
      new Promise((resolve, reject) => {
        asked.push({
          offset,
          answer: () => {
            resolve(Array.from({ length: count }, (_, index) => String(offset + index)));
            return settled();
          },
          refuse: () => {
            reject(new Error("gone"));
            return settled();
          },
        });
      }),
    onChange: () => seen.changes++,
    onError: (error) => errors.push(error),
  });
  return { pages, asked, errors, seen };
}

describe("PageLoader", () => {
  it("fetches the pages of a range and answers their elements", async () => {
    const { pages, asked, seen } = loader();
    pages.want(PAGE - 1, PAGE + 1);
    expect(asked.map(({ offset }) => offset)).toEqual([0, PAGE]);
    expect(pages.get(PAGE)).toBeUndefined();
    await asked[1]?.answer();
    expect(pages.get(PAGE)).toBe(String(PAGE));
    expect(seen.changes).toBe(1);
    pages.want(PAGE, PAGE + 1);
    expect(asked).toHaveLength(2);
  });

  it("goes to where scrolling stopped, and keeps what arrives late", async () => {
    const { pages, asked } = loader();
    pages.want(0, 10 * PAGE);
    for (let page = 20; page <= 90; page += 10) pages.want(page * PAGE, page * PAGE + 1);
    expect(asked.map(({ offset }) => offset)).toEqual([0, PAGE]);
    await asked[0]?.answer();
    expect(asked.at(-1)?.offset).toBe(90 * PAGE);
    expect(asked).toHaveLength(3);
    expect(pages.get(5)).toBe("5");
  });

  it("tells an error once and does not ask again for that page", async () => {
    const { pages, asked, errors } = loader();
    pages.want(0, 1);
    await asked[0]?.refuse();
    pages.want(0, 1);
    expect(errors).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  it("is silent once it is closed", async () => {
    const { pages, asked, errors, seen } = loader();
    pages.want(0, 5 * PAGE);
    pages.close();
    await asked[0]?.answer();
    await asked[1]?.refuse();
    expect(asked).toHaveLength(2);
    expect(seen.changes).toBe(0);
    expect(errors).toEqual([]);
  });
});
