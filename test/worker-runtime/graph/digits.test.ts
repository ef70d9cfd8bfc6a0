import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Server } from "../../../worker-runtime/engines/server.js";
import { digitsGraph } from "../../../worker-runtime/graph/digits/digits-graph.js";
import { HELD_OUT_PICTURES } from "../../../worker-runtime/graph/digits/held-out-pictures.js";
import { digitOf, pixelsOf, SIDE } from "../../../worker-runtime/graph/digits/picture-lines.js";
import { PICTURES } from "../../../worker-runtime/graph/digits/pictures.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { Session } from "../../../worker-runtime/session/session.js";

/** The guesses of the classifier for pictures. */
async function guesses(session: Session, lines: readonly string[]): Promise<number[]> {
  const batch = Tensor.of(lines.flatMap(pixelsOf), "uint8", [lines.length, SIDE, SIDE, 1]);
  const { values } = await session.run(["best:0"], { feeds: new Map([["batch:0", batch]]) });
  const classes = values[0]?.toArray();
  return Array.isArray(classes) ? classes.map(Number) : [];
}

describe("the classifier of handwritten digits", () => {
  let server: Server;
  let session: Session;

  beforeAll(async () => {
    server = await Server.createLocalServer({ engine: "portable" });
    session = new Session(server.target, { graph: digitsGraph(["", ""]).toGraphDef() });
  });
  afterAll(async () => {
    await session.close();
    await server.stop();
  });

  it("names at least 96 % of the pictures that it was not trained on", async () => {
    const guessed = await guesses(session, HELD_OUT_PICTURES);
    const right = HELD_OUT_PICTURES.filter((line, index) => digitOf(line) === guessed[index]);
    expect(HELD_OUT_PICTURES).toHaveLength(360);
    expect(right.length / HELD_OUT_PICTURES.length).toBeGreaterThanOrEqual(0.96);
  });

  it("shows two pictures of each digit, none of which it was trained on", () => {
    expect(PICTURES.map(digitOf)).toEqual(Array.from({ length: 20 }, (_, index) => Math.floor(index / 2)));
    expect(PICTURES.filter((line) => !HELD_OUT_PICTURES.includes(line))).toEqual([]);
  });

  it("scores the chosen picture and names its class", async () => {
    const { values } = await session.run(["scores:0", "label:0", "picture:0"]);
    expect(values[0]?.shape).toEqual([1, 10]);
    expect(values[1]?.toArray()).toEqual(["three"]);
    expect(values[2]?.toArray()).toEqual(
      Tensor.of(pixelsOf(PICTURES[7] ?? ""), "uint8", [SIDE, SIDE, 1]).toArray(),
    );
  });
});
