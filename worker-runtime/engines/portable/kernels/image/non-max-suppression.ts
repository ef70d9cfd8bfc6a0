import { type Candidate, CandidateQueue } from "./candidate-queue.js";

export interface SuppressionRules {
  /** The maximum number of selected candidates. */
  readonly limit: number;
  /** Candidates more similar than this to a selected one are dropped. */
  readonly similarity: number;
  /** Candidates must have a higher score. */
  readonly minScore: number;
  /** Above 0, similar candidates lose score instead of being dropped: Bodla et al., "Soft-NMS" (2017). */
  readonly softness: number;
}

export interface Selection {
  readonly indices: readonly number[];
  readonly scores: readonly number[];
}

/** Selects candidates by score, without those that are similar to one with a higher score. */
export function suppressNonMaxima(
  scores: ArrayLike<number>,
  similarityOf: (i: number, j: number) => number,
  rules: SuppressionRules,
): Selection {
  const queue = new CandidateQueue();
  for (let index = 0; index < scores.length; index += 1) {
    const score = scores[index] as number;
    if (score > rules.minScore) {
      queue.push({ index, score, compared: 0 });
    }
  }
  const indices: number[] = [];
  const selectedScores: number[] = [];
  while (indices.length < rules.limit) {
    const next = queue.pop();
    if (next === undefined) {
      break;
    }
    const before = next.score;
    const dropped = weaken(next, indices, similarityOf, rules);
    next.compared = indices.length;
    if (dropped) {
      continue;
    }
    if (next.score === before) {
      indices.push(next.index);
      selectedScores.push(next.score);
    } else if (next.score > rules.minScore) {
      queue.push(next);
    }
  }
  return { indices, scores: selectedScores };
}

/** Lowers a candidate's score for each similar one selected since. @returns whether to drop it. */
function weaken(
  candidate: Candidate,
  selected: readonly number[],
  similarityOf: (i: number, j: number) => number,
  { similarity, minScore, softness }: SuppressionRules,
): boolean {
  // The most recently selected ones have scores nearest to the candidate's, so they are most likely similar.
  for (let i = selected.length - 1; i >= candidate.compared; i -= 1) {
    const alike = similarityOf(candidate.index, selected[i] as number);
    if (softness === 0) {
      if (alike > similarity) {
        return true;
      }
      continue;
    }
    candidate.score = Math.fround(candidate.score * Math.fround(Math.exp((-0.5 / softness) * alike * alike)));
    if (candidate.score <= minScore) {
      return false;
    }
  }
  return false;
}
