/** The feed of a placeholder: text, a file, or images. */
import { type ReactElement, type ReactNode, useId } from "react";
import type { FeedValue } from "../../main/api/feeds.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { dtypeOf } from "../../worker-runtime/protocol/dtype.js";
import { placeholderShape } from "../document/feed-fit.js";
import { LiteralError } from "../document/literal.js";
import { tensorName } from "../document/tensor-names.js";
import { tensorOfText } from "../document/values.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { texts } from "../texts/texts.js";
import textStyles from "../ui/text.module.css";
import { TextButton } from "../ui/text-button.js";
import { FeedFile } from "./feed-file.js";
import { PropertyRow } from "./property-row.js";
import { Note, Section, SectionHeading } from "./section.js";
import { TextField } from "./text-field.js";

const words = texts.parts.feedSection;

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
        {title ?? words.feed}
        <span className={textStyles.grow} />
        {feed ? (
          <TextButton onClick={() => documentActions.setFeed(tensor, undefined)}>{words.clear}</TextButton>
        ) : null}
      </SectionHeading>
      <Literal node={node} tensor={tensor} feed={feed} />
      <FeedFile node={node} tensor={tensor} feed={feed} />
      {feed || node.op !== "Placeholder" ? null : <Note>{words.needed({ node: node.name })}</Note>}
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
      <span id={id}>{words.value}</span>
      <TextField
        value={feed?.kind === "literal" ? feed.text : ""}
        labelledBy={id}
        placeholder={feed && feed.kind !== "literal" ? words.valueFromFile : words.examples}
        multiline
        commit={(text) => {
          if (text.trim() === "") {
            documentActions.setFeed(tensor, undefined);
            return undefined;
          }
          checkNew(node, text, feed);
          documentActions.setFeed(tensor, { kind: "literal", text });
          return undefined;
        }}
      />
    </PropertyRow>
  );
}

/** @throws LiteralError as `check`, with what is fed instead if there is something */
function checkNew(node: NodeDef, text: string, earlier: FeedValue | undefined): void {
  try {
    check(node, text);
  } catch (error) {
    if (earlier === undefined || !(error instanceof LiteralError)) throw error;
    throw new LiteralError(words.earlierStays({ problem: error.message }));
  }
}

/** @throws LiteralError when the text is no value of the placeholder's dtype and shape */
function check(node: NodeDef, text: string): void {
  const dtype = node.attr.get("dtype")?.value;
  if (dtype?.$case !== "type") return;
  const tensor = tensorOfText(text, dtypeOf(dtype.value));
  const wanted = placeholderShape(node);
  if (!wanted) return;
  const given = tensor.tensorShape?.dim.map(({ size }) => Number(size)) ?? [];
  const fits =
    wanted.length === given.length && wanted.every((size, axis) => size < 0 || size === given[axis]);
  if (fits) return;
  const shapes = {
    given: given.join(","),
    node: node.name,
    wanted: wanted.map((size) => (size < 0 ? "?" : size)).join(","),
  };
  throw new LiteralError(
    given.length === 0 && wanted.length === 1
      ? words.wrongShapeOfScalar({ ...shapes, value: text.trim() })
      : words.wrongShape(shapes),
  );
}
