import { examples } from "../../worker-runtime/graph/examples/index.js";
import { problem } from "../shared/problems.js";
import type { ExampleLibrary } from "./document-service.js";

/** The example graphs that come with Tensordeck. */
export const exampleLibrary: ExampleLibrary = {
  list: () => examples.map(({ build: _, ...example }) => example),
  open: async (id) => {
    const example = examples.find((candidate) => candidate.id === id);
    if (!example) throw problem("NOT_FOUND", `There is no example "${id}".`);
    return { title: example.title, metaGraph: await example.build() };
  },
};
