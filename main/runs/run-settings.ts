import { basename } from "node:path";
import type { FeedValue } from "../api/feeds.js";
import type { RunSettings } from "../api/run-history.js";
import type { RunRequest } from "../api/runs.js";
import { defined } from "../shared/problems.js";

/** More of a list tells nothing more. */
const MAX_LISTED = 200;
const MAX_TEXT_LENGTH = 200;

/** The part of a request that the history keeps. */
export function settingsOf(request: RunRequest): RunSettings {
  const { configuration, fetches, targets, feeds, batches } = request;
  return defined({
    configuration,
    fetches: fetches.slice(0, MAX_LISTED),
    targets: targets.slice(0, MAX_LISTED),
    feeds: feeds.slice(0, MAX_LISTED).map(({ name, value }) => ({ name, text: feedText(value) })),
    batches,
  });
}

function feedText(value: FeedValue): string {
  if (value.kind === "literal") return value.text.slice(0, MAX_TEXT_LENGTH);
  const name = value.kind === "file" ? basename(value.path) : value.name;
  const part = value.column === undefined ? "" : `, ${value.column}`;
  return `${name}${part}${value.batched ? ", in batches" : ""}`.slice(0, MAX_TEXT_LENGTH);
}
