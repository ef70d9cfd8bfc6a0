/** The contents of a file that is to be fed, without reading all of it. */
import { basename } from "node:path";
import {
  describeFeedBytes,
  describeFeedFile,
  type FeedFileContents,
} from "../../worker-runtime/io/feed-contents.js";
import type { FeedContents, feedMethods } from "../api/feeds.js";
import { expandHome } from "../documents/directory.js";
import type { HandlersOf } from "../shared/handlers.js";
import { problemOf } from "../shared/problems.js";
import { refusePipes } from "./feeds.js";

export const feedContents: HandlersOf<typeof feedMethods>["feeds.contents"] = async (
  value,
  { gone },
): Promise<FeedContents> => {
  try {
    if (value.kind === "content")
      return contents(await describeFeedBytes(value.bytes, basename(value.name), gone));
    const path = expandHome(value.path);
    await refusePipes(path);
    return contents(await describeFeedFile(path, gone));
  } catch (error) {
    return { arrays: [], columns: [], problem: problemOf(error) };
  }
};

function contents({ arrays, columns, records }: FeedFileContents): FeedContents {
  return {
    arrays: arrays.map(({ shape, ...array }) => ({ ...array, shape: [...shape] })),
    columns: [...columns],
    ...(records && {
      records: {
        ...records,
        features: records.features.map(({ kinds, ...feature }) => ({ ...feature, kinds: [...kinds] })),
      },
    }),
  };
}
