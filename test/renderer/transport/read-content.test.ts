import { afterEach, describe, expect, it, vi } from "vitest";
import { CONTENT_PATH } from "../../../main/api/headless.js";
import { ProblemError } from "../../../main/api/wire.js";
import { contentReader } from "../../../renderer/transport/read-content.js";

const readContent = contentReader("secret of the tab");

/** The origin answers with this; gives what was asked of it. */
function answerWith(response: () => Response | Promise<Response>) {
  const asked = vi.fn<typeof fetch>(async () => response());
  vi.stubGlobal("fetch", asked);
  return asked;
}

/** A body of these pieces, which then ends or breaks off. */
function bodyOf(pieces: readonly string[], breaksOff = false): ReadableStream {
  const left = [...pieces];
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift();
      if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
      else if (breaksOff) controller.error(new TypeError("network error"));
      else controller.close();
    },
  });
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += new TextDecoder().decode(piece);
  return text;
}

/** The problem that reading ends with. */
async function problemOf(pieces: AsyncIterable<Uint8Array>) {
  const error = await textOf(pieces).catch((thrown: unknown) => thrown);
  if (!(error instanceof ProblemError))
    throw new Error("Reading did not end with a problem.", { cause: error });
  return error.problem;
}

afterEach(() => vi.unstubAllGlobals());

describe("content of the application", () => {
  it("is asked for from an offset, with the secret of the tab, and comes in pieces", async () => {
    const asked = answerWith(() => new Response(bodyOf(["node", " {", "}"])));
    expect(await textOf(readContent({ id: "a b", offset: 12 }))).toBe("node {}");
    const [address, options] = asked.mock.calls[0] ?? [];
    const { pathname, searchParams } = new URL(String(address), "http://window");
    expect([pathname, searchParams.get("id"), searchParams.get("offset")]).toEqual([
      CONTENT_PATH,
      "a b",
      "12",
    ]);
    expect(new Headers(options?.headers).get("authorization")).toBe("Bearer secret of the tab");
    expect(options?.cache).toBe("no-store");
  });

  it("is no longer sent when nobody reads on", async () => {
    const asked = answerWith(() => new Response(bodyOf(["one", "two"])));
    for await (const piece of readContent({ id: "1", offset: 0 })) {
      expect(new TextDecoder().decode(piece)).toBe("one");
      break;
    }
    expect(asked.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
  });

  it("ends with the application's own problem", async () => {
    const problem = {
      code: "NOT_FOUND",
      message: "The document is no longer there.",
      remedy: "Open it again.",
    };
    answerWith(() => Response.json(problem, { status: 404 }));
    expect(await problemOf(readContent({ id: "1", offset: 0 }))).toEqual(problem);
  });

  it("ends with the status of an answer that says nothing else", async () => {
    answerWith(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
    expect(await problemOf(readContent({ id: "1", offset: 0 }))).toEqual({
      code: "UNAVAILABLE",
      message: "The application answered with the status 502 when it was asked for the document.",
      remedy: "Open the document again.",
    });
  });

  it.each([
    ["before an answer", () => Promise.reject<Response>(new TypeError("Failed to fetch"))],
    ["within the content", () => new Response(bodyOf(["node"], true))],
  ])("ends with a problem when the connection is lost %s", async (_, response) => {
    answerWith(response);
    expect(await problemOf(readContent({ id: "1", offset: 0 }))).toEqual({
      code: "UNAVAILABLE",
      message: "The connection to the application was lost.",
      remedy: "Open the document again.",
    });
  });
});
