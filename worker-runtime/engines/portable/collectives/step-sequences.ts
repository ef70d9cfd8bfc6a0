import type {
  GetStepSequenceRequest,
  GetStepSequenceResponse,
} from "../../../../protos/generated/tensorflow/worker.js";
import { resourceExhausted } from "../../../protocol/status.js";
import { newStepId, stepIdFrom } from "../step-id.js";

/** A program has one for each graph. */
const MAX_GRAPH_KEYS = 100_000;

/** Another task that leads: it decides where a sequence begins. */
export interface SequenceLeader {
  /** Distinguishes incarnations of the leader; each restarts its sequences. */
  readonly incarnation: bigint;
  getStepSequence(request: GetStepSequenceRequest): Promise<GetStepSequenceResponse>;
}

interface Sequence {
  next: bigint;
  /** The incarnation of the leader that provided it; 0 for a sequence of this task. */
  readonly incarnation: bigint;
  /** Ids of running steps, in the order in which they began. */
  readonly running: Set<bigint>;
}

/**
 * The ids of steps with collectives: all masters whose graphs have one graph key count up from the same id, which the
 * leader of the group draws at random, so that the members of a collective meet in one step without being told of each
 * other.
 */
export class StepSequences {
  readonly #sequences = new Map<bigint, Sequence>();

  /**
   * The leader's answer to where each key's sequence is: at the running step, which waits for the requesting task, or
   * at the next one.
   *
   * @throws TensorFlowError RESOURCE_EXHAUSTED for too many keys.
   */
  answer({ graphKey: keys }: GetStepSequenceRequest): GetStepSequenceResponse {
    return {
      stepSequence: keys.map((graphKey) => {
        const { running, next } = this.#own(graphKey);
        const [oldest] = running;
        return { graphKey, nextStepId: oldest ?? next };
      }),
    };
  }

  /**
   * The id of a key's next step, which runs until `end`.
   * @param leader undefined if this task leads.
   * @throws TensorFlowError what the leader answers.
   */
  async take(graphKey: bigint, leader: SequenceLeader | undefined): Promise<bigint> {
    const sequence = leader === undefined ? this.#own(graphKey) : await this.#learnt(graphKey, leader);
    const stepId = sequence.next;
    sequence.next = stepIdFrom(stepId + 1n);
    sequence.running.add(stepId);
    return stepId;
  }

  /**
   * Records that a step has ended, successfully or not: all masters continue counting, so that no id is reused for a
   * retry.
   */
  end(graphKey: bigint, stepId: bigint): void {
    this.#sequences.get(graphKey)?.running.delete(stepId);
  }

  #own(graphKey: bigint): Sequence {
    return this.#sequences.get(graphKey) ?? this.#keep(graphKey, newStepId(), 0n);
  }

  async #learnt(graphKey: bigint, leader: SequenceLeader): Promise<Sequence> {
    const { incarnation } = leader;
    const known = this.#sequences.get(graphKey);
    if (known?.incarnation === incarnation) {
      return known;
    }
    const { stepSequence } = await leader.getStepSequence({ graphKey: [graphKey] });
    // Another step of the same key may have asked meanwhile; the two must not get one id.
    const meanwhile = this.#sequences.get(graphKey);
    if (meanwhile?.incarnation === incarnation) {
      return meanwhile;
    }
    const next = stepSequence.find((sequence) => sequence.graphKey === graphKey)?.nextStepId ?? newStepId();
    return this.#keep(graphKey, next, incarnation);
  }

  #keep(graphKey: bigint, next: bigint, incarnation: bigint): Sequence {
    if (this.#sequences.size >= MAX_GRAPH_KEYS && !this.#sequences.has(graphKey)) {
      throw resourceExhausted(
        `This task counts the steps of ${MAX_GRAPH_KEYS} graph keys and accepts no more.`,
      );
    }
    const sequence: Sequence = { next, incarnation, running: new Set() };
    this.#sequences.set(graphKey, sequence);
    return sequence;
  }
}
