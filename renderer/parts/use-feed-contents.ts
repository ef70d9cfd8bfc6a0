import { useEffect, useState } from "react";
import { FEED_HEAD_BYTES, type FeedContents, type FeedValue } from "../../main/api/feeds.js";
import { useApp } from "../stores/app-store.js";
import { client } from "../transport/client.js";

type FileFeed = Exclude<FeedValue, { kind: "literal" }>;

/** The contents of a feed's file; undefined while that is not known, or without the application. */
export function useFeedContents(feed: FileFeed): FeedContents | undefined {
  const [known, setKnown] = useState<{ readonly of: string | Uint8Array; readonly contents: FeedContents }>();
  const connected = useApp((state) => state.connection === "connected");
  const source = feed.kind === "file" ? feed.path : feed.bytes;
  const name = feed.kind === "file" ? "" : feed.name;
  useEffect(() => {
    if (!connected) return;
    let wanted = true;
    // The head of tables and single arrays tells.
    const needsAll = !/\.(?:npy|csv|tsv|txt)$/i.test(name);
    void client()
      .call(
        "feeds.contents",
        typeof source === "string"
          ? { kind: "file", path: source }
          : { kind: "content", name, bytes: needsAll ? source : source.subarray(0, FEED_HEAD_BYTES) },
      )
      .then(
        (contents) => wanted && setKnown({ of: source, contents }),
        // It is asked again with the next connection; the run checks the file in any case.
        () => undefined,
      );
    return () => {
      wanted = false;
    };
  }, [source, name, connected]);
  return known?.of === source ? known.contents : undefined;
}
