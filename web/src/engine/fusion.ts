/** Scores to rankings, and rankings to one; the twin of `builder/fusion.py`. */

/**
 * The numbers of the `depth` best passages, best first; ties go to the first in the site.
 *
 * @param allowed 1 for each passage that may take part; null for all
 */
export function ranking(
  scores: Float64Array,
  depth: number,
  positiveOnly: boolean,
  allowed: Uint8Array | null = null,
): number[] {
  const candidates: number[] = [];
  for (let number = 0; number < scores.length; number++) {
    if (allowed && !allowed[number]) continue;
    if (!positiveOnly || scores[number]! > 0) candidates.push(number);
  }
  return candidates.sort((left, right) => scores[right]! - scores[left]! || left - right).slice(0, depth);
}

/**
 * Scores with `weight` times the two best other scores of the passage's page added.
 *
 * @param pages the page of each passage; rises
 */
export function supported(scores: Float64Array, pages: Uint32Array, weight: number): Float64Array {
  const found = scores.slice();
  for (let start = 0; start < pages.length; ) {
    let end = start;
    let [first, second, third] = [0, 0, 0];
    for (; end < pages.length && pages[end] === pages[start]; end++) {
      const score = scores[end]!;
      if (score > first) [first, second, third] = [score, first, second];
      else if (score > second) [second, third] = [score, second];
      else if (score > third) third = score;
    }
    for (; start < end; start++) {
      const score = scores[start]!;
      if (score <= 0) continue;
      const others = score === first ? second + third : score === second ? first + third : first + second;
      found[start] = score + weight * others;
    }
  }
  return found;
}

/** Reciprocal Rank Fusion: [passage, score] of every passage in any ranking, best first. */
export function fuse(rankings: readonly (readonly number[])[], k: number): [number, number][] {
  const scores = new Map<number, number>();
  for (const single of rankings) {
    single.forEach((passage, index) => {
      scores.set(passage, (scores.get(passage) ?? 0) + 1 / (k + index + 1));
    });
  }
  return [...scores].sort(([left, one], [right, other]) => other - one || left - right);
}
