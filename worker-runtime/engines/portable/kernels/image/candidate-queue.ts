/** A box that may be selected. */
export interface Candidate {
  readonly index: number;
  score: number;
  /** How many of the selected candidates it has been compared with. */
  compared: number;
}

/** Whether `a` is considered before `b`: by score, then by index. */
function precedes(a: Candidate, b: Candidate): boolean {
  return a.score > b.score || (a.score === b.score && a.index < b.index);
}

/** The candidates by score, as a binary heap, because most of them may never be needed. */
export class CandidateQueue {
  readonly #heap: Candidate[] = [];

  push(candidate: Candidate): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(candidate);
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above] as Candidate;
      if (!precedes(candidate, parent)) {
        break;
      }
      heap[index] = parent;
      index = above;
    }
    heap[index] = candidate;
  }

  /** Removes and returns the first candidate; undefined if none is left. */
  pop(): Candidate | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) {
      return first;
    }
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left === undefined) {
        break;
      }
      let next = left;
      if (right !== undefined && precedes(right, left)) {
        child += 1;
        next = right;
      }
      if (!precedes(next, last)) {
        break;
      }
      heap[index] = next;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}
