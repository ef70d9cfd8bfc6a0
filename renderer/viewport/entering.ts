/** Opening a function: the body of a large one is gone through first, and meanwhile the window says how far that is. */
import { Background } from "../stores/background.js";
import { activeSession, perDocument, recordPerDocument } from "../stores/document-session.js";
import { type PreparationStage, preparation } from "../stores/function-bodies.js";

export interface EnteringStore {
  /** The function that is prepared; undefined: none is. */
  readonly entered:
    | {
        readonly name: string;
        /** Number of its nodes. */
        readonly size: number;
        readonly stage: PreparationStage;
      }
    | undefined;
}

export const useEntering = perDocument<EnteringStore>(() => ({ entered: undefined }));

const preparations = recordPerDocument(() => new Background());

/** Calls back when a function can be shown without a wait: at once, or, if it is large, after its body was gone through. */
export function oncePrepared(name: string, then: () => void): void {
  cancelEntering();
  const store = useEntering.of(activeSession());
  const large = preparation(name, (stage) => store.setState({ entered: { name, size, stage } }));
  const size = large?.size ?? 0;
  if (!large) {
    then();
    return;
  }
  store.setState({ entered: { name, size, stage: "nodes" } });
  preparations().start(
    size,
    function* () {
      try {
        yield* large.work;
      } catch (error) {
        store.setState({ entered: undefined });
        throw error;
      }
    },
    () => {
      store.setState({ entered: undefined });
      then();
    },
  );
}

/** The shown part stays. */
export function cancelEntering(): void {
  preparations().cancel();
  useEntering.setState({ entered: undefined });
}
