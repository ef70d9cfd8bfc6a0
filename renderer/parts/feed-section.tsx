/** What a placeholder is fed: text, or a .npy or CSV file. */

import { type ReactElement, type ReactNode, useId, useRef, useState } from "react";
import type { FeedValue } from "../../main/api/runs.js";
import { toProblem } from "../../main/api/wire.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { dtypeOf } from "../../worker-runtime/protocol/dtype.js";
import { pickFile } from "../actions/file-actions.js";
import { LiteralError } from "../document/literal.js";
import { tensorName } from "../document/tensor-names.js";
import { tensorOfText } from "../document/values.js";
import { useApp } from "../stores/app-store.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import textStyles from "../ui/text.module.css";
import { TextButton } from "../ui/text-button.js";
import styles from "./feed-section.module.css";
import { PropertyRow } from "./property-row.js";
import { Note, Section, SectionHeading } from "./section.js";
import { TextField } from "./text-field.js";

const ENDINGS = ["npy", "csv", "tsv"];
/** A larger file would be held twice in the browser's memory; the application can read it from its own disk instead. */
const MAX_CONTENT_BYTES = 256 * 1024 * 1024;

interface FeedSectionProps {
  readonly node: NodeDef;
  /** Stands above the fields where several nodes are listed; each is then shown, whatever its op. */
  readonly title?: ReactNode;
}

export function FeedSection({ node, title }: FeedSectionProps): ReactElement | null {
  const tensor = tensorName(node.name, 0);
  const feed = useDocument((state) => state.document.runConfig.feeds[tensor]);
  if (title === undefined && !feed && !node.op.startsWith("Placeholder")) return null;
  return (
    <Section>
      <SectionHeading>
        {title ?? "Feed"}
        <span className={textStyles.grow} />
        {feed ? (
          <TextButton onClick={() => documentActions.setFeed(tensor, undefined)}>Clear</TextButton>
        ) : null}
      </SectionHeading>
      <Literal node={node} tensor={tensor} feed={feed} />
      <FileChoice tensor={tensor} feed={feed} />
      {feed || node.op !== "Placeholder" ? null : <Note>Without a value {node.name} cannot be run.</Note>}
    </Section>
  );
}

function Literal({
  node,
  tensor,
  feed,
}: {
  node: NodeDef;
  tensor: string;
  feed: FeedValue | undefined;
}): ReactElement {
  const id = useId();
  return (
    <PropertyRow>
      <span id={id}>Value</span>
      <TextField
        value={feed?.kind === "literal" ? feed.text : ""}
        labelledBy={id}
        placeholder={feed && feed.kind !== "literal" ? "from the file" : "3 or [[1, 2], [3, 4]]"}
        multiline
        commit={(text) => {
          if (text.trim() === "") {
            documentActions.setFeed(tensor, undefined);
            return undefined;
          }
          check(node, text);
          documentActions.setFeed(tensor, { kind: "literal", text });
          return undefined;
        }}
      />
    </PropertyRow>
  );
}

/** @throws LiteralError when the text is no value of the placeholder's dtype and shape */
function check(node: NodeDef, text: string): void {
  const dtype = node.attr.get("dtype")?.value;
  const shape = node.attr.get("shape")?.value;
  if (dtype?.$case !== "type") return;
  const tensor = tensorOfText(text, dtypeOf(dtype.value));
  if (shape?.$case !== "shape" || shape.value.unknownRank) return;
  const wanted = shape.value.dim.map(({ size }) => Number(size));
  const given = tensor.tensorShape?.dim.map(({ size }) => Number(size)) ?? [];
  const fits =
    wanted.length === given.length && wanted.every((size, axis) => size < 0 || size === given[axis]);
  if (fits) return;
  const wantedText = wanted.map((size) => (size < 0 ? "?" : size)).join(",");
  const hint = given.length === 0 && wanted.length === 1 ? ` Write it as [${text.trim()}].` : "";
  throw new LiteralError(
    `The value has shape [${given.join(",")}], but ${node.name} takes [${wantedText}].${hint}`,
  );
}

function FileChoice({ tensor, feed }: { tensor: string; feed: FeedValue | undefined }): ReactElement {
  const native = useApp((state) => state.info?.fileDialogs === "native");
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const labelId = useId();
  const columnId = useId();
  const fileName = feed?.kind === "file" ? feed.path : feed?.kind === "content" ? feed.name : undefined;
  const isTable = fileName !== undefined && !fileName.toLowerCase().endsWith(".npy");

  const pick = async () => {
    setProblem(undefined);
    if (!native) {
      input.current?.click();
      return;
    }
    try {
      const path = await pickFile({ mode: "open", title: `Value of ${tensor}`, extensions: ENDINGS });
      if (path !== undefined) documentActions.setFeed(tensor, { kind: "file", path });
    } catch (error) {
      setProblem(toProblem(error).message);
    }
  };
  const take = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MAX_CONTENT_BYTES) {
      setProblem(
        `${file.name} is larger than 256 MB. Open the app's own window and choose it from disk there.`,
      );
      return;
    }
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      documentActions.setFeed(tensor, { kind: "content", name: file.name, bytes });
    } catch (error) {
      setProblem(`${file.name} could not be read: ${toProblem(error).message}`);
    }
  };
  const setColumn = (text: string): undefined => {
    if (!feed || feed.kind === "literal") return undefined;
    const { column: _, ...rest } = feed;
    const trimmed = text.trim();
    const column = /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
    documentActions.setFeed(tensor, trimmed === "" ? rest : { ...rest, column });
    return undefined;
  };

  return (
    <>
      <PropertyRow>
        <span id={labelId}>File</span>
        <span className={styles.file}>
          <Button size="small" aria-describedby={labelId} onClick={() => void pick()}>
            <Icon name="folder" />
            {fileName === undefined ? ".npy or CSV…" : "Change…"}
          </Button>
          {fileName === undefined ? null : (
            <span className={classNames(textStyles.monospace, textStyles.truncated)} title={fileName}>
              {fileName.slice(Math.max(fileName.lastIndexOf("/"), fileName.lastIndexOf("\\")) + 1)}
            </span>
          )}
        </span>
        <input
          ref={input}
          type="file"
          hidden
          data-feed-file={tensor}
          accept={ENDINGS.map((ending) => `.${ending}`).join(",")}
          onChange={(event) => {
            void take(event.target.files?.[0]);
            event.target.value = "";
          }}
        />
      </PropertyRow>
      {isTable && feed && feed.kind !== "literal" ? (
        <PropertyRow>
          <span id={columnId}>Column</span>
          <TextField
            value={feed.column === undefined ? "" : String(feed.column)}
            labelledBy={columnId}
            placeholder="all, a name or a number"
            commit={setColumn}
          />
        </PropertyRow>
      ) : null}
      {problem ? (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      ) : null}
    </>
  );
}
