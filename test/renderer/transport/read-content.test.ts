import { afterEach, expect, it, vi } from "vitest";
import { ProblemError } from "../../../main/api/wire.js";
import { contentReader } from "../../../renderer/transport/read-content.js";

const PIECES = [Uint8Array.of(2, 3, 4), Uint8Array.of(5), Uint8Array.of(6, 7)];

function bodyOf(pieces: readonly Uint8Array[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

function answerWith(response: () => Response) {
  const fetch = vi.fn(async (_address: string, _init: RequestInit) => response());
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

async function read(): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of contentReader("secret")({ id: "an id", offset: 2 })) pieces.push(piece);
  return pieces;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it("reads the rest of the content in one answer", async () => {
  const fetch = answerWith(() => new Response(bodyOf(PIECES)));
  expect(await read()).toEqual(PIECES);
  expect(fetch.mock.calls[0]?.[0]).toBe("/api/content?id=an+id&offset=2");
  expect(fetch.mock.calls[0]?.[1].headers).toEqual({ authorization: "Bearer secret" });
});

it("says why the application refuses", async () => {
  const problem = { code: "NOT_FOUND", message: "The rest is no longer here." };
  answerWith(() => Response.json(problem, { status: 404 }));
  await expect(read()).rejects.toThrow(new ProblemError({ ...problem, code: "NOT_FOUND" }));
});

it("says that the connection was lost", async () => {
  answerWith(() => {
    throw new TypeError("Failed to fetch");
  });
  await expect(read()).rejects.toThrow("The connection to the application was lost.");
});
